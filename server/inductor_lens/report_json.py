"""A report as the `inductor-lens/report/1` object, which the command line prints and the server answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from perfcore.metadata import KernelMetadata
from perfcore.metrics import MIB, tb_per_s, tflops_per_s
from perfcore.problem import Note, Problem
from perfcore.report import Report, ReportRow
from perfcore.trace.model import Launch, Trace

SCHEMA = "inductor-lens/report/1"

Json = dict[str, object]


def report_object(
    report: Report, *, launches: bool = False, changes: Mapping[str, float] | None = None
) -> Json:
    """The whole report. `changes` are percent against a baseline by row id."""
    result: Json = {
        "schema": SCHEMA,
        "trace": _trace_object(report),
        "device": _device_object(report),
        "kernels": [row_object(row, changes) for row in report.rows],
        "problems": [asdict(problem) for problem in report.problems],
    }
    if len(report.traces) > 1:
        result["traces"] = [_one_trace_object(trace) for trace in report.traces]
    if launches:
        result["launch_list"] = launch_list(report)
    return result


def _one_trace_object(trace: Trace) -> Json:
    return {
        "path": trace.path,
        "events": trace.events,
        "gpu_kernels": trace.gpu_kernels,
        "triton_launches": len(trace.launches),
        "record_shapes": trace.record_shapes,
        "complete": trace.complete,
    }


def _trace_object(report: Report) -> Json:
    traces = report.traces
    return {
        "path": traces[0].path if len(traces) == 1 else [trace.path for trace in traces],
        "events": sum(trace.events for trace in traces),
        "gpu_kernels": sum(trace.gpu_kernels for trace in traces),
        "triton_launches": sum(len(trace.launches) for trace in traces),
        "modelled_launches": report.modelled_launches,
        "record_shapes": _all_say([trace.record_shapes for trace in traces]),
        "complete": all(trace.complete for trace in traces),
    }


def _all_say(values: list[bool | None]) -> bool | None:
    """True only if all are, None if none is known to be False but one is unknown."""
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def _device_object(report: Report) -> Json:
    device = report.device.device
    return {
        "name": device.name or None if device else None,
        "peak_bandwidth_tb_s": device.peak_bandwidth_tb_s if device else None,
        "peak_tflops_s": device.peak_tflops_s if device else None,
        "peak_source": report.device.peak_source,
    }


def row_object(row: ReportRow, changes: Mapping[str, float] | None = None) -> Json:
    """One row of `kernels`."""
    result: Json = {
        "id": row.id,
        **metadata_object(row.metadata, row.notes),
        "launches": row.executions,
        "kernel_time_us": asdict(row.kernel_time_us)
        if row.kernel_time_us
        else dict.fromkeys(("total", "mean", "median", "min", "max")),
        "tb_s": row.tb_s,
        "tflops_s": row.tflops_s,
        "peak_percent": row.peak_percent,
        "recoverable_us": row.recoverable_us,
        "autotuning": row.autotuning,
        "kernel_file": row.args.kernel_file if row.args else None,
        "kernel_kwargs": row.args.kernel_kwargs or None if row.args else None,
    }
    if changes is not None:
        result["change_percent"] = changes.get(row.id)
    if row.ranks:
        timed = [rank for rank in row.ranks if rank.median_us is not None]
        result["ranks"] = [asdict(rank) for rank in row.ranks]
        result["slowest"] = (
            max(timed, key=lambda rank: rank.median_us or 0.0).path if len(timed) > 1 else None
        )
    return result


def metadata_object(metadata: KernelMetadata, notes: tuple[Note, ...]) -> Json:
    """What a kernel is and moves, without times: the part that `report` and `kernels` share."""
    source = metadata.source
    flops, moved = metadata.flops, metadata.bytes_moved
    return {
        "name": metadata.name,
        "category": metadata.category,
        "ops": list(metadata.ops),
        "unknown_ops": list(metadata.unknown_ops),
        "numels": dict(metadata.numels),
        "xnumel": metadata.xnumel,
        "rnumel": metadata.rnumel,
        "gflops": None if flops is None else flops / 1e9,
        "bytes": moved,
        "data_moved_mb": None if moved is None else moved / MIB,
        "flops_per_byte": flops / moved if flops is not None and moved else None,
        "trace_bytes": metadata.trace_bytes,
        "inductor_bytes": metadata.inductor_bytes,
        "origin": metadata.origin,
        "notes": [f"{note.code}: {note.text}" for note in notes],
        "definition": {"path": source.path, "line": source.line + 1} if source else None,
    }


def launch_list(report: Report) -> list[Json]:
    """One entry a launch, in the order of time; with several traces each names its own."""
    several = len(report.traces) > 1
    path_of = (
        {id(launch): trace.path for trace in report.traces for launch in trace.launches} if several else {}
    )
    entries: list[tuple[Launch, ReportRow]] = [
        (launch, row) for row in report.rows for launch in row.launches
    ]
    entries.sort(key=lambda entry: (entry[0].ts_ns, entry[0].place.event_index))
    return [
        {
            **({"path": path_of[id(launch)]} if several else {}),
            "event_index": launch.place.event_index,
            "ts_us": launch.ts_ns / 1e3,
            "name": row.metadata.name,
            "kernel": row.id,
            "bytes": row.metadata.bytes_moved,
            "gflops": None if row.metadata.flops is None else row.metadata.flops / 1e9,
            "busy_us": None if launch.busy_ns is None else launch.busy_ns / 1e3,
            "tb_s": tb_per_s(row.metadata.bytes_moved, launch.busy_ns),
            "tflops_s": tflops_per_s(row.metadata.flops, launch.busy_ns),
            "origin": row.metadata.origin,
        }
        for launch, row in entries
    ]


def problem_line(problem: Problem) -> str:
    """One problem in one line, as the terminal shows it."""
    where = problem.path if problem.path and problem.path not in problem.message else ""
    if problem.offset and "byte" not in problem.message:
        where += f" at byte {problem.offset:,}"
    return f"{problem.severity}: {where.strip() + ': ' if where else ''}{problem.message} [{problem.code}]"
