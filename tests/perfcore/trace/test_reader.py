"""Reading well-formed traces: the reader keeps what `json.loads` sees, in every layout, and knows its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from perfcore.trace import Cancelled, read_events, read_trace
from tests.perfcore.trace import plain_reader

INPUTS = Path(__file__).parents[2] / "inputs"

LAYOUTS = {
    "one line": {},
    "no spaces": {"separators": (",", ":")},
    "pretty": {"indent": 2},
    "tabs": {"indent": "\t"},
    "non-ASCII": {"ensure_ascii": False},
}


def kept_of(events: Any) -> list[Any]:
    """Everything that the linker is given, without places."""
    return [
        [(op.name, op.ts_ns, op.end_ns, op.external_id, op.correlation, op.args) for op in events.ops],
        *[
            list(map(list, zip(*(getattr(columns, name) for name in names), strict=True)))
            for columns, names in (
                (events.kernels, ("ts_ns", "dur_ns", "correlation", "external_id", "event_index")),
                (events.calls, ("ts_ns", "dur_ns", "correlation", "external_id")),
                (events.flows, ("phase", "id", "ts_ns")),
            )
        ],
        [events.strings[name] for name in events.kernels.name],
        [events.threads[thread] for thread in events.kernels.thread],
    ]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("trace", ["00-good", "16-graph-replay-no-cpu-op", "34-u2028-lines", "12-string-ts"])
def test_kept_events_are_those_that_json_sees_and_stand_where_they_say(trace: str, layout: Any) -> None:
    value = json.loads((INPUTS / f"{trace}.json").read_text(encoding="utf-8"))
    text = json.dumps(value, **layout).encode()
    file = read_events("trace.json", data=text)
    assert kept_of(file.events) == kept_of(plain_reader.read_events(value["traceEvents"]))
    assert file.event_count == len(value["traceEvents"])
    kernels = file.events.kernels
    places = [(op.place.event_index, op.place.offset, op.place.length) for op in file.events.ops]
    places += zip(kernels.event_index, kernels.offset, kernels.length, strict=True)
    for index, offset, length in places:
        assert json.loads(text[offset : offset + length]) == value["traceEvents"][index]


def test_a_recording_by_others_reads_as_json_reads_it(shared: Path) -> None:
    for name in ("transformer_block.mi300x", "one_kernel.a100", "eager.b200"):
        path = shared / "traces" / f"{name}.json.gz"
        text = gzip.decompress(path.read_bytes())
        expected = json.loads(text, parse_float=str)["traceEvents"]
        file = read_events(path)
        assert kept_of(file.events) == kept_of(plain_reader.read_events(expected))
        assert file.text_bytes == len(text)


def test_what_the_trace_says_about_itself(shared: Path) -> None:
    trace = read_trace(shared / "traces" / "eager.b200.json.gz")
    assert {device.name for device in trace.devices} == {"NVIDIA B200"}
    assert dict(trace.host)["cuda_runtime_version"] == "12090"
    assert (dict(trace.host)["rank"], dict(trace.host)["world_size"]) == ("0", "8")
    assert trace.record_shapes is True
    assert (trace.complete, trace.problems) == (True, ())


def test_progress_counts_stored_bytes_and_cancel_stops(shared: Path) -> None:
    path = shared / "traces" / "eager.b200.json.gz"
    seen: list[tuple[int, int]] = []
    read_trace(path, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)
    with pytest.raises(Cancelled):
        read_trace(path, cancelled=lambda: True)
