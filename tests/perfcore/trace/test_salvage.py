"""Text that is not quite JSON: each kind of damage, in every layout, costs at most the events it touches."""

from __future__ import annotations

import json

import pytest

from perfcore.trace import read_trace
from perfcore.trace.model import Trace

OP = {
    "ph": "X", "cat": "cpu_op", "name": "triton_poi_fused_add_0", "pid": 11, "tid": 11, "ts": 100.0, "dur": 30.5,
    "args": {"External id": 3, "Input Dims": [[64], []], "Input type": ["float", "Scalar"],
             "Concrete Inputs": ["", "64"], "kernel_backend": "triton"},
}  # fmt: skip
KERNEL = {
    "ph": "X", "cat": "kernel", "name": "triton_poi_fused_add_0", "pid": 0, "tid": 7, "ts": 200.125, "dur": 9.25,
    "args": {"External id": 3, "device": 0, "stream": 7, "correlation": 35},
}  # fmt: skip
LAYOUTS = {
    "one line": (None, ", "),
    "an event a line": (None, ",\n  "),
    "a key a line": (2, ",\n"),
    "CRLF": (2, ",\r\n"),
}


def trace_around(damaged: str | bytes, layout: str, *, after: str = "") -> bytes:
    """Op, damaged event, kernel: in the layout, with the damaged text as it is."""
    indent, between = LAYOUTS[layout]
    gap = between.encode()
    sound = [json.dumps(event, indent=indent).encode() for event in (OP, KERNEL)]
    middle = damaged if isinstance(damaged, bytes) else damaged.encode()
    text = (
        b'{"schemaVersion": 1, "traceEvents": [\n'
        + sound[0]
        + gap
        + middle
        + gap
        + sound[1]
        + after.encode()
        + b"]}"
    )
    return text.replace(b"\n", b"\r\n") if layout == "CRLF" else text


def assert_launch(trace: Trace, text: bytes, *, indices: tuple[int, int] = (0, 2)) -> None:
    (launch,) = trace.launches
    assert launch.busy_ns == 9_250
    assert launch.args is not None
    assert launch.args.input_dims == ((64,), ())
    places = (launch.place, *launch.gpu_places)
    assert tuple(place.event_index for place in places) == indices
    assert [json.loads(text[place.offset : place.offset + place.length]) for place in places] == [OP, KERNEL]


MENDED = {
    "inf": '{"ph": "X", "cat": "gpu_memcpy", "name": "m", "args": {"bandwidth (GB/s)": inf}}',
    "minus inf": '{"ph": "X", "cat": "gpu_memcpy", "name": "m", "args": {"bandwidth (GB/s)": -inf, "b": 1}}',
    "Infinity": '{"ph": "X", "cat": "gpu_memcpy", "name": "m", "args": {"a": [1, Infinity, -Infinity]}}',
    "nan": '{"ph": "X", "cat": "gpu_memcpy", "name": "m", "ts": nan, "args": {"bandwidth (GB/s)": -nan}}',
    "nan(ind)": '{"ph": "X", "cat": "gpu_memcpy", "name": "m", "args": {"a": -nan(ind), "b": 1.#INF}}',
    "N/A": '{"ph": "X", "cat": "overhead", "name": "m", "dur": N/A}',
    "Python words": '{"ph": "X", "cat": "overhead", "name": "m", "args": {"a": None, "b": True, "c": False}}',
    "sloppy numbers": '{"ph": "X", "cat": "overhead", "name": "m", "ts": .5, "dur": 1., "a": +3, "b": 007}',
    "a Windows path": r'{"ph": "X", "cat": "python_function", "name": "torch\cuda\__init__.py(219): \Users"}',
    "half a surrogate pair": r'{"ph": "X", "cat": "python_function", "name": "\ud83d lost", "args": {"a": "\udc00"}}',
    "a broken unicode escape": r'{"ph": "X", "cat": "python_function", "name": "C:\users\new"}',
    "a raw newline": '{"ph": "X", "cat": "python_function", "name": "line\nbreak\r\n"}',
    "a raw tab": '{"ph": "X", "cat": "python_function", "name": "a\tb"}',
    "control bytes": '{"ph": "X", "cat": "python_function", "name": "a\x00\x01\x1fb"}',
    "invalid UTF-8 in a name": b'{"ph": "X", "cat": "python_function", "name": "a\xff\xfe\x80b"}',
    "invalid UTF-8 in args": b'{"ph": "X", "cat": "python_function", "name": "a", "args": {"x": "\xc3\x28"}}',
    "a comma after the last argument": '{"ph": "X", "cat": "overhead", "name": "m", "args": {"a": 1,},}',
    "a comma after the last item": '{"ph": "X", "cat": "overhead", "name": "m", "args": {"a": [1, 2, ]}}',
    "a doubled comma": '{"ph": "X",, "cat": "overhead", "name": "m"}',
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("damaged", MENDED.values(), ids=MENDED)
def test_what_has_one_meaning_is_mended(damaged: str | bytes, layout: str) -> None:
    text = trace_around(damaged, layout)
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text)
    assert (trace.events, trace.complete) == (3, True)
    assert [problem.code for problem in trace.problems] == ["trace-damaged"]
    event = text.index(b'"name": "triton_poi_fused_add_0"')
    assert event < (trace.problems[0].offset or 0) < text.rindex(b'"kernel"')


