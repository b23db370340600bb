"""Order of time that does not depend on the order of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any


def by_time(times: Sequence[int], said: Callable[[int], tuple[Any, ...]]) -> list[int]:
    """The numbers of `times` in their order; those of the same time by all else that is `said` of them, which is asked
    for these only."""
    order = sorted(range(len(times)), key=times.__getitem__)
    repeated = {one for one, next_one in pairwise(map(times.__getitem__, order)) if one == next_one}
    if not repeated:
        return order
    tied = [number for number in order if times[number] in repeated]
    settled = iter(sorted(tied, key=lambda number: (times[number], said(number))))
    return [next(settled) if times[number] in repeated else number for number in order]
