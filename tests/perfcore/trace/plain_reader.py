"""A plain reader of small, well-formed traces for tests of linking: `json.loads`, then one event at a time.

It is written independently of `perfcore.trace.reader` and decimal-exact, so that it can also judge it.
"""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from perfcore.trace.events import ABSENT, OpEvent, TraceEvents
from perfcore.trace.model import LaunchArgs, Place


def _ns(value: Any) -> int:
    return ABSENT if value is None else int((Decimal(str(value)) * 1000).to_integral_value())


def _id(args: dict[str, Any], *names: str) -> int:
    return next((int(args[name]) for name in names if name in args), ABSENT)


def _launch_args(args: dict[str, Any], seen: dict[LaunchArgs, LaunchArgs]) -> LaunchArgs:
    def shapes(name: str) -> tuple[tuple[int, ...], ...] | None:
        return tuple(tuple(dims) for dims in args[name]) if name in args else None

    def texts(name: str) -> tuple[str, ...] | None:
        return tuple(map(str, args[name])) if name in args else None

    made = LaunchArgs(
        input_dims=shapes("Input Dims"),
        input_strides=shapes("Input Strides"),
        input_types=texts("Input type"),
        concrete_inputs=texts("Concrete Inputs"),
        kernel_file=args.get("kernel_file"),
        kernel_hash=args.get("kernel_hash"),
        kernel_backend=args.get("kernel_backend"),
        kernel_kwargs=args.get("kernel_kwargs", ""),
        num_warps=args.get("num_warps"),
        num_stages=args.get("num_stages"),
        kernel_num_gb=args.get("kernel_num_gb"),
        kernel_flop=args.get("kernel_flop"),
    )
    return seen.setdefault(made, made)


def read_events(trace: list[dict[str, Any]]) -> TraceEvents:
    """What the linker gets for these events of a trace, in their order."""
    events = TraceEvents()
    strings: dict[str, int] = {}
    threads: dict[tuple[str, str], int] = {}
    seen: dict[LaunchArgs, LaunchArgs] = {}

    def string(value: Any) -> int:
        return ABSENT if value is None else strings.setdefault(str(value), len(strings))

    for index, event in enumerate(trace):
        args = event.get("args", {})
        category = event.get("cat")
        pid_tid = (str(event.get("pid")), str(event.get("tid")))
        thread = threads.setdefault(pid_tid, len(threads))
        ts = _ns(event.get("ts"))
        dur = _ns(event.get("dur"))
        external_id = _id(args, "External id", "external id")
        correlation = _id(args, "correlation")
        if category == "cpu_op":
            if event["name"].startswith("triton_") or args.get("kernel_backend") == "triton":
                end = None if dur == ABSENT else ts + dur
                events.ops.append(
                    OpEvent(
                        name=event["name"],
                        thread=thread,
                        ts_ns=ts,
                        end_ns=end,
                        external_id=external_id,
                        correlation=correlation,
                        args=_launch_args(args, seen),
                        place=Place(index, 0, 0),
                    )
                )
        elif category == "kernel":
            row = events.kernels
            row.name.append(string(event["name"]))
            row.ts_ns.append(ts)
            row.dur_ns.append(dur)
            row.correlation.append(correlation)
            row.external_id.append(external_id)
            row.device.append(string(args.get("device")))
            row.stream.append(string(args.get("stream")))
            row.grid.append(string(args.get("grid")))
            row.registers.append(_id(args, "registers per thread"))
            row.thread.append(thread)
            row.event_index.append(index)
            row.offset.append(0)
            row.length.append(0)
        elif category in ("cuda_runtime", "cuda_driver", "xpu_runtime") and "aunch" in event["name"]:
            call = events.calls
            call.name.append(string(event["name"]))
            call.ts_ns.append(ts)
            call.dur_ns.append(dur)
            call.thread.append(thread)
            call.correlation.append(correlation)
            call.external_id.append(external_id)
        elif event.get("ph") in ("s", "t", "f") and category in ("ac2g", "async_cpu_to_gpu"):
            flow = events.flows
            flow.phase.append(ord(event["ph"]))
            flow.id.append(int(event["id"]))
            flow.thread.append(thread)
            flow.ts_ns.append(ts)
    events.strings.extend(strings)
    events.threads.extend(threads)
    return events


def read_file(path: Path) -> TraceEvents:
    """The events of a file, plain or gzip."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    whole = json.loads(text, parse_float=Decimal)
    return read_events(whole["traceEvents"] if isinstance(whole, dict) else whole)
