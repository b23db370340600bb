"""Reading well-formed traces: the reader keeps what `json.loads` sees, in every layout, and knows its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from perfcore.trace import Cancelled, chunks, read_events, read_trace, stored
from perfcore.trace.events import ABSENT
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
                (
                    events.kernels,
                    ("ts_ns", "dur_ns", "correlation", "external_id", "registers", "event_index"),
                ),
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


def read(events: list[dict[str, Any]]) -> Any:
    return read_events("t.json", data=json.dumps(events)).events


def test_only_triton_ops_are_kept_whatever_they_are_called() -> None:
    def op(name: str, category: str | None = "cpu_op", **args: Any) -> dict[str, Any]:
        event = {"ph": "X", "name": name, "ts": 1, "dur": 2, "args": args}
        return event if category is None else {**event, "cat": category}

    events = read(
        [
            op("triton_poi_fused_add_0"),
            op("sage_fwd_1", kernel_backend="triton"),
            op("aten::mm", **{"Input Dims": [[2, 2]]}),
            op("extern_kernels.mm", kernel_backend="cuda"),
            op("triton_kernels/matmul.py(12): run", "python_function"),
            op("triton_red_fused_0", "Operator"),
            op("triton_per_fused_0", None),
            op("triton_poi_fused_1", "user_annotation"),
            op("aten::add", kernel_name='"kernel_backend"'),
        ]
    )
    assert [(kept.name, kept.place.event_index) for kept in events.ops] == [
        ("triton_poi_fused_add_0", 0),
        ("sage_fwd_1", 1),
        ("triton_red_fused_0", 5),
        ("triton_per_fused_0", 6),
    ]


@pytest.mark.parametrize(
    ("kernel", "runtime", "call", "external"),
    [
        ("kernel", "cuda_runtime", "cudaLaunchKernel", "External id"),
        ("kernel", "cuda_driver", "cuLaunchKernelEx", "External id"),
        ("kernel", "hip_runtime", "hipExtModuleLaunchKernel", "External id"),
        ("kernel", "cuda_runtime", "hipGraphLaunch", "External id"),
        ("kernel", "xpu_runtime", "urEnqueueKernelLaunch", "External id"),
        ("kernel", "privateuse1_runtime", "aclrtLaunchKernel", "External id"),
        ("Kernel", "Runtime", "cudaLaunchKernel", "external id"),
    ],
)
def test_kernels_and_calls_of_every_backend_and_age(
    kernel: str, runtime: str, call: str, external: str
) -> None:
    args = {"correlation": 7, external: 3}
    events = read(
        [
            {
                "ph": "X",
                "cat": kernel,
                "name": "triton_poi_0",
                "pid": 0,
                "tid": "stream 7",
                "ts": 5,
                "dur": 1,
                "args": args,
            },
            {"ph": "X", "cat": runtime, "name": call, "pid": 1, "tid": 2, "ts": 3, "dur": 1, "args": args},
            {"ph": "X", "cat": runtime, "name": "cudaMemcpyAsync", "pid": 1, "tid": 2, "ts": 4, "args": args},
        ]
    )
    assert list(zip(events.kernels.correlation, events.kernels.external_id, strict=True)) == [(7, 3)]
    assert list(zip(events.calls.correlation, events.calls.external_id, events.calls.ts_ns, strict=True)) == [
        (7, 3, 3000)
    ]
    assert [events.threads[thread] for thread in events.kernels.thread] == [("0", "stream 7")]


def test_events_without_a_category_are_told_apart_by_their_process() -> None:
    """As torch.autograd.profiler wrote them without Kineto, with the comma that it left behind."""
    text = (
        '[{"name": "triton_poi_fused_add_0", "ph": "X", "ts": 1, "dur": 5, "tid": 1, "pid": "CPU functions", "args": {}}, '
        '{"name": "triton_poi_fused_add_0", "ph": "s", "ts": 1, "tid": 1, "pid": "CPU functions", "id": 9, '
        '"cat": "cpu_to_cuda", "args": {}}, '
        '{"name": "triton_poi_fused_add_0", "ph": "f", "ts": 2, "tid": 0, "pid": "CUDA functions", "id": 9, '
        '"cat": "cpu_to_cuda", "args": {}}, '
        '{"name": "triton_poi_fused_add_0", "ph": "X", "ts": 2, "dur": 9.25, "tid": 0, "pid": "CUDA functions", '
        '"args": {}}, ]'
    )
    events = read_events("t.json", data=text).events
    assert (len(events.ops), list(events.kernels.dur_ns)) == (1, [9_250])
    assert list(zip(map(chr, events.flows.phase), events.flows.id, strict=True)) == [("s", 9), ("f", 9)]
    (launch,) = read_trace("t.json", data=text).launches
    assert launch.busy_ns == 9_250


def test_begins_and_ends_make_whole_events_in_any_order() -> None:
    def half(phase: str, ts: float, name: str, category: str, tid: int = 1) -> dict[str, Any]:
        return {
            "ph": phase,
            "ts": ts,
            "name": name,
            "cat": category,
            "pid": 0,
            "tid": tid,
            "args": {"correlation": 1},
        }

    events = [
        half("B", 1, "forward", "user_annotation"),
        half("B", 2, "triton_poi_fused_add_0", "cpu_op"),
        half("B", 2.5, "cudaLaunchKernel", "cuda_runtime"),
        half("E", 3, "", ""),
        half("E", 4.125, "", ""),
        half("E", 6, "", ""),
        half("B", 3, "triton_poi_fused_add_0", "kernel", 7),
        half("E", 12.25, "", "", 7),
        half("B", 20, "triton_poi_fused_add_0", "kernel", 7),
    ]
    for order in (events, events[::-1], events[4:] + events[:4]):
        found = read(order)
        assert [(op.ts_ns, op.end_ns) for op in found.ops] == [(2_000, 4_125)]
        assert sorted(zip(found.kernels.ts_ns, found.kernels.dur_ns, strict=True)) == [
            (3_000, 9_250),
            (20_000, ABSENT),
        ]
        assert list(found.calls.dur_ns) == [500]


def test_ids_of_every_type_stay_what_they_are() -> None:
    ids = [5, "5", "0x5", 2**63 + 1, -1, 5.0, None, "", "stream", True, [5], 2**70]
    events = read(
        [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "args": {"correlation": each}} for each in ids]
    )
    found = list(events.kernels.correlation)
    assert found[:3] == [5, 5, 5]
    assert found[3] not in found[:3]
    assert found[4:6] == [-1, 5]
    assert found[6:8] == [ABSENT, ABSENT]
    assert found[10] == ABSENT
    assert ABSENT not in (found[3], found[8], found[11])


def test_args_of_other_types_cost_only_the_field() -> None:
    args = {"External id": 3, "Input Dims": "none", "Input type": ["float"], "num_warps": "4", "kernel_kwargs": {"X": 1},
            "kernel_file": None, "Concrete Inputs": ["", 5]}  # fmt: skip
    for odd in (args, [], "text", None, 5):
        (op,) = read(
            [{"ph": "X", "cat": "cpu_op", "name": "triton_poi_0", "ts": "x", "dur": None, "args": odd}]
        ).ops
        assert (op.ts_ns, op.end_ns) == (0, None)
    (op,) = read([{"ph": "X", "cat": "cpu_op", "name": "triton_poi_0", "ts": 1, "args": args}]).ops
    assert (op.external_id, op.args.input_dims, op.args.input_types, op.args.num_warps) == (
        3,
        None,
        ("float",),
        4,
    )


def test_lists_of_tensors_do_not_hide_the_other_arguments() -> None:
    args = {
        "Input Dims": [[[2, 3], [4]], [8]],
        "Input type": ["TensorList", "float"],
        "Concrete Inputs": ["", ""],
    }
    (op,) = read([{"ph": "X", "cat": "cpu_op", "name": "triton_poi_0", "ts": 1, "args": args}]).ops
    assert op.args.input_types == ("TensorList", "float")


def test_equal_arguments_are_one_object() -> None:
    def op(external: int, size: int) -> dict[str, Any]:
        args = {
            "External id": external,
            "Input Dims": [[size]],
            "Input type": ["float"],
            "kernel_kwargs": "XBLOCK=4",
        }
        return {"ph": "X", "cat": "cpu_op", "name": "triton_poi_0", "ts": external, "args": args}

    first, same, other = read([op(1, 8), op(2, 8), op(3, 9)]).ops
    assert first.args is same.args
    assert first.args != other.args


def test_flows_are_read_when_nothing_else_ties_a_kernel_to_its_op() -> None:
    flow = {"cat": "ac2g", "name": "ac2g", "id": 4}
    name = "triton_poi_fused_add_0"
    events = [
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": name,
            "pid": 1,
            "tid": 1,
            "ts": 1,
            "dur": 5,
            "args": {"External id": 1},
        },
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": name,
            "pid": 1,
            "tid": 1,
            "ts": 7,
            "dur": 5,
            "args": {"External id": 2},
        },
        {
            "ph": "X",
            "cat": "kernel",
            "name": name,
            "pid": 0,
            "tid": 7,
            "ts": 30,
            "dur": 9.25,
            "args": {"correlation": 4},
        },
        {"ph": "s", "pid": 1, "tid": 1, "ts": 2, **flow},
        {"ph": "f", "pid": 0, "tid": 7, "ts": 30, **flow},
    ]
    first, second = read_trace("t.json", data=json.dumps(events)).launches
    assert (first.busy_ns, second.busy_ns) == (9_250, None)


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_positions_do_not_depend_on_where_blocks_end(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    value = json.loads((INPUTS / "34-u2028-lines.json").read_text(encoding="utf-8"))
    value["traceEvents"] *= 5
    whole = {}
    for name, layout in LAYOUTS.items():
        whole[name] = read_events("t.json", data=json.dumps(value, **layout).encode()).events
    monkeypatch.setattr(stored, "BLOCK", block)
    monkeypatch.setattr(chunks, "BLOCK", block)
    for name, layout in LAYOUTS.items():
        events = read_events("t.json", data=json.dumps(value, **layout).encode()).events
        assert events.kernels == whole[name].kernels
        assert events.ops == whole[name].ops


def test_names_that_look_like_the_gap_between_events_move_nothing() -> None:
    nasty = ['}, {"ph": "X"', "]}", '"}, {', "\\", '\\"}, {\\"', "{}, {}", "\u2028},\n{"]
    events = [
        {
            "args": {"list": [{"a": 1}, {"b": [{"c": 2}, {}]}]},
            "name": name,
            "ts": 1,
            "cat": "kernel",
            "ph": "X",
        }
        for name in nasty * 40
    ]
    for layout in LAYOUTS.values():
        text = json.dumps({"traceEvents": events}, **layout).encode()
        kernels = read_events("t.json", data=text).events.kernels
        assert list(kernels.event_index) == list(range(len(events)))
        for index, offset, length in zip(kernels.event_index, kernels.offset, kernels.length, strict=True):
            assert json.loads(text[offset : offset + length]) == events[index]


def test_the_document_in_an_editor_is_read_instead_of_the_file() -> None:
    text = (INPUTS / "00-good.json").read_text(encoding="utf-8")
    trace = read_trace("no/such/file.json", data=text)
    assert (trace.path, len(trace.launches), trace.text_bytes) == ("no/such/file.json", 1, len(text.encode()))
