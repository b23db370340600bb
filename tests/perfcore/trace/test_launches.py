"""Which kernel belongs to which launch, in every way in which traces say so, or fail to."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from perfcore.trace.launches import link
from perfcore.trace.model import Launch, Place
from tests.perfcore.trace.plain_reader import read_events
from tests.perfcore.trace.trace_events import ADD, SUM, Event, call, flow, kernel, op


def launches(*events: Event) -> tuple[Launch, ...]:
    return link(read_events(list(events)))[0]


def busy(*events: Event) -> list[tuple[str, int | None]]:
    return [(launch.name, launch.busy_ns) for launch in launches(*events)]


def codes(launch: Launch) -> list[str]:
    return [note.code for note in launch.notes]


def numel(launch: Launch) -> str | None:
    return launch.args.concrete_inputs[-1] if launch.args and launch.args.concrete_inputs else None


class TestIdsThatTieAnOpToItsKernel:
    def test_external_id_alone(self) -> None:
        (launch,) = launches(op(id=3), kernel(id=3))
        assert (launch.busy_ns, launch.args_from, numel(launch)) == (9_250, "op", "1024")
        assert (launch.device, launch.stream, launch.graph_id, launch.notes) == (0, "7", None, ())
        assert (launch.place.event_index, [place.event_index for place in launch.gpu_places]) == (0, [1])

    def test_correlation_through_the_call_inside_the_op(self) -> None:
        assert busy(op(), call(ts=110, corr=35), kernel(corr=35)) == [(ADD, 9_250)]

    def test_correlation_through_a_call_on_another_thread_with_the_ops_external_id(self) -> None:
        assert busy(op(id=3), call(ts=500, tid=99, id=3, corr=35), kernel(ts=600, corr=35)) == [(ADD, 9_250)]

    def test_correlation_on_the_op_itself(self) -> None:
        assert busy(op(corr=35), kernel(corr=35)) == [(ADD, 9_250)]

    def test_flow_from_inside_the_op_to_the_kernel(self) -> None:
        assert busy(op(), flow("s", 9, 112), kernel(), flow("f", 9, 200, pid=0, tid=7)) == [(ADD, 9_250)]

    def test_flow_from_a_call_on_another_thread_with_the_ops_external_id(self) -> None:
        far = [call(ts=500, tid=99, id=3), flow("s", 9, 500, tid=99)]
        assert busy(op(id=3), *far, kernel(ts=600), flow("f", 9, 600, pid=0, tid=7)) == [(ADD, 9_250)]

    def test_a_flow_may_end_anywhere_within_its_kernel(self) -> None:
        assert busy(op(), flow("s", 9, 112), kernel(), flow("f", 9, 205, pid=0, tid=7)) == [(ADD, 9_250)]
        outside = busy(op(), flow("s", 9, 112), kernel(SUM), flow("f", 9, 210, pid=0, tid=7))
        assert outside == [(ADD, None), (SUM, 9_250)]

    def test_ids_of_64_bits_that_look_negative(self) -> None:
        assert busy(op(id=-12345), kernel(id=-12345)) == [(ADD, 9_250)]
        assert busy(op(), call(corr=-7), kernel(corr=-7)) == [(ADD, 9_250)]

    def test_an_old_profilers_lower_case_external_id(self) -> None:
        event = kernel()
        event["args"]["external id"] = 3
        assert busy(op(id=3), event) == [(ADD, 9_250)]

    def test_a_call_that_outlives_its_op(self) -> None:
        late = call(ts=129.9, corr=35)
        late["dur"] = 100
        assert busy(op(dur=30), late, kernel(ts=400, corr=35)) == [(ADD, 9_250)]

    def test_an_op_without_a_duration_lasts_until_the_next_op(self) -> None:
        assert busy(
            op(ADD, ts=100, dur=None),
            call(ts=110, corr=1),
            op(SUM, ts=200, dur=None),
            call(ts=210, corr=2),
            kernel(ADD, ts=300, dur=1, corr=1),
            kernel(SUM, ts=310, dur=2, corr=2),
        ) == [(ADD, 1_000), (SUM, 2_000)]

    def test_the_innermost_op_owns_the_call(self) -> None:
        inner = [op(SUM, ts=110, dur=10), call(ts=115, corr=2), kernel(SUM, dur=2, corr=2)]
        outer = [op(ADD, ts=100, dur=90), call(ts=150, corr=1), kernel(ADD, dur=1, corr=1)]
        assert busy(*outer, *inner) == [(ADD, 1_000), (SUM, 2_000)]


class TestIdsThatMislead:
    def test_a_flows_end_on_the_cpu_thread_is_no_kernel(self) -> None:
        """ROCm ends flows at the runtime call, on the CPU's thread."""
        found = launches(op(), flow("s", 9, 112), flow("f", 9, 112), kernel(SUM, corr=9))
        assert [(launch.name, launch.busy_ns) for launch in found] == [(ADD, None), (SUM, 9_250)]

    def test_two_sessions_with_the_same_external_id(self) -> None:
        events = (
            op(ts=100, id=3, n=8),
            op(ts=500, id=3, n=16),
            kernel(ts=150, dur=1, id=3),
            kernel(ts=550, dur=2, id=3),
        )
        assert [(numel(launch), launch.busy_ns) for launch in launches(*events)] == [
            ("8", 1_000),
            ("16", 2_000),
        ]

    def test_two_ranks_with_the_same_correlation(self) -> None:
        rank0 = [op(ts=100, tid=1, n=8), call(ts=110, tid=1, corr=5), kernel(ts=150, dur=1, corr=5)]
        rank1 = [op(ts=101, tid=2, n=16), call(ts=111, tid=2, corr=5), kernel(ts=151, dur=2, corr=5)]
        found = launches(*rank0, *rank1)
        assert [(numel(launch), launch.busy_ns) for launch in found] == [("8", 1_000), ("16", 2_000)]

    def test_an_op_whose_call_is_inside_goes_before_one_that_shares_the_external_id(self) -> None:
        found = launches(
            op(ts=50, dur=10, id=3, n=8), op(ts=100, id=3, n=16), call(id=3, corr=35), kernel(id=3, corr=35)
        )
        assert [(numel(launch), launch.busy_ns) for launch in found] == [("8", None), ("16", 9_250)]

    def test_external_id_zero_means_none(self) -> None:
        found = launches(op(ts=100, id=0, n=8), kernel(SUM, ts=150, id=0), kernel(ADD, ts=160, id=0, dur=2))
        assert [(launch.name, launch.busy_ns) for launch in found] == [(ADD, 2_000), (SUM, 9_250)]

    def test_kernels_of_a_graph_are_not_the_op_that_shares_their_external_id(self) -> None:
        graph = call("cudaGraphLaunch", id=3, corr=77)
        replays = [kernel(ADD, ts=200 + 10 * i, dur=4, id=3, corr=77) for i in range(3)]
        found = launches(op(id=3), graph, *replays)
        assert [(launch.busy_ns, launch.graph_id) for launch in found] == [(None, None)] + [(4_000, 77)] * 3

    def test_a_graph_without_its_call_is_known_by_the_different_kernels_of_one_correlation(self) -> None:
        replays = [kernel(ADD, ts=200, id=3, corr=77), kernel(SUM, ts=220, id=3, corr=77)]
        found = launches(op(ADD, id=3), *replays)
        assert [(launch.name, launch.graph_id) for launch in found] == [(ADD, None), (ADD, 77), (SUM, 77)]

    def test_two_merged_files_without_calls_that_share_a_correlation_are_no_graph(self) -> None:
        one = [op(ADD, ts=100, id=3), kernel(ADD, ts=150, id=3, corr=35, dur=1)]
        other = [op(SUM, ts=900, id=4), kernel(SUM, ts=950, id=4, corr=35, dur=2)]
        assert busy(*one, *other) == [(ADD, 1_000), (SUM, 2_000)]

    def test_a_graphs_kernels_may_share_its_external_id_only(self) -> None:
        graph = call("hipGraphLaunch", id=3, corr=77)
        replays = [kernel(name, ts=200 + 10 * i, id=3, corr=80 + i) for i, name in enumerate((ADD, SUM))]
        eager = [call(id=3, corr=90), kernel(SUM, ts=300, id=3, corr=90)]
        assert [launch.graph_id for launch in launches(graph, *replays, *eager)] == [77, 77, None]

    def test_an_id_that_a_crowd_shares_is_none(self) -> None:
        """Twenty ops and kernels, all with External id 3: only names and order are left to go by."""
        ops = [op((ADD, SUM)[number % 2], ts=100 * number + 1, id=3, n=number) for number in range(20)]
        kernels = [
            kernel((ADD, SUM)[number % 2], ts=100 * number + 50, dur=number + 1, id=3) for number in range(20)
        ]
        found = launches(*ops, *kernels)
        assert [(numel(launch), launch.busy_ns) for launch in found] == [
            (str(number), 1_000 * (number + 1)) for number in range(20)
        ]
        assert {code for launch in found for code in codes(launch)} == {"linked-by-order"}

    def test_a_correlation_that_a_crowd_of_calls_shares_is_none(self) -> None:
        events = []
        for number in range(20):
            ts = 100 * number + 1
            events += [
                op(ts=ts, n=number),
                call(ts=ts + 5, corr=35),
                kernel(ts=ts + 50, dur=number + 1, corr=35),
            ]
        found = launches(*events)
        assert [launch.busy_ns for launch in found] == [1_000 * (number + 1) for number in range(20)]

    def test_a_tie_that_time_cannot_break_links_nothing(self) -> None:
        events = [op(ts=100 + i, dur=1, id=3, n=8 + i) for i in range(2)]
        events += [kernel(ts=200 + 10 * i, id=3, corr=5 + i) for i in range(3)]
        found = launches(*events)
        assert [codes(launch) for launch in found[:2]] == [["ambiguous-link", "no-gpu-kernel"]] * 2
        assert [launch.args_from for launch in found[2:]] == ["none"] * 3

    def test_a_tie_between_equal_arguments_loses_nothing(self) -> None:
        events = [op(ts=100 + i, dur=1, id=3) for i in range(2)]
        events += [kernel(ts=200 + 10 * i, id=3, corr=5 + i, dur=1) for i in range(3)]
        assert sum(launch.busy_ns or 0 for launch in launches(*events)) == 3_000


