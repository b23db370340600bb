"""Where the arguments of replayed kernels come from, and when there are none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfcore.trace.capture import capture_summary, with_captures
from perfcore.trace.find_capture import find_capture
from perfcore.trace.launches import link
from perfcore.trace.model import DeviceProperties, Launch, Trace
from tests.perfcore.trace.plain_reader import read_events
from tests.perfcore.trace.trace_events import ADD, SUM, Event, call, kernel, op

MUL = "triton_poi_fused_mul_2"
Step = tuple[str, int]
"""A kernel's name and the length of its one tensor."""


def captured(*steps: Step, start: float = 100) -> list[Event]:
    """Launches recorded while a graph was captured: cpu_ops with calls, and no GPU kernels."""
    events = []
    for number, (name, n) in enumerate(steps):
        ts, ids = start + 50 * number, {"id": 1000 + number, "corr": int(start) * 100 + number}
        events += [op(name, ts=ts, n=n, id=ids["id"]), call(ts=ts + 5, **ids)]
    return events


def executed(*steps: Step, start: float = 100) -> list[Event]:
    """The same launches, executed: each has its kernel."""
    events = captured(*steps, start=start)
    calls = [event["args"]["correlation"] for event in events if event["cat"] == "cuda_runtime"]
    for number, ((name, _), correlation) in enumerate(zip(steps, calls, strict=True)):
        events.append(kernel(name, ts=start + 50 * number + 20, dur=1, corr=correlation))
    return events


def replayed(*names: str, graph: int = 77, start: float = 90_000) -> list[Event]:
    """One launch of a graph: its kernels share the launch's correlation and External id."""
    launch = call("cudaGraphLaunch", ts=start, id=5, corr=graph)
    return [launch] + [kernel(name, start + 10 + 10 * i, 4, id=5, corr=graph) for i, name in enumerate(names)]


def trace(*events: Event, path: str = "/runs/capture.json.gz", **about: object) -> Trace:
    launches, problems = link(read_events(list(events)))
    return Trace(path, len(events), 0, launches, True, True, problems=problems, **about)  # type: ignore[arg-type]


def replays(events: list[Event], *captures: Trace) -> list[Launch]:
    return [launch for launch in link(read_events(events), captures)[0] if launch.graph_id is not None]


def found(events: list[Event], *captures: Trace) -> list[tuple[str | None, str]]:
    """For each replayed kernel its numel, and the code that says where that is from or why it is unknown."""
    return [
        (
            launch.args.concrete_inputs[-1] if launch.args and launch.args.concrete_inputs else None,
            launch.notes[0].code,
        )
        for launch in replays(events, *captures)
    ]


class TestWithoutACapture:
    def test_each_kernel_is_a_launch_without_arguments_and_says_so(self) -> None:
        launches = replays(replayed(ADD, ADD, ADD))
        assert [(each.name, each.busy_ns, each.args, each.args_from) for each in launches] == [
            (ADD, 4_000, None, "none")
        ] * 3
        assert {note.code for each in launches for note in each.notes} == {"no-capture"}

    @pytest.mark.parametrize(
        "name", ["cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch", "cudaGraphLaunch_v10000"]
    )
    def test_a_graph_of_one_kernel_is_known_by_its_call(self, name: str) -> None:
        (launch,) = replays([call(name, corr=77), kernel(ADD, corr=77)])
        assert launch.graph_id == 77

    def test_two_graph_launches_stay_apart(self) -> None:
        events = replayed(ADD, SUM, graph=77) + replayed(ADD, SUM, graph=78, start=95_000)
        assert [launch.graph_id for launch in replays(events)] == [77, 77, 78, 78]


