"""How long the GPU was busy: the union of intervals, in whole nanoseconds, and which of them to believe.

Kernels of one launch may run at the same time on several streams, so their durations must not be added:
two kernels of 5 µs that overlap by 2 µs keep the GPU busy for 8 µs. Integers keep every digit, which floats
of 10¹⁵ µs do not (the profiler's 77.074 µs becomes 77.07421875 when ends and starts are subtracted).
"""

from __future__ import annotations

from collections.abc import Iterable

from perfcore.problem import Note
from perfcore.trace.events import ABSENT

LONGEST_BELIEVED_NS = 60 * 10**9
"""A Triton kernel runs for microseconds to seconds. Tracers write years when a clock or a counter overflows."""

NO_DURATION = Note(
    "no-duration", "The trace does not say how long the GPU kernel ran (its event has no `dur`)."
)
ZERO_DURATION = Note("zero-duration", "The trace says that the GPU kernel took no time at all.")
NEGATIVE_DURATION = Note("negative-duration", "The trace says that the GPU kernel ended before it began.")
UNBELIEVABLE_DURATION = Note(
    "unbelievable-duration",
    "The trace says that the GPU kernel ran for more than a minute, which is no kernel time.",
)
DURATION_NOTES = (NO_DURATION, ZERO_DURATION, NEGATIVE_DURATION, UNBELIEVABLE_DURATION)


def doubt(dur_ns: int) -> Note | None:
    """Why a GPU kernel's duration cannot be used for a rate, or None when it can."""
    if 0 < dur_ns <= LONGEST_BELIEVED_NS:
        return None
    if dur_ns == ABSENT:
        return NO_DURATION
    if dur_ns == 0:
        return ZERO_DURATION
    return NEGATIVE_DURATION if dur_ns < 0 else UNBELIEVABLE_DURATION


def busy_ns(intervals: Iterable[tuple[int, int]]) -> int:
    """The length of the union of half-open intervals (start_ns, end_ns); an interval that does not end
    after its start is empty."""
    total = 0
    covered_until: int | None = None
    for start, end in sorted(intervals):
        if covered_until is None or start > covered_until:
            covered_until = start
        if end > covered_until:
            total += end - covered_until
            covered_until = end
    return total