class TestSeveralKernelsUnderOneOp:
    def test_all_count_and_overlaps_count_once(self) -> None:
        """5 µs on one stream, 5 µs on another from 3 µs later: 8 µs busy."""
        (launch,) = launches(
            op(id=3), kernel(ts=200, dur=5, id=3, stream=7), kernel(ts=203, dur=5, id=3, stream=8)
        )
        assert (launch.busy_ns, len(launch.gpu_places)) == (8_000, 2)

    def test_of_one_correlation(self) -> None:
        pair = [kernel(ts=200, dur=5, corr=35), kernel(ts=300, dur=4, corr=35)]
        assert busy(op(), call(corr=35), *pair) == [(ADD, 9_000)]

    def test_a_fill_is_not_the_kernel(self) -> None:
        fill = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int> >(int)"
        (launch,) = launches(
            op(id=3),
            call(ts=105, id=3, corr=1),
            kernel(fill, ts=190, dur=3, id=3, corr=1),
            kernel(ts=200, id=3, corr=2),
        )
        assert (launch.busy_ns, codes(launch)) == (9_250, ["other-kernels"])
        assert "1 × void at::native" in launch.notes[0].text

    def test_another_inductor_kernel_under_the_op_is_a_launch_of_its_own(self) -> None:
        found = launches(op(ADD, id=3), kernel(ADD, ts=200, id=3, corr=1), kernel(SUM, ts=210, id=3, corr=2))
        assert [(launch.name, launch.busy_ns, launch.args_from) for launch in found][1:] == [
            (SUM, 9_250, "none")
        ]

    def test_a_kernel_of_another_name_is_taken_when_none_agrees(self) -> None:
        (launch,) = launches(op("triton_for_fused_0"), call(corr=1), kernel("combo_kernel", corr=1))
        assert (launch.name, launch.busy_ns, codes(launch)) == (
            "triton_for_fused_0",
            9_250,
            ["kernel-name-differs"],
        )

    def test_of_other_names_the_last_launched_is_taken(self) -> None:
        (launch,) = launches(
            op("my_op_0"),
            call(ts=105, corr=1),
            call(ts=115, corr=2),
            kernel("zero_workspace", ts=200, dur=1, corr=1),
            kernel("real_work", ts=210, dur=2, corr=2),
        )
        assert (launch.busy_ns, codes(launch)) == (2_000, ["kernel-name-differs", "other-kernels"])

    def test_a_library_kernel_is_never_taken(self) -> None:
        for library in (
            "Cijk_Ailk_Bljk",
            "_ZN7ck_tile6kentry",
            "ncclDevKernel_AllReduce",
            "__amd_rocclr_fillBuffer.kd",
        ):
            (launch,) = launches(op(id=3), call(id=3, corr=1), kernel(library, id=3, corr=1))
            assert (launch.busy_ns, codes(launch)) == (None, ["no-gpu-kernel"])

    def test_a_flushed_benchmark_under_one_op_leaves_its_last_run(self) -> None:
        flush = "void at::native::vectorized_elementwise_kernel<4, FillFunctor>(int)"
        events = [op(dur=1000, id=3)]
        for run in range(4):
            events.append(call(ts=110 + 20 * run, id=3, corr=10 + run))
            events.append(kernel(ts=200 + 20 * run, dur=1 + run, id=3, corr=10 + run))
            if run < 3:
                events.append(kernel(flush, ts=210 + 20 * run, dur=1, id=3, corr=50 + run))
        found = launches(*events)
        assert [(launch.busy_ns, launch.autotuning) for launch in found] == [
            (4_000, False),
            (1_000, True),
            (2_000, True),
            (3_000, True),
        ]
        assert codes(found[0]) == ["benchmarked-in-launch", "other-kernels"]