class TestCapturedInTheSameTrace:
    def test_names_in_the_same_order(self) -> None:
        events = captured((ADD, 8), (SUM, 8), (ADD, 16)) + replayed(ADD, SUM, ADD)
        assert found(events) == [("8", "capture"), ("8", "capture"), ("16", "capture")]

    def test_the_captured_launches_have_no_time_and_say_why(self) -> None:
        launches, _ = link(read_events(captured((ADD, 8)) + replayed(ADD, ADD)))
        assert [(launch.busy_ns, launch.notes[0].code) for launch in launches[:1]] == [(None, "captured")]

    def test_a_warm_up_run_before_the_capture_does_not_confuse(self) -> None:
        events = (
            executed((ADD, 4), (SUM, 4), start=100)
            + captured((ADD, 8), (SUM, 8), start=1000)
            + replayed(ADD, SUM)
        )
        assert found(events) == [("8", "capture")] * 2

    def test_every_replay_has_them(self) -> None:
        events = captured((ADD, 8), (SUM, 8))
        for run in range(3):
            events += replayed(ADD, SUM, graph=77 + run, start=90_000 + 1000 * run)
        assert found(events) == [("8", "capture")] * 6

    def test_a_user_kernel_between_does_not_break_the_sequence(self) -> None:
        events = captured((ADD, 8), ("my_kernel_0", 8), (ADD, 16)) + replayed(ADD, "my_kernel", ADD)
        assert found(events) == [("8", "capture"), ("16", "capture")]

    def test_generic_function_names_go_by_order_alone(self) -> None:
        events = captured((ADD, 8), (SUM, 16)) + replayed("triton_", "triton_")
        assert found(events) == [("8", "capture"), ("16", "capture")]

    def test_cut_names(self) -> None:
        long = "triton_poi_fused_add_mul_native_layer_norm_native_layer_norm_backward_3"
        events = captured((long, 8), (SUM, 16)) + replayed(long[:63], SUM)
        assert found(events) == [("8", "capture"), ("16", "capture")]


class TestCapturedInAnotherTrace:
    def test_names_in_the_same_order_and_the_note_says_where_from(self) -> None:
        (first, _) = replays(replayed(ADD, SUM), trace(*captured((ADD, 8), (SUM, 8))))
        assert (first.args_from, first.args and first.args.concrete_inputs) == ("capture", ("", "8"))
        assert "capture.json.gz" in first.notes[0].text

    def test_a_recording_without_graphs_serves_as_well(self) -> None:
        assert found(replayed(ADD, SUM), trace(*executed((ADD, 8), (SUM, 8)))) == [("8", "capture")] * 2

    def test_the_graph_may_be_a_part_of_the_capture(self) -> None:
        capture = trace(*captured((MUL, 2), (ADD, 8), (SUM, 8), (ADD, 16), (MUL, 4)))
        assert found(replayed(ADD, SUM, ADD), capture) == [
            ("8", "capture"),
            ("8", "capture"),
            ("16", "capture"),
        ]

    def test_one_capture_a_shape_stays_ambiguous(self) -> None:
        """A server captures one graph a batch size; names alone cannot say which was replayed."""
        captures = [trace(*captured((ADD, n), (SUM, 8)), path=f"batch{n}.json") for n in (1, 2)]
        assert found(replayed(ADD, SUM), *captures) == [(None, "capture-ambiguous"), ("8", "capture")]

    def test_two_places_in_one_capture_with_different_shapes_stay_ambiguous(self) -> None:
        capture = trace(*captured((ADD, 8), (SUM, 8)), *captured((ADD, 16), (SUM, 8), start=5000))
        assert found(replayed(ADD, SUM), capture) == [(None, "capture-ambiguous"), ("8", "capture")]

    def test_a_lost_kernel_leaves_what_is_certain(self) -> None:
        """ADD SUM ADD MUL ADD was captured and ADD SUM ADD ADD replayed: every alignment has the first of ADD
        at 8; the later two are those around MUL."""
        capture = trace(*captured((ADD, 8), (SUM, 8), (ADD, 16), (MUL, 8), (ADD, 32)))
        assert found(replayed(ADD, SUM, ADD, ADD), capture) == [
            ("8", "capture-aligned"),
            ("8", "capture-name"),
            ("16", "capture-aligned"),
            ("32", "capture-aligned"),
        ]

    def test_without_order_a_name_with_one_shape_is_used(self) -> None:
        capture = trace(*captured((ADD, 8), (ADD, 8), (SUM, 8), (SUM, 16)))
        assert found(replayed(SUM, MUL, ADD), capture) == [
            (None, "capture-ambiguous"),
            (None, "capture-missing"),
            ("8", "capture-name"),
        ]

    def test_autotuning_runs_in_the_capture_are_left_out(self) -> None:
        runs = captured(*[(ADD, 8)] * 7, (SUM, 8))
        for number, event in enumerate(event for event in runs if event["cat"] == "cpu_op"):
            event["args"]["kernel_kwargs"] = f"XBLOCK={64 << min(number, 3)}"
        ops = [event for event in runs if event["cat"] == "cpu_op"]
        ops[6]["args"]["kernel_kwargs"] = "XBLOCK=64"
        capture = trace(*runs)
        assert [launch.autotuning for launch in capture.launches] == [True] * 6 + [False, False]
        assert found(replayed(ADD, SUM), capture) == [("8", "capture"), ("8", "capture")]

    def test_kernels_without_times_go_by_name(self) -> None:
        events = [call("hipGraphLaunch", corr=77)] + [kernel(name, 0, 0, corr=77) for name in (ADD, SUM)]
        assert found(events, trace(*captured((ADD, 8), (SUM, 8)))) == [("8", "capture-name")] * 2

    def test_its_own_trace_goes_first(self) -> None:
        events = captured((ADD, 8), (SUM, 8)) + replayed(ADD, SUM)
        assert found(events, trace(*captured((ADD, 99), (SUM, 99)))) == [("8", "capture")] * 2


