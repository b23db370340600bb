"""Events of small traces, written as short as they can be read. Times are microseconds, as in the file."""

from __future__ import annotations

from typing import Any

ADD = "triton_poi_fused_add_0"
SUM = "triton_red_fused_sum_1"
Event = dict[str, Any]


def op(name: str = ADD, ts: float = 100, dur: float | None = 30, *, tid: int = 11, **args: Any) -> Event:
    """A Triton cpu_op; `id` is its External id, `n` its one tensor's length and numel. Other names become args."""
    size = args.pop("n", 1024)
    described = {
        "Input Dims": [[size], []],
        "Input type": ["float", "Scalar"],
        "Concrete Inputs": ["", str(size)],
        "kernel_backend": "triton",
    }
    event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 11, "tid": tid, "ts": ts, "dur": dur}
    return _event(event, described | _ids(args))


def call(name: str = "cuLaunchKernel", ts: float = 110, *, tid: int = 11, **args: Any) -> Event:
    """A runtime or driver call; `corr` is its correlation."""
    event = {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 11, "tid": tid, "ts": ts, "dur": 5}
    return _event(event, _ids(args))


def kernel(
    name: str = ADD, ts: float = 200, dur: float | None = 9.25, *, stream: int = 7, **args: Any
) -> Event:
    """A GPU kernel on device 0; further names become args, as `grid` does."""
    event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur}
    return _event(event, {"device": 0, "stream": stream} | _ids(args))


def flow(ph: str, flow_id: int, ts: float, *, pid: int = 11, tid: int = 11) -> Event:
    return {"ph": ph, "cat": "ac2g", "name": "ac2g", "id": flow_id, "pid": pid, "tid": tid, "ts": ts}


def _ids(args: dict[str, Any]) -> dict[str, Any]:
    longer = {"id": "External id", "corr": "correlation"}
    return {longer.get(key, key): value for key, value in args.items()}


def _event(event: Event, args: dict[str, Any]) -> Event:
    return {key: value for key, value in event.items() if value is not None} | {"args": args}