class TestNames:
    LONG = "triton_per_fused__to_copy_add_mul_native_layer_norm_native_layer_norm_backward_select_sum_view_12"

    @pytest.mark.parametrize(
        ("recorded", "function"),
        [
            (ADD, ADD + ".kd"),
            (LONG, LONG[:63]),
            (LONG, LONG[:40] + "..."),
            (LONG[:63], LONG),
            (ADD, "triton_"),
            (ADD, "triton_0"),
            (ADD, "triton__0d1d2d3de"),
            (ADD, ADD + "_0d1d2d3de"),
            ("my_tuned_kernel_0", "my_tuned_kernel"),
            ("triton kernel", ADD),
        ],
    )
    def test_agree(self, recorded: str, function: str) -> None:
        assert busy(op(recorded, id=3), kernel(function, id=3)) == [(recorded, 9_250)]

    @pytest.mark.parametrize(
        "function", [SUM, ADD + "1", "triton_poi_fused_add_relu_0", "triton_poi_fused_ad"]
    )
    def test_disagree(self, function: str) -> None:
        assert busy(op(ADD, id=3), kernel(function, id=3))[0] == (ADD, None)

    def test_a_python_path_or_a_library_called_triton_is_no_launch(self) -> None:
        assert busy(kernel("triton_kernels/matmul.py(3): run"), kernel("void triton_sum<4>(int)")) == []


