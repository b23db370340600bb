"""Each file of tests/inputs, as its README's rows say: what was kept, what was lost, and what was said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from perfcore.trace import read_trace
from perfcore.trace.model import Launch, Trace

INPUTS = Path(__file__).parents[2] / "inputs"
GOOD_SHAPES = ((1048576,), (1048576,), (1048576,), ())


def read(name: str) -> Trace:
    return read_trace(INPUTS / name)


def codes(trace: Trace) -> list[tuple[str, str]]:
    return [(problem.code, problem.severity) for problem in trace.problems]


def assert_good(launch: Launch, event_index: int, trace: Trace) -> None:
    """The launch `triton_poi_fused_add_0` with all that its figures need, at its place in the file."""
    assert (launch.name, launch.busy_ns) == ("triton_poi_fused_add_0", 9_250)
    assert launch.args is not None
    assert launch.args.input_dims == GOOD_SHAPES
    assert launch.args.input_types == ("float", "float", "float", "Scalar")
    assert launch.args.concrete_inputs == ("", "", "", "1048576")
    assert launch.place.event_index == event_index
    text = Path(trace.path).read_bytes()
    if not trace.path.endswith(".gz"):
        event = text[launch.place.offset : launch.place.offset + launch.place.length]
        assert json.loads(event)["args"]["Input Dims"] == [[1048576], [1048576], [1048576], []]


@pytest.mark.parametrize(
    "name",
    ["00-good.json", "00-good.json.gz", "10-bare-array.json", "12-string-ts.json", "25-empty-device-name.json",
     "36-one-line.json", "37-key-per-line.json"],
)  # fmt: skip
def test_sound_files_give_the_figures_and_nothing_is_said(name: str) -> None:
    trace = read(name)
    assert_good(trace.launches[0], 0, trace)
    assert (len(trace.launches), trace.events, trace.complete, trace.problems) == (1, 2, True, ())


@pytest.mark.parametrize(
    ("name", "index", "offset", "says"),
    [
        ("01-inf-bandwidth.json", 1, 213, "a bare inf"),
        ("05-windows-backslash.json", 1, 213, "illegal escapes"),
        ("06-control-bytes.json", 1, 213, "invalid UTF-8"),
        ("11-trailing-comma-empty.json", 0, 210, "a stray comma"),
    ],
)
def test_what_can_be_mended_is_and_one_warning_says_where(
    name: str, index: int, offset: int, says: str
) -> None:
    trace = read(name)
    assert_good(trace.launches[0], index, trace)
    assert (len(trace.launches), trace.events, trace.complete) == (1, 3, True)
    assert codes(trace) == [("trace-damaged", "warning")]
    assert trace.problems[0].offset == offset
    assert says in trace.problems[0].message


def test_raw_quotes_in_a_name_cost_that_event_alone() -> None:
    trace = read("03-unescaped-quote.json")
    assert_good(trace.launches[0], 1, trace)
    assert (len(trace.launches), trace.events, trace.complete) == (1, 3, False)
    assert codes(trace) == [("trace-damaged", "warning")]
    assert trace.problems[0].offset == 213
    assert "1 event could not be read" in trace.problems[0].message


@pytest.mark.parametrize(("name", "end"), [("09-truncated.json", 1071), ("09-truncated.json.gz", 881)])
def test_a_killed_run_gives_what_is_whole_and_says_where_it_ended(name: str, end: int) -> None:
    trace = read(name)
    assert_good(trace.launches[0], 0, trace)
    assert (len(trace.launches), trace.complete) == (1, False)
    assert codes(trace) == [("trace-damaged", "warning")]
    assert trace.problems[0].offset == end
    assert re.search(rf"ends in the middle, at byte {end}\b", trace.problems[0].message)


def test_a_kernel_without_time_is_a_launch_without_rate() -> None:
    trace = read("13-zero-ts-dur.json")
    assert [launch.busy_ns for launch in trace.launches] == [None]
    assert trace.complete


def test_replayed_kernels_are_launches_without_arguments() -> None:
    trace = read("16-graph-replay-no-cpu-op.json")
    assert [(launch.busy_ns, launch.args) for launch in trace.launches] == [(4_000, None)] * 3
    assert [launch.place.event_index for launch in trace.launches] == [1, 2, 3]


def test_without_record_shapes_there_is_time_but_no_shape() -> None:
    trace = read("18-no-record-shapes.json")
    assert trace.record_shapes is False
    (launch,) = trace.launches
    assert launch.args is not None
    assert (launch.busy_ns, launch.args.input_dims) == (9_250, None)


def test_numels_are_read_as_written() -> None:
    for name, numels in (
        ("23-two-dim-pointwise", ("8192", "2432")),
        ("24-xyr-reduction", ("8192", "19", "128")),
    ):
        (launch,) = read(f"{name}.json").launches
        assert launch.args is not None
        assert launch.args.concrete_inputs is not None
        assert launch.args.concrete_inputs[2:] == numels


def test_an_empty_device_name_is_empty() -> None:
    assert [device.name for device in read("25-empty-device-name.json").devices] == ["", ""]


def test_an_execution_trace_is_named() -> None:
    trace = read("30-execution-trace-not-chrome.json")
    assert codes(trace) == [("not-a-trace", "error")]
    assert "execution trace" in trace.problems[0].message
    assert "export_chrome_trace" in trace.problems[0].message


def test_line_separators_and_emoji_do_not_move_what_follows() -> None:
    trace = read("34-u2028-lines.json")
    text = (INPUTS / "34-u2028-lines.json").read_bytes()
    (launch,) = trace.launches
    for place in launch.gpu_places:
        assert json.loads(text[place.offset : place.offset + place.length])["cat"] == "kernel"
