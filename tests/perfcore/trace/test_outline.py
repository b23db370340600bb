"""The keys around `traceEvents` are read wherever they stand, and skipped when they are huge."""

from __future__ import annotations

import json

import pytest

from perfcore.trace import read_trace
from perfcore.trace.outline import LARGEST_VALUE

EVENT = {
    "ph": "X",
    "cat": "kernel",
    "name": "triton_poi_fused_add_0",
    "pid": 0,
    "tid": 7,
    "ts": 2,
    "dur": 9.25,
}
KEYS = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132}, {"id": 1, "name": ""}],
    "cuda_runtime_version": 12090,
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"ranks": [0, 1]}]},
    "record_shapes": 1,
    "with_stack": 0,
    "trace_id": "C7EC2C",
    "traceName": "/tmp/a \"quoted\" name, }] {.json",
    "INFO": ["a", {"traceEvents": "no events"}, [[["deep"]]], '{"traceEvents": ['],
}  # fmt: skip


@pytest.mark.parametrize("first", range(len(KEYS) + 1))
@pytest.mark.parametrize("indent", [None, 2])
def test_keys_before_and_after_the_events(first: int, indent: int | None) -> None:
    items = list(KEYS.items())
    text = json.dumps(
        dict([*items[:first], ("traceEvents", [EVENT]), *items[first:]]), indent=indent
    ).encode()
    trace = read_trace("t.json", data=text)
    assert [(device.index, device.name) for device in trace.devices] == [
        (0, "NVIDIA H100 80GB HBM3"),
        (1, ""),
    ]
    host = dict(trace.host)
    assert (host["cuda_runtime_version"], host["trace_id"]) == ("12090", "C7EC2C")
    assert (host["rank"], host["world_size"]) == ("3", "8")
    assert (trace.record_shapes, trace.events, trace.complete) == (True, 1, True)
    assert not [problem for problem in trace.problems if problem.code == "trace-damaged"]
    (launch,) = trace.launches
    assert json.loads(text[launch.place.offset : launch.place.offset + launch.place.length]) == EVENT


HUGE = {
    "a string": json.dumps("x}]{[\\\"" * 1_000_000),
    "objects": json.dumps([{"name": "x \\ \"", "a": [1, {"b": "}"}]}] * 150_000),
    "a nest": "[" * 3_000_000 + "]" * 3_000_000,
    "a number": "1" * 6_000_000,
    "backslashes": '"' + "\\\\" * 3_000_000 + '"',
}  # fmt: skip


@pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("before", [True, False])
def test_a_huge_value_of_another_key_is_skipped(value: str, before: bool) -> None:
    assert len(value) > LARGEST_VALUE
    events = f'"traceEvents": [{json.dumps(EVENT)}]'
    other = f'"other": {value}'
    parts = [other, events] if before else [events, other]
    text = f'{{{", ".join(parts)}, "traceName": "x"}}'.encode()
    trace = read_trace("t.json", data=text)
    assert (len(trace.launches), trace.complete, dict(trace.host)) == (1, True, {"traceName": "x"})
    assert not [problem for problem in trace.problems if problem.code == "trace-damaged"]


def test_without_record_shapes_the_ops_tell() -> None:
    op = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 1, "args": {"Input Dims": [[1]]}}
    bare = {**op, "args": {"External id": 3}}
    assert read_trace("t.json", data=json.dumps([EVENT]).encode()).record_shapes is None
    assert read_trace("t.json", data=json.dumps([EVENT, bare]).encode()).record_shapes is False
    assert read_trace("t.json", data=json.dumps([bare, op]).encode()).record_shapes is True
    assert (
        read_trace(
            "t.json", data=json.dumps({"record_shapes": 0, "traceEvents": [EVENT]}).encode()
        ).record_shapes
        is False
    )


@pytest.mark.parametrize("keys", [{"deviceProperties": {"id": 0}}, {"deviceProperties": [3, None, {"name": 5}]},
                                  {"distributedInfo": []}, {"record_shapes": []}])  # fmt: skip
def test_keys_of_other_types_do_no_harm(keys: dict[str, object]) -> None:
    trace = read_trace("t.json", data=json.dumps({**keys, "traceEvents": [EVENT]}).encode())
    assert len(trace.launches) == 1