class TestTracesWithoutIds:
    def test_names_and_order_of_time(self) -> None:
        found = launches(
            op(ADD, ts=100, n=8), op(SUM, ts=140, n=8), op(ADD, ts=180, n=16),
            kernel(ADD, ts=300, dur=1), kernel(SUM, ts=310, dur=2), kernel(ADD, ts=320, dur=3),
        )  # fmt: skip
        assert [(launch.name, numel(launch), launch.busy_ns) for launch in found] == [
            (ADD, "8", 1_000),
            (SUM, "8", 2_000),
            (ADD, "16", 3_000),
        ]
        assert codes(found[0]) == ["linked-by-order"]

    def test_generic_names_in_equal_number_pair_by_order(self) -> None:
        ops = [op(ADD, ts=100), op(SUM, ts=140)]
        kernels = [kernel("triton_", ts=300, dur=1), kernel("triton_", ts=310, dur=2)]
        assert busy(*ops, *kernels) == [(ADD, 1_000), (SUM, 2_000)]

    def test_generic_names_in_another_number_are_left_alone(self) -> None:
        ops = [op(ADD, ts=100), op(SUM, ts=140)]
        kernels = [kernel("triton_", ts=300 + 10 * number) for number in range(3)]
        assert busy(*ops, *kernels) == [(ADD, None), (SUM, None)] + [("triton_", 9_250)] * 3

    def test_a_missing_kernel_is_found_by_time(self) -> None:
        found = launches(
            op(ts=100, n=8), op(ts=500, n=16), op(ts=900, n=32), kernel(ts=150, dur=1), kernel(ts=950, dur=3)
        )
        assert [(numel(launch), launch.busy_ns) for launch in found] == [
            ("8", 1_000),
            ("16", None),
            ("32", 3_000),
        ]

    def test_more_kernels_than_ops_with_different_arguments_are_left_alone(self) -> None:
        found = launches(op(ts=100, n=8), op(ts=101, n=16), *(kernel(ts=200 + i, dur=0.5) for i in range(3)))
        assert [launch.args_from for launch in found] == ["op", "op", "none", "none", "none"]
        assert all(launch.busy_ns is None for launch in found[:2])

    def test_a_launch_whose_own_kernel_is_missing_does_not_take_anothers(self) -> None:
        """The op's call says correlation 1; the kernel says 2: they can be compared, and are not the same."""
        found = launches(
            op(), call(corr=1), call("cuLaunchKernel", ts=400, tid=5, corr=2), kernel(ts=450, corr=2)
        )
        assert found[0].busy_ns is None
        assert codes(found[0]) == ["no-gpu-kernel"]


