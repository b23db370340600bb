"""Benchmark runs are told apart from a model's launches by evidence only."""

from __future__ import annotations

from perfcore.trace.launches import link
from tests.perfcore.trace.plain_reader import read_events
from tests.perfcore.trace.trace_events import ADD, SUM, Event, call, kernel, op


def runs(*configs: str, name: str = ADD, **args: object) -> list[Event]:
    """One cpu_op and one kernel a config, in a row."""
    events = []
    for number, config in enumerate(configs):
        ts = 100 + 50 * number
        events.append(op(name, ts=ts, id=number + 1, kernel_kwargs=config, **args))
        events.append(kernel(name, ts=ts + 30, dur=1, id=number + 1))
    return events


def marks(events: list[Event]) -> list[bool]:
    return [launch.autotuning for launch in link(read_events(events))[0]]


def test_three_configs_in_a_row_then_the_chosen_one() -> None:
    assert marks(runs("A", "B", "C", "B")) == [True, True, True, False]


def test_the_launch_that_follows_the_benchmark_of_the_chosen_config_is_real() -> None:
    assert marks(runs("A", "A", "B", "B", "C", "C", "C")) == [True, True, True, True, True, True, False]


def test_two_configs_are_a_benchmark_only_after_five_runs() -> None:
    assert marks(runs(*"AAAAABBBBBA")) == [True] * 10 + [False]
    assert marks(runs("A", "B", "B")) == [False] * 3


def test_launches_of_the_model_after_the_benchmark_are_real() -> None:
    assert marks(runs(*"AABBCCAAAAA")) == [True] * 6 + [False] * 5


def test_two_sites_that_alternate_between_their_configs_are_real() -> None:
    assert marks(runs(*"ABCABCABC")) == [False] * 9


def test_one_config_is_no_benchmark_however_often() -> None:
    assert marks(runs(*"A" * 20)) == [False] * 20


def test_another_kernel_between_ends_the_series() -> None:
    first, rest = runs("A", "B"), runs("B", "C")
    between = [op(SUM, ts=210, id=70), kernel(SUM, ts=220, id=70)]
    for event in rest:
        event["ts"] += 1000
        event["args"]["External id"] += 50
    assert marks(first + between + rest) == [False] * 5


def test_different_shapes_are_different_launches() -> None:
    events = [
        event
        for number, (config, size) in enumerate([("A", 8), ("B", 16), ("C", 32)])
        for event in [op(ts=100 + 50 * number, id=number, kernel_kwargs=config, n=size)]
    ]
    assert marks(events) == [False] * 3


def test_another_source_of_the_same_name_is_another_kernel() -> None:
    events = [op(ts=100 + 50 * n, id=n, kernel_kwargs="ABC"[n], kernel_hash="xyz"[n]) for n in range(3)]
    assert marks(events) == [False] * 3


def test_kernels_launched_without_a_cpu_op_before_the_first_that_has_one() -> None:
    """Before PyTorch 2.7 benchmark runs are recorded without cpu_ops."""
    events = []
    for number in range(5):
        events += [call(ts=10 + number, corr=number + 1), kernel(ts=20 + 2 * number, dur=1, corr=number + 1)]
    events += [op(ts=100, id=9), call(ts=110, id=9, corr=9), kernel(ts=200, id=9, corr=9)]
    assert marks(events) == [True] * 5 + [False]
    assert marks(events[2:]) == [False] * 5


def test_kernels_queued_before_the_recording_began_have_no_calls_and_are_real() -> None:
    events = [kernel(ts=20 + 2 * number, dur=1, corr=number + 1) for number in range(5)]
    events += [op(ts=100, id=9), call(ts=110, id=9, corr=9), kernel(ts=200, id=9, corr=9)]
    assert marks(events) == [False] * 6