class TestGridsOfReplayedKernels:
    """CUDA writes them. With XBLOCK=64, 640 elements are 10 programs and 1,280 are 20."""

    @staticmethod
    def of_batch(*sizes: int, start: float = 100) -> list[Event]:
        events = captured(*((ADD if n % 2 == 0 else SUM, n) for n in sizes), start=start)
        for event in events:
            if event["cat"] == "cpu_op":
                event["args"]["kernel_kwargs"] = "XBLOCK=64"
        return events

    @staticmethod
    def with_grids(*grids: int) -> list[Event]:
        events = replayed(*[ADD] * len(grids))
        for event, x in zip(events[1:], grids, strict=True):
            event["args"]["grid"] = [x, 1, 1]
        return events

    def test_tell_which_of_several_captures_was_replayed(self) -> None:
        captures = [trace(*self.of_batch(n, 2 * n), path=f"batch{n}") for n in (640, 1280)]
        assert found(self.with_grids(10, 20), *captures) == [("640", "capture"), ("1280", "capture")]
        assert found(self.with_grids(20, 40), *captures) == [("1280", "capture"), ("2560", "capture")]

    def test_tell_also_the_kernels_of_the_same_grid(self) -> None:
        """60 and 62 elements are one program both; the other kernel of the graph tells which they are."""
        captures = [trace(*self.of_batch(*sizes), path=str(sizes)) for sizes in ((60, 640), (62, 1280))]
        assert found(self.with_grids(1, 20), *captures) == [("62", "capture"), ("1280", "capture")]

    def test_a_capture_with_other_shapes_gives_nothing(self) -> None:
        capture = trace(*self.of_batch(60, 640))
        assert found(self.with_grids(1, 20), capture) == [(None, "capture-mismatch")] * 2
        (_, second) = replays(self.with_grids(1, 20), capture)
        assert "triton_poi_fused_add_0's grid 20×1×1" in second.notes[0].text

    def test_tell_kernels_of_no_graph(self) -> None:
        capture = trace(*self.of_batch(640, 1280))
        alone = kernel(ADD, grid=[20, 1, 1])
        (launch,) = link(read_events([alone]), [capture])[0]
        assert launch.args and launch.args.concrete_inputs == ("", "1280")
        assert (launch.grid, launch.notes[0].code) == ((20, 1, 1), "capture-name")

    def test_say_nothing_of_launches_whose_grid_is_not_known(self) -> None:
        capture = trace(*captured((ADD, 640), (ADD, 1280)))
        assert found(self.with_grids(7, 7), capture) == [("640", "capture"), ("1280", "capture")]


class TestGivenLater:
    def test_a_trace_given_its_capture_after_reading_is_as_if_read_with_it(self) -> None:
        capture = trace(*captured((ADD, 8), (SUM, 8)))
        read = trace(*replayed(ADD, SUM), path="replay.json")
        later = with_captures(read, [capture])
        assert later.launches == link(read_events(replayed(ADD, SUM)), [capture])[0]
        assert [problem.message for problem in later.problems] == [
            "2 Triton launches without a cpu_op: 2 with arguments from the capture (names and order agree)."
        ]

    def test_and_may_be_given_another(self) -> None:
        first, second = (trace(*captured((ADD, n), (SUM, n))) for n in (8, 16))
        read = trace(*replayed(ADD, SUM), path="replay.json")
        assert with_captures(with_captures(read, [first]), [second]) == with_captures(read, [second])
        assert with_captures(with_captures(read, [first]), []).launches == read.launches