class TestDurations:
    @pytest.mark.parametrize(
        ("dur", "code"),
        [
            (0, "zero-duration"),
            (-4, "negative-duration"),
            (1e13, "unbelievable-duration"),
            (None, "no-duration"),
        ],
    )
    def test_that_cannot_be_believed_are_kept_unrated_and_said(self, dur: float | None, code: str) -> None:
        found, problems = link(read_events([op(id=3), kernel(id=3, dur=dur)]))
        assert (found[0].busy_ns, codes(found[0])) == (None, [code])
        assert [(problem.code, problem.severity) for problem in problems] == [(code, "warning")]

    def test_a_kernel_at_time_zero_of_length_zero_is_still_linked(self) -> None:
        (launch,) = launches(op(id=3), kernel(id=3, ts=0, dur=0))
        assert (launch.busy_ns, len(launch.gpu_places)) == (None, 1)

    def test_one_bad_of_two_makes_the_sum_unknown(self) -> None:
        (launch,) = launches(op(id=3), kernel(id=3, dur=5), kernel(id=3, ts=300, dur=0))
        assert (launch.busy_ns, codes(launch)) == (None, ["zero-duration"])

    def test_one_warning_a_kind_names_the_first_launch(self) -> None:
        _, problems = link(
            read_events([kernel(ADD, ts=9, dur=0), kernel(SUM, ts=5, dur=0), kernel(SUM, ts=1, dur=2)])
        )
        warnings = [problem for problem in problems if problem.severity == "warning"]
        assert len(warnings) == 1
        assert f"No usable time for 2 of 3 launches; the first is {SUM}" in warnings[0].message


