"""How long the GPU was busy: the union of intervals, in whole nanoseconds.

Kernels of one launch may run at the same time on several streams, so their durations must not be added:
two kernels of 5 µs that overlap by 2 µs keep the GPU busy for 8 µs. Integers keep every digit, which floats
of 10¹⁵ µs do not (the profiler's 77.074 µs becomes 77.07421875 when ends and starts are subtracted).
"""

from __future__ import annotations

from collections.abc import Iterable


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