LOST = {
    "raw quotes": '{"ph": "X", "cat": "python_function", "name": "{"device": "cpu", "dtype": "float32"}(12): run"}',
    "a quote too few at the end": '{"ph": "X", "cat": "python_function", "name": "run, "ts": 1}',
    "a quote too few at the start": '{"ph": "X", "cat": "python_function", "name": run", "ts": 1}',
    "a key without its first quote": '{"ph": "X", cat": "python_function", "name": "run", "ts": 1}',
    "doubled quotes": '{"ph": "X", "cat": "python_function", "name": ""run"", "ts": 1}',
    "a lost end": '{"ph": "X", "cat": "python_function", "name": "run", "args": {"a": 1}',
    "a lost end of a list": '{"ph": "X", "cat": "python_function", "name": "run", "args": {"a": [1, 2}}',
    "a lost start": '"ph": "X", "cat": "python_function", "name": "run", "args": {"a": 1}}',
    "a path that ends in a backslash": r'{"ph": "X", "cat": "python_function", "name": "C:\dir\", "ts": 1}',
    "a lost colon": '{"ph": "X", "cat" "python_function", "name": "run"}',
    "a lost comma inside": '{"ph": "X" "cat": "python_function", "name": "run"}',
    "no value": '{"ph": "X", "cat": "python_function", "name": "run", "dur":}',
    "half an event": '{"ph": "X", "cat": "python_fun',
    "words": "{this is no event}",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("damaged", LOST.values(), ids=LOST)
def test_other_damage_costs_its_event_and_no_other(damaged: str, layout: str) -> None:
    text = trace_around(damaged, layout)
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text)
    assert (trace.events, trace.complete) == (3, False)
    assert [problem.code for problem in trace.problems] == ["trace-damaged"]
    assert "1 event could not be read and is lost" in trace.problems[0].message


STRAY = {
    "a doubled start": "{",
    "a doubled end": "}",
    "an opened list": "[",
    "a closed list": "]",
    "the end of the trace": "]}",
    "binary junk": "\x00\x01\ufffd%$",
    "a quote": '"',
    "a colon": ":",
    "a backslash": "\\",
}


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY)
def test_stray_bytes_between_events_cost_no_event(stray: str) -> None:
    sound = [json.dumps(event).encode() for event in (OP, KERNEL)]
    for gap in (stray + ", ", ", " + stray, stray, ",\n" + stray + "\n"):
        text = b'{"traceEvents": [' + sound[0] + gap.encode() + sound[1] + b"]}"
        trace = read_trace("t.json", data=text)
        assert_launch(trace, text, indices=(0, 1))
        assert [problem.code for problem in trace.problems] == ["trace-damaged"]


