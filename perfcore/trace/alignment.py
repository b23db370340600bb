"""What all longest common subsequences of two sequences agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

_MOST_CELLS = 100_000_000
"""len(one) × len(other): the bits that one pass keeps, 12 MB."""
_MOST_CHECKS = 4_000_000
"""len(wanted) × len(other): about half a second."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """`length` of the longest common subsequence. `possible` gives, for each wanted position that every longest
    alignment matches, all positions in the other sequence that some longest alignment matches it with."""

    length: int
    possible: dict[int, list[int]]


def certain_matches(one: str, other: str, wanted: Sequence[int]) -> Alignment | None:
    """Align two sequences of symbols; None where that would take too long.

    With F(i, j) and B(i, j) the longest common subsequences of the first i and j symbols and of those from i and
    j on, `one[i]` matches `other[j]` in some longest alignment when F(i, j) + 1 + B(i+1, j+1) is the length of all,
    and in every one when no j has F(i, j) + B(i+1, j) as long.
    """
    if len(one) * len(other) > _MOST_CELLS or len(wanted) * len(other) > _MOST_CHECKS:
        return None
    before = _lengths(one, other)
    after = _lengths(one[::-1], other[::-1])
    size = len(other)
    length = (before[-1] ^ ((1 << size) - 1)).bit_count()
    places: dict[str, list[int]] = {}
    for place, symbol in enumerate(other):
        places.setdefault(symbol, []).append(place)
    possible: dict[int, list[int]] = {}
    for i in wanted:
        head = _prefix_counts(before[i], size)
        tail = _prefix_counts(after[len(one) - i - 1], size)[::-1]
        if max(map(int.__add__, head, tail)) < length:
            possible[i] = [j for j in places.get(one[i], ()) if head[j] + 1 + tail[j + 1] == length]
    return Alignment(length, possible)


def _lengths(one: str, other: str) -> list[int]:
    """Row i is a bit vector whose zeros among its lowest j bits number the longest common subsequence of the
    first i symbols of `one` and the first j of `other` (the bit-parallel recurrence of Hyyrö)."""
    full = (1 << len(other)) - 1
    where: dict[str, int] = dict.fromkeys(other, 0)
    for place, symbol in enumerate(other):
        where[symbol] |= 1 << place
    row = full
    rows = [row]
    for symbol in one:
        met = row & where.get(symbol, 0)
        row = ((row + met) | (row - met)) & full
        rows.append(row)
    return rows


def _prefix_counts(row: int, size: int) -> list[int]:
    """Zeros among the lowest 0, 1, … `size` bits."""
    bits = f"{row:0{size}b}"[::-1] if size else ""
    return [0, *accumulate(bit == "0" for bit in bits)]
