"""`triton_poi_fused__unsafe_view_mul_silu_2` → category, fused operators, index.

Inductor writes the names (torch/_inductor/codegen/triton.py `define_kernel`,
torch/_inductor/utils.py `get_fused_kernel_name`): a three-letter category, `fused`, the sorted distinct
operator names joined by underscores, and a counter. Underscores are both separators and parts of names, so
the operators are found by dynamic programming over the known operator names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from perfcore.operator_names import NAMESPACE_OF

CATEGORIES: dict[str, str] = {
    "poi": "pointwise",
    "red": "reduction",
    "per": "persistent reduction",
    "tem": "template",
    "for": "foreach",
    "spl": "split scan",
    "unk": "unknown",
}
"""Category prefix → what it stands for (torch/_inductor/wrapper_benchmark.py); a cooperative reduction is
`unk` because its heuristic is none of the six that the prefix is made from."""

MAX_NAME_LENGTH = 1024
"""Longer names are kept whole as one unknown word: nothing that Inductor writes comes near."""

_MAX_WORDS_PER_OPERATOR = 14
_NAME = re.compile(r"triton_(?:(?P<category>[a-z]{3})_)?fused(?:_(?P<rest>.*))?", re.DOTALL)
_GENERIC = re.compile(r"triton_?(?:_?\d+)?")
_DIVISIBILITY_SUFFIX = re.compile(r"_(?=[0-9]*[cde])(?:[0-9]+(?:c|de?|e)?){1,}$")
_INDEX = re.compile(r"(?:^|_)(?P<index>\d+)$")


@dataclass(frozen=True, slots=True)
class KernelName:
    """What a kernel's name says.

    `ops` are qualified operator names (`aten.mul`) in the name's order, `unknown_ops` the words that are no
    known operator (custom operators, the cut end of a name). `index` is the counter within the graph, None
    where the name was cut. `generic` is True for `triton_`, `triton_0`… (unique kernel names off).
    """

    name: str
    category: str | None
    ops: tuple[str, ...]
    unknown_ops: tuple[str, ...]
    index: int | None
    generic: bool = False


def clean_kernel_name(name: str) -> str:
    """The name without what others append: ROCm's `.kd`, and old Triton's divisibility suffix (`_0d1d2de`)."""
    name = name.removesuffix(" [clone .kd]").removesuffix(".kd")
    if name.startswith("triton_") and len(name) <= MAX_NAME_LENGTH:
        name = _DIVISIBILITY_SUFFIX.sub("", name) or name
    return name


@lru_cache(maxsize=16384)
def parse_kernel_name(name: str) -> KernelName:
    """Split a kernel's name. A name that is not Inductor's has no category and no operators."""
    clean = clean_kernel_name(name)
    if _GENERIC.fullmatch(clean):
        index = _INDEX.search(clean)
        return KernelName(name, None, (), (), int(index["index"]) if index else None, generic=True)
    match = _NAME.fullmatch(clean)
    if not match or len(clean) > MAX_NAME_LENGTH:
        return KernelName(name, None, (), (), None)
    rest = match["rest"] or ""
    number = _INDEX.search(rest)
    if number:
        rest = rest[: number.start()]
    ops, unknown = split_operators(rest)
    index_value = int(number["index"]) if number and len(number["index"]) < 10 else None
    return KernelName(name, match["category"], ops, unknown, index_value)


@dataclass(frozen=True, slots=True, order=True)
class _Split:
    """A way to cut the words so far; the smallest is the best: fewest unknown words, then fewest operators
    out of alphabetical order, then fewest operators."""

    unknown_words: int
    disorder: int
    operators: int
    pieces: tuple[tuple[bool, str], ...] = ()

    @property
    def last_operator(self) -> str:
        return next((text for known, text in reversed(self.pieces) if known), "")


def split_operators(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(`_unsafe_view_mul_silu`) → (qualified known operators, unknown words), each in the text's order."""
    if not text:
        return (), ()
    words = text.split("_")
    best: list[dict[str, _Split]] = [{} for _ in range(len(words) + 1)]
    best[0][""] = _Split(0, 0, 0)
    for start in range(len(words)):
        if not best[start]:
            continue
        for split in best[start].values():
            unknown = _Split(
                split.unknown_words + 1,
                split.disorder,
                split.operators,
                (*split.pieces, (False, words[start])),
            )
            _keep(best[start + 1], unknown)
            for end in range(start + 1, min(start + _MAX_WORDS_PER_OPERATOR, len(words)) + 1):
                name = "_".join(words[start:end])
                if name in NAMESPACE_OF:
                    known = _Split(
                        split.unknown_words,
                        split.disorder + (name <= split.last_operator),
                        split.operators + 1,
                        (*split.pieces, (True, name)),
                    )
                    _keep(best[end], known)
    pieces = min(best[-1].values()).pieces
    return (
        tuple(f"{NAMESPACE_OF[piece]}.{piece}" for known, piece in pieces if known),
        _join_unknown(pieces),
    )


def _keep(splits: dict[str, _Split], split: _Split) -> None:
    last = split.last_operator
    if last not in splits or split < splits[last]:
        splits[last] = split


def _join_unknown(pieces: tuple[tuple[bool, str], ...]) -> tuple[str, ...]:
    """Neighbouring unknown words are one name (`moe`, `forward` → `moe_forward`)."""
    joined: list[list[str]] = [[]]
    for known, piece in pieces:
        if known:
            joined.append([])
        else:
            joined[-1].append(piece)
    return tuple(word for words in joined if (word := "_".join(words).rstrip("_")))