class TestRegisters:
    """CUPTI's kernels say how many registers a thread uses; 255 are all there are."""

    @pytest.mark.parametrize(("registers", "noted"), [(255, ["register-limit"]), (254, []), (0, [])])
    def test_a_kernel_that_uses_all_of_them_probably_spills(self, registers: int, noted: list[str]) -> None:
        (launch,) = launches(op(id=3), kernel(id=3, **{"registers per thread": registers}))
        assert codes(launch) == noted

    def test_so_does_one_without_a_cpu_op(self) -> None:
        (launch,) = launches(kernel(corr=3, **{"registers per thread": 255}))
        assert "register-limit" in codes(launch)

    def test_a_trace_that_does_not_say_has_no_note(self) -> None:
        assert [codes(launch) for launch in launches(op(id=3), kernel(id=3))] == [[]]


class TestDamage:
    def test_events_without_args(self) -> None:
        bare_op = {"ph": "X", "cat": "cpu_op", "name": ADD, "pid": 11, "tid": 11, "ts": 100, "dur": 30}
        bare_kernel = {"ph": "X", "cat": "kernel", "name": ADD, "pid": 0, "tid": 7, "ts": 200, "dur": 9.25}
        assert busy(bare_op, bare_kernel) == [(ADD, 9_250)]

    def test_the_same_event_twice_is_one(self) -> None:
        events = [op(id=3), call(id=3, corr=35), kernel(id=3, corr=35)]
        found, problems = link(read_events(events + events))
        assert [(launch.busy_ns, len(launch.gpu_places)) for launch in found] == [(9_250, 1)]
        assert [problem.code for problem in problems] == ["duplicate-events"]

    def test_an_op_without_a_kernel_is_a_launch_without_a_time(self) -> None:
        (launch,) = launches(op(id=3))
        assert (launch.busy_ns, launch.args_from, codes(launch)) == (None, "op", ["no-gpu-kernel"])

    def test_a_kernel_without_cpu_activity_is_a_launch_without_arguments(self) -> None:
        (launch,) = launches(kernel(ADD + ".kd", corr=35))
        assert (launch.name, launch.busy_ns, launch.args, launch.args_from) == (ADD, 9_250, None, "none")
        assert codes(launch) == ["no-cpu-op"]

    def test_device_and_stream_may_be_missing_or_no_number(self) -> None:
        event = kernel(id=3)
        event["args"] = {"External id": 3, "device": "xpu:0"}
        (launch,) = launches(op(id=3), event)
        assert (launch.device, launch.stream) == (None, None)


# Properties


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Event], list[tuple[str, int]]]:
    """A stream of launches with some of the ids that a profiler may write, and each launch's true busy time."""
    by_external = draw(st.booleans())
    by_call = draw(st.booleans()) or not by_external
    with_flow = draw(st.booleans())
    suffix = draw(st.sampled_from(["", ".kd"]))
    events: list[Event] = []
    truth: list[tuple[str, int]] = []
    gpu = 10_000
    for number in range(draw(st.integers(1, 12))):
        name = draw(st.sampled_from([ADD, SUM, "triton_per_fused__softmax_2"]))
        ids: dict[str, Any] = {"id": 50 + number} if by_external else {}
        ts = 100 * number + 1
        events.append(op(name, ts=ts, dur=50, n=draw(st.sampled_from([8, 16])), **ids))
        correlation = {"corr": 700 + number} if by_call else {}
        if by_call:
            events.append(call(ts=ts + 10, **correlation, **ids))
        spans: set[int] = set()
        for part in range(draw(st.integers(1, 3))):
            start = gpu + draw(st.integers(0, 9))
            length = draw(st.integers(1, 9))
            events.append(kernel(name + suffix, ts=start, dur=length, stream=7 + part, **correlation, **ids))
            spans.update(range(start, start + length))
            if with_flow:
                events.append(flow("f", 700 + number, start, pid=0, tid=7 + part))
        if with_flow:
            events.append(flow("s", 700 + number, ts + 10))
        gpu += draw(st.integers(5, 40))
        truth.append((name, 1_000 * len(spans)))
    return events, truth


def described(found: tuple[Launch, ...]) -> list[str]:
    """The launches in order, without their places in the file, which shuffling changes."""
    unplaced = [(replace(each, place=Place(0, 0, 0), gpu_places=()), len(each.gpu_places)) for each in found]
    return list(map(repr, unplaced))


