"""Which of a launch's scalar arguments are its numels, and what they are called.

Inductor passes the numels last (torch/_inductor/codegen/triton.py `add_numel_to_call_args`): z, y, x of a
pointwise kernel, then r0_, r1_ of a reduction. Other integers (`ks0`, seeds, bounds) may stand before them, so
how many of the trailing integers are numels is settled by evidence, the best first: the source's parameter
names, the blocks in `kernel_kwargs` together with the tensors' element counts, the element counts alone (a
pointwise output has as many elements as the iteration space), the category.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

REDUCTIONS = frozenset({"red", "per", "spl", "unk"})
"""Categories that have reduction numels (`unk` is a cooperative reduction)."""

_MAX_SPATIAL = 3
_MAX_REDUCTION = 2
_BLOCK = re.compile(r"\b(X|Y|Z|R\d?_?)BLOCK\s*[=:]")
_NUMEL_PARAMETER = re.compile(r"([xyz]|r\d?_?)numel")


@dataclass(frozen=True, slots=True)
class Numels:
    """Sizes of the iteration space by prefix (x, y, z, r0_, r1_), outermost first as they are passed.

    `others` are the integers that stand before them."""

    by_prefix: tuple[tuple[str, int], ...]
    others: tuple[int, ...] = ()

    @property
    def xnumel(self) -> int:
        """Product of the non-reduction numels."""
        return math.prod(size for prefix, size in self.by_prefix if not prefix.startswith("r"))

    @property
    def rnumel(self) -> int:
        """Product of the reduction numels, 1 without any."""
        return math.prod(size for prefix, size in self.by_prefix if prefix.startswith("r"))

    @property
    def possible(self) -> bool:
        """Whether a kernel can have run with them: none is zero or negative."""
        return all(size > 0 for _, size in self.by_prefix)

    @property
    def iteration_space(self) -> int:
        return self.xnumel * self.rnumel


def prefix_of_parameter(parameter: str) -> str | None:
    """`xnumel` → x, `r0_numel` and 2.4's `rnumel` → r0_, None for what is no numel."""
    match = _NUMEL_PARAMETER.fullmatch(parameter)
    if not match:
        return None
    return "r0_" if match[1] == "r" else match[1]


def numels_by_parameter(parameters: Sequence[str], concrete: Sequence[str]) -> Numels | None:
    """Numels of a launch whose kernel's non-constexpr parameters are known. None where they do not fit."""
    if len(parameters) < len(concrete):
        return None
    sizes: list[tuple[str, int]] = []
    others: list[int] = []
    for parameter, value in zip(parameters, concrete, strict=False):
        number = parse_integer(value)
        prefix = prefix_of_parameter(parameter)
        if prefix is not None and number is None:
            return None
        if number is None:
            continue
        if prefix is None:
            others.append(number)
        else:
            sizes.append((prefix, number))
    return Numels(tuple(sizes), tuple(others)) if sizes else None


def numels_by_evidence(
    category: str | None, integers: Sequence[int], element_counts: Collection[int], kernel_kwargs: str
) -> Numels | None:
    """Numels from the trace alone: `integers` are all integer scalars in order. None without enough."""
    blocks = set(_BLOCK.findall(kernel_kwargs))
    reduction_blocks = sum(block.startswith("R") for block in blocks)
    reduction = category in REDUCTIONS or (category is None and reduction_blocks > 0)
    fewest = 2 if reduction else 1
    most = min(len(integers), _MAX_SPATIAL + (_MAX_REDUCTION if reduction else 0))
    if most < fewest:
        return None
    reduction_dims = max(1, reduction_blocks) if reduction else 0
    by_blocks = max(1, len(blocks) - reduction_blocks) + reduction_dims if blocks else fewest
    by_blocks = min(max(by_blocks, fewest), most)

    def space(count: int) -> int:
        return math.prod(integers[-count:])

    count = by_blocks
    if space(by_blocks) not in element_counts or category is None:
        fitting = [c for c in range(fewest, most + 1) if space(c) in element_counts and space(c) > 0]
        count = max(fitting, key=lambda c: (space(c), -c), default=by_blocks)
    spatial = count - reduction_dims
    if spatial < 1:
        spatial, reduction_dims = 1, count - 1
    names = (*"zyx"[-min(spatial, 3) :], *(f"r{i}_" for i in range(count - min(spatial, 3))))
    return Numels(tuple(zip(names, integers[-count:], strict=True)), tuple(integers[:-count]))


def parse_integer(text: str) -> int | None:
    """The integer that a `Concrete Inputs` entry holds; None for floats, booleans, lists and nothing."""
    if not text or len(text) > 20 or not text.removeprefix("-").isdecimal():
        return None
    return int(text)