def test_a_lost_comma_between_events_costs_none() -> None:
    text = b"[" + json.dumps(OP).encode() + b"\n" + json.dumps(KERNEL).encode() + b"]"
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text, indices=(0, 1))
    assert trace.complete


def test_commas_without_events_count_none() -> None:
    text = (
        b'{"traceEvents": [,' + json.dumps(OP).encode() + b",,\n,{}," + json.dumps(KERNEL).encode() + b",\n]}"
    )
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text, indices=(0, 2))
    assert trace.complete


def test_elements_that_are_no_objects_count_as_in_json() -> None:
    elements = [
        json.dumps(OP),
        "null",
        '"text"',
        "3.5",
        "{}",
        json.dumps({"name": None, "ph": 1}),
        json.dumps(KERNEL),
    ]
    text = f"[{', '.join(elements)}]".encode()
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text, indices=(0, 6))
    assert (trace.events, trace.complete) == (7, True)


@pytest.mark.parametrize("end", range(1, 120, 7))
def test_a_text_that_ends_anywhere_gives_what_is_whole(end: int) -> None:
    whole = trace_around(json.dumps({"ph": "i", "name": "x", "ts": 5}), "an event a line")
    text = whole[: whole.index(b'"kernel"') - 20] if end == 1 else whole[: len(whole) - end]
    trace = read_trace("t.json", data=text)
    assert trace.launches[0].args is not None
    assert not trace.complete
    damage = next(problem for problem in trace.problems if problem.code == "trace-damaged")
    assert f"ends in the middle, at byte {len(text)}" in damage.message


def test_a_damaged_header_costs_no_event() -> None:
    for header in (
        b'{"deviceProperties": [{"id": 0, "name": "NVIDIA}], "traceEvents": [',
        b'{"deviceProperties": [{"id": 0, "name": "NVIDIA"}, "traceEvents": [',
        b'{"deviceProperties": [{"id": 0, name: 3}], "traceEvents": [',
        b'"deviceProperties": [{"id": 0}], "traceEvents": [',
        b'junk {"traceEvents": [',
        b'{"traceEvnts": [',
        b'{"traceEvents [',
        b"",
    ):
        text = header + json.dumps(OP).encode() + b", " + json.dumps(KERNEL).encode() + b"]}"
        trace = read_trace("t.json", data=text)
        assert_launch(trace, text, indices=(0, 1))
        assert "trace-damaged" in [problem.code for problem in trace.problems], header


def test_keys_behind_a_lost_last_event_are_read() -> None:
    text = trace_around(json.dumps({"ph": "i"}), "one line", after=', {"ph": "X", "name": "a"b"}')
    text = text[:-1] + b', "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}'
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text)
    assert [device.name for device in trace.devices] == ["NVIDIA H100"]


def test_the_kept_event_itself_is_mended_with_its_meaning() -> None:
    op = json.dumps(OP)[:-2] + r', "kernel_file": "C:\cache\xx\cxx.py", "kernel_num_gb": nan}}'
    text = f"[{op}, {json.dumps(KERNEL)}]".encode()
    (launch,) = read_trace("t.json", data=text).launches
    assert launch.args is not None
    assert (launch.args.kernel_file, launch.args.kernel_num_gb) == ("C:\\cache\\xx\\cxx.py", None)
    assert text[launch.place.offset : launch.place.offset + launch.place.length] == op.encode()


def test_damage_is_said_once_with_its_count_and_first_place() -> None:
    bad = '{"ph": "X", "name": "a"b"}'
    events = ", ".join([json.dumps(OP), *[bad, json.dumps({"ph": "i"})] * 50, json.dumps(KERNEL)])
    text = f'{{"traceEvents": [{events}]}}'.encode()
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text, indices=(0, 101))
    (problem,) = trace.problems
    assert problem.offset == text.index(bad.encode())
    assert "50 events could not be read and are lost" in problem.message


def test_a_byte_order_mark_is_no_damage() -> None:
    text = b"\xef\xbb\xbf" + trace_around(json.dumps({"ph": "i"}), "CRLF")
    trace = read_trace("t.json", data=text)
    assert_launch(trace, text)
    assert (trace.complete, trace.problems) == (True, ())