@given(worlds())
@settings(max_examples=60, deadline=None)
def test_each_launch_gets_the_union_of_its_kernels(world: tuple[list[Event], list[tuple[str, int]]]) -> None:
    events, truth = world
    assert busy(*events) == truth


@given(worlds(), st.randoms(use_true_random=False), st.sets(st.integers(0, 80), max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_order_of_events_in_the_file_never_matters(
    world: tuple[list[Event], list[tuple[str, int]]], rng: random.Random, lost: set[int]
) -> None:
    kept = [event for number, event in enumerate(world[0]) if number not in lost]
    shuffled = list(kept)
    rng.shuffle(shuffled)
    assert described(launches(*shuffled)) == described(launches(*kept))


@pytest.mark.parametrize(
    "events",
    [
        # Two captured ops of one time, told apart by their arguments alone; replays told apart by their lengths.
        [
            op("triton_", 0, 9, n=1, id=1),
            op("triton_", 0, 9, n=0, id=1),
            kernel("triton_", 2, None, corr=1),
            kernel("triton_", 2, 10**13, corr=1),
        ],
        # Two captured ops of one time, and the graph that replays them.
        [
            op("triton_", 3, -1, id=2),
            op(ADD, 3, 9, id=1, corr=2),
            kernel(ADD, 1, 5, corr=1),
            kernel("triton_", 2, 5, corr=1),
        ],
        # One op that launched two graphs, whose kernels have its External id only.
        [
            call("hipGraphLaunch", 0, id=1, corr=1),
            call("hipGraphLaunch", 0, id=1, corr=2),
            kernel(ADD, 2, 5, id=1),
            kernel(SUM, 3, 5, id=1),
        ],
    ],
)
def test_events_of_the_same_time_have_an_order_that_is_not_the_file_s(events: list[Event]) -> None:
    assert len({tuple(described(launches(*order))) for order in permutations(events)}) == 1


ids = st.one_of(st.none(), st.integers(-1, 4))
names = st.sampled_from(
    [ADD, SUM, "triton_", ADD + ".kd", "void fill<int>(int)", "my_kernel", "my_kernel_0", ""]
)
times = st.integers(-3, 30)
lengths = st.one_of(st.none(), st.integers(-5, 20), st.just(10**13))


@st.composite
def anything(draw: st.DrawFn) -> Event:
    given_ids = {key: value for key in ("id", "corr") if (value := draw(ids)) is not None}
    kind = draw(st.sampled_from(["op", "call", "kernel", "flow"]))
    if kind == "op":
        return op(
            draw(names),
            draw(times),
            draw(lengths),
            tid=draw(st.integers(1, 2)),
            n=draw(ids) or 0,
            **given_ids,
        )
    if kind == "call":
        name = draw(st.sampled_from(["cuLaunchKernel", "hipGraphLaunch"]))
        return call(name, draw(times), tid=draw(st.integers(1, 2)), **given_ids)
    if kind == "kernel":
        return kernel(draw(names), draw(times), draw(lengths), stream=draw(st.integers(7, 8)), **given_ids)
    ends = draw(st.sampled_from([(11, 1), (11, 2), (0, 7)]))
    return flow(draw(st.sampled_from("stf")), draw(st.integers(0, 4)), draw(times), pid=ends[0], tid=ends[1])


@given(st.lists(anything(), max_size=14), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_nonsense_neither_crashes_nor_depends_on_order_nor_counts_a_kernel_twice(
    events: list[Event], rng: random.Random
) -> None:
    found = launches(*events)
    places = [place.event_index for launch in found for place in launch.gpu_places]
    assert len(places) == len(set(places))
    assert list(found) == sorted(found, key=lambda launch: launch.ts_ns)
    assert all(launch.busy_ns is None or launch.busy_ns > 0 for launch in found)
    shuffled = list(events)
    rng.shuffle(shuffled)
    assert described(launches(*shuffled)) == described(found)
