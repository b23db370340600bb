"""How many distinct numbers a union of strided sets holds, exactly, without listing them one by one.

An image is { offset + Σ step·i + Σ v : 0 <= i < count of each stride, v in each scattered list }. Steps that follow
on from each other merge into one stride; a union is counted as a product where the strides of all images nest,
else on a bitmap, one bit an address, made by shifting (an integer of a million bits is fast to shift and to or).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from perfcore.inductor.access.linear import Budget

MAX_BITMAP_BITS: Final = 1 << 27
BITS_A_STEP: Final = 4096
"""Bits that one step of the budget pays for."""

Stride = tuple[int, int]


class Image(NamedTuple):
    """`symbol` names unknown numbers that are added to every element: images with different ones do not mix."""

    offset: int
    strides: tuple[Stride, ...] = ()
    scattered: tuple[tuple[int, ...], ...] = ()
    symbol: tuple[tuple[str, int], ...] = ()

    @property
    def span(self) -> int:
        """Largest element minus smallest."""
        return sum(step * (count - 1) for step, count in self.strides) + sum(
            v[-1] - v[0] for v in self.scattered
        )

    @property
    def first(self) -> int:
        return self.offset + sum(values[0] for values in self.scattered)

    @property
    def most(self) -> int:
        """No more elements than this: one for each way to make one, or one for each place in the span."""
        ways = math.prod(count for _, count in self.strides) * math.prod(len(v) for v in self.scattered)
        return min(ways, self.span + 1)


def image(
    offset: int,
    strides: Iterable[Stride],
    scattered: Iterable[Sequence[int]] = (),
    symbol: tuple[tuple[str, int], ...] = (),
) -> Image:
    """The image in its simplest form: steps positive and rising, strides that continue each other merged."""
    kept: list[Stride] = []
    for step, count in strides:
        if count > 1 and step:
            if step < 0:
                offset += step * (count - 1)
            kept.append((abs(step), count))
    rest: list[tuple[int, ...]] = []
    for values in scattered:
        ordered = sorted(set(values))
        first = ordered[0]
        steps = {b - a for a, b in pairwise(ordered)}
        offset += first
        if len(steps) == 1:
            kept.append((steps.pop(), len(ordered)))
        elif steps:
            rest.append(tuple(value - first for value in ordered))
    return Image(offset, _merged(kept), tuple(sorted(rest)), symbol)


def _merged(strides: list[Stride]) -> tuple[Stride, ...]:
    """{s·i : i < n} + {m·s·j : j < k} with m <= n is the one stride s of n + m·(k − 1) elements."""
    strides.sort()
    merged: list[Stride] = []
    for step, count in strides:
        for place, (below, length) in enumerate(merged):
            times, rest = divmod(step, below)
            if rest == 0 and times <= length:
                merged[place] = (below, length + times * (count - 1))
                break
        else:
            merged.append((step, count))
    return tuple(merged) if len(merged) == len(strides) else _merged(merged)


def count_union(images: Iterable[Image], budget: Budget) -> tuple[int, bool]:
    """(number of distinct elements, True), or (an upper bound, False) where it would take too long."""
    total, exact = 0, True
    by_symbol: dict[tuple[tuple[str, int], ...], list[Image]] = {}
    for one in images:
        by_symbol.setdefault(one.symbol, []).append(one)
    for group in by_symbol.values():
        count, sure = _count_group(group, budget)
        total += count
        exact = exact and sure
    return total, exact and len(by_symbol) < 2


def _count_group(images: list[Image], budget: Budget) -> tuple[int, bool]:
    group = _joined(list(dict.fromkeys(images)))
    factor, group = _without_common_strides(group)
    if len(group) == 1:
        nested = _nested_count(group[0])
        if nested is not None:
            return factor * nested, True
    low = min(one.first for one in group)
    bits = max(one.first + one.span for one in group) - low + 1
    work = sum(len(one.strides) * 2 + 1 + sum(map(len, one.scattered)) for one in group)
    if bits <= MAX_BITMAP_BITS and work * (bits // BITS_A_STEP + 1) <= budget.left:
        budget.spend(work * (bits // BITS_A_STEP + 1))
        return factor * _bitmap_count(group, low), True
    return factor * min(sum(one.most for one in group), bits), False


def _joined(images: list[Image]) -> list[Image]:
    """Images that differ only in their offset, in even steps, are one image with a further stride."""
    alike: dict[tuple[object, object], list[int]] = {}
    for one in images:
        alike.setdefault((one.strides, one.scattered), []).append(one.offset)
    joined: list[Image] = []
    for one in images:
        offsets = alike.pop((one.strides, one.scattered), None)
        if offsets is None:
            continue
        offsets.sort()
        steps = {b - a for a, b in pairwise(offsets)}
        if len(steps) == 1:
            joined.append(
                image(offsets[0], [*one.strides, (steps.pop(), len(offsets))], one.scattered, one.symbol)
            )
        else:
            joined.extend(one._replace(offset=offset) for offset in offsets)
    unique = list(dict.fromkeys(joined))
    return unique if len(unique) == len(images) else _joined(unique)


def _without_common_strides(images: list[Image]) -> tuple[int, list[Image]]:
    """Take out, as a factor, an outermost stride that all images share and that steps over all the rest, and an
    innermost run that they share and that all the rest steps over."""
    factor = 1
    while True:
        shared = _without_outer(images) or _without_inner(images)
        if shared is None:
            return factor, images
        factor *= shared[0]
        images = list(dict.fromkeys(shared[1]))


def _without_outer(images: list[Image]) -> tuple[int, list[Image]] | None:
    step, count = max((one.strides[-1] for one in images if one.strides), default=(0, 0))
    inner: list[Image] = []
    for one in images:
        rest = _split_off(one.strides, step, count)
        if rest is None:
            return None
        inner.append(one._replace(strides=rest))
    reach = max(one.first + one.span for one in inner) - min(one.first for one in inner)
    return (count, inner) if step > reach else None


def _split_off(strides: tuple[Stride, ...], step: int, count: int) -> tuple[Stride, ...] | None:
    """`strides` without (step, count), which may be the upper part of a longer stride."""
    if not strides:
        return None
    below, length = strides[-1]
    times, rest = divmod(step, below)
    if rest or length != times * count:
        return None
    return (*strides[:-1], (below, times)) if times > 1 else strides[:-1]


def _without_inner(images: list[Image]) -> tuple[int, list[Image]] | None:
    run = images[0].strides[0] if images[0].strides else None
    if run is None or any(one.scattered or not one.strides or one.strides[0] != run for one in images):
        return None
    block = run[0] * run[1]
    base = images[0].offset
    outer: list[Image] = []
    for one in images:
        if (one.offset - base) % block or any(step % block for step, _ in one.strides[1:]):
            return None
        strides = tuple((step // block, count) for step, count in one.strides[1:])
        outer.append(Image((one.offset - base) // block, strides, (), one.symbol))
    return run[1], outer


def _nested_count(one: Image) -> int | None:
    """The product of the counts where each step is larger than all that lies below it."""
    below = 0
    product = 1
    parts = [(step, count, step * (count - 1)) for step, count in one.strides]
    for values in one.scattered:
        steps = [b - a for a, b in pairwise(values)]
        parts.append((min(steps), len(values), values[-1]))
    for step, count, reach in sorted(parts):
        if step <= below:
            return None
        below += reach
        product *= count
    return product


def _bitmap_count(images: list[Image], low: int) -> int:
    union = 0
    for one in images:
        bits = 1
        for values in one.scattered:
            made = 0
            for value in values:
                made |= bits << value
            bits = made
        for step, count in one.strides:
            bits = _repeated(bits, step, count)
        union |= bits << (one.first - low - sum(values[0] for values in one.scattered))
    return union.bit_count()


def _repeated(bits: int, step: int, count: int) -> int:
    """`bits` at each multiple of `step` below count·step, by doubling."""
    done = 1
    while done < count:
        more = min(done, count - done)
        bits |= bits << (more * step)
        done += more
    return bits