class TestSummary:
    def test_counts_by_reason(self) -> None:
        capture = trace(*captured((ADD, 8), (SUM, 8), (SUM, 16)))
        launches, problems = link(read_events(replayed(SUM, MUL, ADD)), [capture])
        table = [(row.code, row.launches, row.busy_ns, row.with_args) for row in capture_summary(launches)]
        assert table == [
            ("capture-name", 1, 4_000, 1),
            ("capture-ambiguous", 1, 4_000, 0),
            ("capture-missing", 1, 4_000, 0),
        ]
        assert [problem.code for problem in problems] == ["graph-replay"]

    def test_nothing_replayed_nothing_said(self) -> None:
        launches, problems = link(read_events(executed((ADD, 8))))
        assert capture_summary(launches) == ()
        assert problems == ()


class TestFindingTheCapture:
    REPLAY = trace(*replayed(ADD, SUM), path="replay.json", processes=("851",))

    def test_the_same_process_with_the_same_kernels(self) -> None:
        right = trace(*captured((ADD, 8), (SUM, 8)), processes=("851",))
        other_process = trace(*captured((ADD, 8), (SUM, 8)), path="b", processes=("852",))
        other_kernels = trace(*captured((MUL, 8), (MUL, 16)), path="c", processes=("851",))
        assert find_capture(self.REPLAY, [other_kernels, other_process, right]) is right

    @pytest.mark.parametrize(
        "about",
        [
            {"host": (("rank", "1"),)},
            {"host": (("hip_runtime_version", "70"),)},
            {"host": (("baseTimeNanoseconds", "1700000000000000000"),)},
            {"devices": (DeviceProperties(0, "NVIDIA H100"),)},
        ],
    )
    def test_nothing_that_contradicts(self, about: dict[str, object]) -> None:
        host = (("rank", "0"), ("hip_runtime_version", "71"), ("baseTimeNanoseconds", "1767189312000000000"))
        replay = trace(*replayed(ADD, SUM), path="r", host=host, devices=(DeviceProperties(0, "MI300X"),))
        assert find_capture(replay, [trace(*captured((ADD, 8), (SUM, 8)), **about)]) is None
        assert find_capture(replay, [trace(*captured((ADD, 8), (SUM, 8)), host=host)]) is not None

    def test_more_kernels_in_order_go_before_names(self) -> None:
        by_name = trace(*captured((SUM, 8), (ADD, 8)), path="a")
        in_order = trace(*captured((ADD, 8), (SUM, 8)), path="b")
        assert find_capture(self.REPLAY, [by_name, in_order]) is in_order

    def test_equal_captures_with_different_shapes_are_no_answer(self) -> None:
        captures = [trace(*captured((ADD, n), (SUM, n)), path=f"batch{n}") for n in (1, 2)]
        assert find_capture(self.REPLAY, captures) is None

    def test_equal_captures_with_equal_shapes_go_by_time(self) -> None:
        early = trace(*captured((ADD, 8), (SUM, 8), start=100), path="a")
        late = trace(*captured((ADD, 8), (SUM, 8), start=80_000), path="b")
        assert find_capture(self.REPLAY, [early, late]) is late

    def test_a_trace_without_replays_needs_none(self) -> None:
        plain = trace(*executed((ADD, 8)), path="plain")
        assert find_capture(plain, [trace(*captured((ADD, 8)))]) is None


steps = st.lists(
    st.tuples(st.sampled_from([ADD, SUM, MUL]), st.sampled_from([8, 16])), min_size=2, max_size=9
)


@given(steps, st.integers(0, 8), st.integers(2, 9), st.sets(st.integers(0, 8), max_size=3))
@settings(max_examples=150, deadline=None)
def test_arguments_are_never_wrong(program: list[Step], start: int, length: int, lost: set[int]) -> None:
    """Whatever part of a captured program a graph replays, a kernel that gets arguments gets its own. Where the
    recording lost kernels of the replay, so does every one that is aligned or found by name."""
    part = program[start : start + length] or program
    kept = [step for number, step in enumerate(part) if number not in lost] or part
    answers = found(replayed(*(name for name, _ in kept)), trace(*captured(*program)))
    for (name, n), (numel, code) in zip(kept, answers, strict=True):
        different = len({other_n for other, other_n in program if other == name}) > 1
        if numel is None:
            assert (code, different) == ("capture-ambiguous", True)
        elif code != "capture" or len(kept) == len(part):
            assert numel == str(n)
    if len(kept) == len(program) > 1:
        assert {code for _, code in answers} == {"capture"}
