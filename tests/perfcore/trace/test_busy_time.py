"""Busy time is the union of intervals, exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfcore.trace.busy_time import busy_ns

intervals = st.lists(st.tuples(st.integers(-50, 50), st.integers(-5, 20)).map(lambda p: (p[0], p[0] + p[1])))


def test_one_kernel_is_its_duration_to_the_nanosecond() -> None:
    start = 3_603_029_046_460_717
    assert busy_ns([(start, start + 77_074)]) == 77_074


def test_overlapping_kernels_count_once() -> None:
    assert busy_ns([(0, 5_000), (3_000, 8_000)]) == 8_000


def test_a_kernel_inside_another_adds_nothing() -> None:
    assert busy_ns([(0, 10), (2, 4), (3, 9)]) == 10


def test_gaps_are_not_busy() -> None:
    assert busy_ns([(10, 12), (0, 3), (12, 15)]) == 8


def test_nothing_and_empty_intervals_are_zero() -> None:
    assert busy_ns([]) == 0
    assert busy_ns([(5, 5), (9, 7)]) == 0


@given(intervals)
def test_equals_counting_every_nanosecond(spans: list[tuple[int, int]]) -> None:
    assert busy_ns(spans) == len({t for start, end in spans for t in range(start, end)})


@given(intervals, st.randoms(use_true_random=False), st.integers(-(10**18), 10**18))
def test_order_and_origin_do_not_matter(spans: list[tuple[int, int]], random: object, shift: int) -> None:
    shuffled = [(start + shift, end + shift) for start, end in spans]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert busy_ns(shuffled) == busy_ns(spans)
