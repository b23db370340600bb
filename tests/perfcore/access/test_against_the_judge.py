"""Every kernel of the corpus at reduced sizes: our count is the judge's count, or a bound that holds and says so.

Set INDUCTOR_LENS_SIZES=all for every set of sizes on every kernel (minutes); by default each kernel gets one.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from perfcore.inductor import KernelSource, read_inductor_file
from perfcore.inductor.access import Accesses, Unanalysed, analyse, moved
from tests.ground_truth import CORPUS, WHOLE_CORPUS
from tests.perfcore.access.brute_force import touched

ALL_SIZES = os.environ.get("INDUCTOR_LENS_SIZES") == "all"
VERSIONS = ("2.4.1", "2.7.1", "2.12.1", "2.13.0")
NUMEL = re.compile(r"([xyz]|r\d*_?)numel")


@dataclass(frozen=True)
class Sizes:
    numels: dict[str, int]
    scalars: dict[str, int]


@cache
def kernels(corpus: Path, version: str) -> tuple[KernelSource, ...]:
    """Inductor's own kernels, each text once."""
    found: dict[str, KernelSource] = {}
    for path in sorted((corpus / version).glob("*/cache/*/*.py")):
        for kernel in read_inductor_file(str(path), path.read_text()).kernels:
            if kernel.category not in (None, "tem"):
                found.setdefault(kernel.text, kernel)
    return tuple(found.values())


def is_combo(kernel: KernelSource) -> bool:
    """Its branches have their own numels, constants in the text."""
    return kernel.category == "for" or "combo_grid_meta" in dict(kernel.inductor_meta)


def sizes(kernel: KernelSource) -> Iterator[Sizes]:
    """Iteration spaces that numpy can hold, some of them of awkward sizes; dynamic kernels get sizes out of nothing."""
    scalars = {name: 11 + len(name) for name in kernel.params if re.fullmatch(r"ks\d+", name)}
    scalars |= {name: 3 + len(name) for name in kernel.params if name.startswith("load_seed_offset")}
    if is_combo(kernel):
        parts = [p for p in kernel.params if re.fullmatch(r"(?:[xyz]|r\d*_?)numel_\d+", p)]
        scalars |= {name: 50 + 7 * place for place, name in enumerate(parts)}
        yield Sizes({}, scalars)
        return
    prefixes = [
        m[1].replace("r", "r0_") if m[1] == "r" else m[1] for p in kernel.params if (m := NUMEL.fullmatch(p))
    ]
    whole = {prefix: dict(kernel.numels).get(prefix, 500) for prefix in prefixes}
    one_program_a_row = kernel.category == "spl" or re.search(r"XBLOCK\s*:\s*tl.constexpr = 1\b", kernel.text)
    reductions = [prefix for prefix in prefixes if prefix.startswith("r")]
    for limit, odd in ((20_000, 0), (6_000, 1), (400, 0)):
        numels = dict(whole)
        space = 1
        for prefix in reductions:
            numels[prefix] = min(whole[prefix], (600 if len(reductions) == 1 else 40) + odd)
            space *= numels[prefix]
        others = [prefix for prefix in prefixes if prefix not in reductions]
        each = max(1, int((limit / space) ** (1 / max(1, len(others))))) if not one_program_a_row else 23
        for prefix in others:
            numels[prefix] = min(whole[prefix], each + odd)
        yield Sizes(in_whole_blocks(numels) if has_nested_blocks(kernel) else numels, scalars)


def has_nested_blocks(kernel: KernelSource) -> bool:
    """Block pointers with several dimensions for one loop variable, `offsets=[xoffset // 64, xoffset % 64]`: their
    blocks are always powers of two, that the numels are multiples of."""
    return re.search(r"block_shape=\[[^\]]*// ", kernel.text) is not None


def in_whole_blocks(numels: dict[str, int]) -> dict[str, int]:
    return {prefix: 1 << (numel.bit_length() - 1) for prefix, numel in numels.items()}


def check(kernel: KernelSource, accesses: Accesses, at: Sizes) -> tuple[int, int]:
    """(figures that are exact, figures that are bounds). Fails where one does not hold."""
    judge = touched(
        kernel.text,
        kernel.def_name,
        dict(kernel.signature),
        at.numels,
        at.scalars,
        by_name(kernel),
    )
    exact = bounds = 0
    for one in moved(accesses, at.numels, scalars=at.scalars).pointers:
        for what, count, sure, truth in (
            ("read", one.read, one.read_exact, judge.read),
            ("written", one.written, one.written_exact, judge.written),
        ):
            wanted = truth(one.pointer)
            place = f"{kernel.name}: {one.pointer} {what} at {at}"
            assert count is not None, place
            if sure:
                assert one.pointer not in judge.unsure, place
                assert count == wanted, place
                exact += 1
            else:
                assert count >= wanted, place
                assert one.why, place
                bounds += 1
    return exact, bounds


def by_name(kernel: KernelSource) -> dict[str, int]:
    constants = dict(kernel.triton_meta).get("constants")
    items = constants.items() if isinstance(constants, dict) else ()
    return {
        kernel.params[key] if isinstance(key, int) else str(key): v for key, v in items if isinstance(v, int)
    }


def judged(corpus: Path, version: str, *, every: bool) -> tuple[int, int]:
    exact = bounds = 0
    for number, kernel in enumerate(kernels(corpus, version)):
        accesses = analyse(kernel)
        assert isinstance(accesses, Accesses), (kernel.name, accesses)
        several = list(sizes(kernel))
        for at in several if every else several[number % len(several) :][:1]:
            found = check(kernel, accesses, at)
            exact, bounds = exact + found[0], bounds + found[1]
    return exact, bounds


@pytest.mark.parametrize("version", VERSIONS)
def test_each_figure_is_the_judges_or_a_marked_bound(version: str) -> None:
    exact, bounds = judged(CORPUS, version, every=ALL_SIZES)
    assert exact > 20 * bounds > 0


@pytest.mark.parametrize("version", VERSIONS)
def test_the_whole_corpus(version: str, shared: Path) -> None:
    assert shared
    exact, bounds = judged(WHOLE_CORPUS, version, every=ALL_SIZES)
    assert exact > 900
    assert bounds < 0.03 * exact


@pytest.mark.parametrize("version", VERSIONS)
def test_every_kernel_of_the_whole_corpus_is_analysed(version: str, shared: Path) -> None:
    """Issue 4 asks for 99 % and a reason for the rest; so far there is no rest."""
    assert shared
    left_out = {
        k.name: found for k in kernels(WHOLE_CORPUS, version) if isinstance(found := analyse(k), Unanalysed)
    }
    assert left_out == {}


def test_the_judge_notices_a_wrong_count() -> None:
    """A judge that agrees with anything proves nothing: change one stride and it must differ."""
    kernel = next(k for k in kernels(CORPUS, "2.13.0") if k.name == "triton_poi_fused_add_slice_3")
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    at = Sizes({"x": 64 * 300}, {})
    check(kernel, accesses, at)
    nodes = tuple(("int", (), 1) if node == ("int", (), 512) else node for node in accesses.nodes)
    with pytest.raises(AssertionError):
        check(kernel, replace(accesses, nodes=nodes), at)


def test_sizes_are_awkward_too() -> None:
    """Sizes that are no multiple of anything in the text, so that digits are partly filled."""
    odd = [
        at.numels
        for kernel in itertools.islice(kernels(CORPUS, "2.13.0"), 40)
        for at in sizes(kernel)
        if at.numels.get("x", 2) % 2
    ]
    assert len(odd) > 10
