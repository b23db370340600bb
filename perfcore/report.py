"""Launches grouped into rows: one row a kernel with one set of arguments and one config."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Literal

from perfcore.counted import part_of
from perfcore.device import Device
from perfcore.inductor.choose import Choice
from perfcore.inductor.model import KernelSource
from perfcore.metadata import NO_SOURCE, KernelMetadata, launch_metadata
from perfcore.metrics import MIB, attainable_tb_s, flops_per_byte, recoverable_us, tb_per_s, tflops_per_s
from perfcore.problem import Note, Problem
from perfcore.recording import DeviceChoice, choose_device, mixed_devices, recorded_without
from perfcore.trace.model import Launch, LaunchArgs, Trace

FindSources = Callable[[Launch], Choice]
"""Which sources may be a launch's kernel; asked once a row."""

SortKey = Literal["time", "recoverable", "bandwidth", "name"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the user says: `device` and `peak_bandwidth_tb_s` override what the trace says."""

    device: str | None = None
    peak_bandwidth_tb_s: float | None = None
    sort: SortKey = "time"


@dataclass(frozen=True, slots=True)
class KernelTime:
    """Busy times of a row's launches in microseconds, of those that have one."""

    total: float
    mean: float
    median: float
    min: float
    max: float


@dataclass(frozen=True, slots=True)
class RankTime:
    """One trace's part of a row, when a report covers several (ranks, runs)."""

    path: str
    launches: int
    median_us: float | None
    tb_s: float | None


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One kernel with one set of arguments and one config. Rates are medians over the launches.

    `id` is made of the kernel, its arguments and its config alone: the same row has the same id in another
    trace. `executions` is how often it ran: a launch recorded while a graph was captured did not, its replays did.
    `attainable_tb_s` is the roofline's bandwidth for its intensity. `places` are all places where its source may stand. `recoverable_us` is the time saved if all launches ran at the attainable bandwidth.
    """

    id: str
    metadata: KernelMetadata
    args: LaunchArgs | None
    launches: tuple[Launch, ...]
    executions: int
    kernel_time_us: KernelTime | None
    tb_s: float | None
    tflops_s: float | None
    peak_percent: float | None
    attainable_tb_s: float | None
    recoverable_us: float | None
    autotuning: bool
    notes: tuple[Note, ...]
    places: tuple[KernelSource, ...] = ()
    ranks: tuple[RankTime, ...] = ()

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def intensity(self) -> float | None:
        """FLOP/byte."""
        return flops_per_byte(self.metadata.flops, self.metadata.bytes_moved)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is said of one or several traces."""

    traces: tuple[Trace, ...]
    device: DeviceChoice
    rows: tuple[ReportRow, ...]
    problems: tuple[Problem, ...]

    @property
    def modelled_launches(self) -> int:
        """Launches whose bytes are known."""
        return sum(len(row.launches) for row in self.rows if row.metadata.bytes_moved is not None)

    @property
    def triton_time_us(self) -> float:
        """Busy time of all Triton launches."""
        return sum(row.kernel_time_us.total for row in self.rows if row.kernel_time_us)


def build_report(
    traces: Sequence[Trace], find_sources: FindSources | None = None, options: ReportOptions | None = None
) -> Report:
    """Group the launches of the traces and apply the formulas."""
    options = options or ReportOptions()
    device = choose_device(traces, options.device, options.peak_bandwidth_tb_s)
    groups: dict[tuple[str, LaunchArgs | None, bool], list[tuple[int, Launch]]] = {}
    for index, trace in enumerate(traces):
        for launch in trace.launches:
            groups.setdefault((launch.name, launch.args, launch.autotuning), []).append((index, launch))
    rows = _with_unique_ids(
        [_row(traces, members, device.device, find_sources) for members in groups.values()]
    )
    problems = [problem for trace in traces for problem in (*trace.problems, *recorded_without(trace))]
    if options.device is None:
        problems.extend(mixed_devices(traces))
    return Report(tuple(traces), device, tuple(sort_rows(rows, options.sort)), tuple(problems))


def _row(
    traces: Sequence[Trace],
    members: Sequence[tuple[int, Launch]],
    device: Device | None,
    find_sources: FindSources | None,
) -> ReportRow:
    launches = tuple(launch for _, launch in members)
    first = launches[0]
    choice = find_sources(first) if find_sources else NO_SOURCE
    metadata = launch_metadata(first, choice)
    tb_s = _median(tb_per_s(metadata.bytes_moved, launch.busy_ns) for launch in launches)
    time = _time(launches)
    attainable = _attainable(metadata, device)
    peak = device.peak_bandwidth_tb_s if device else None
    peak_percent = 100 * tb_s / peak if tb_s is not None and peak else None
    notes = [*metadata.notes, *_launch_notes(launches)]
    if peak_percent is not None and peak_percent > 100:
        notes.append(_above_peak(metadata, device))
    elif device and device.l2_bytes and metadata.bytes_moved and metadata.bytes_moved <= device.l2_bytes:
        notes.append(_fits_cache(device.l2_bytes))
    return ReportRow(
        id=row_id(first.name, first.args, first.autotuning),
        metadata=metadata,
        args=first.args,
        launches=launches,
        executions=sum(all(note.code != "captured" for note in launch.notes) for launch in launches),
        kernel_time_us=time,
        tb_s=tb_s,
        tflops_s=_median(tflops_per_s(metadata.flops, launch.busy_ns) for launch in launches),
        peak_percent=peak_percent,
        attainable_tb_s=attainable,
        recoverable_us=recoverable_us(time.total, tb_s, attainable) if time else None,
        autotuning=first.autotuning,
        notes=tuple(notes),
        places=choice.places or choice.candidates,
        ranks=_ranks(traces, members, metadata) if len(traces) > 1 else (),
    )


def _attainable(metadata: KernelMetadata, device: Device | None) -> float | None:
    """The roofline's bandwidth. A template computes on matrix units, whose peak is another for each dtype, so
    no roof is known for it."""
    if metadata.category == "tem":
        return None
    return attainable_tb_s(device, flops_per_byte(metadata.flops, metadata.bytes_moved))


def _with_unique_ids(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """Kernels of one name, arguments and config from different files are told apart by a number, in a fixed order."""
    seen: Counter[str] = Counter()
    unique: dict[int, ReportRow] = {}
    for row in sorted(rows, key=lambda row: (row.id, (row.args and row.args.kernel_file) or "")):
        seen[row.id] += 1
        unique[id(row)] = replace(row, id=f"{row.id}-{seen[row.id]}") if seen[row.id] > 1 else row
    return [unique[id(row)] for row in rows]


def row_id(name: str, args: LaunchArgs | None, autotuning: bool) -> str:
    """Twelve hexadecimal digits for a kernel, its arguments and its config."""
    parts = (name, autotuning, args and (args.input_dims, args.input_types, args.concrete_inputs))
    config = args and (args.kernel_kwargs, args.num_warps, args.num_stages)
    return hashlib.sha256(repr((parts, config)).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _time(launches: Sequence[Launch]) -> KernelTime | None:
    busy = [launch.busy_ns for launch in launches if launch.busy_ns is not None]
    if not busy:
        return None
    return KernelTime(
        total=sum(busy) / 1e3,
        mean=fmean(busy) / 1e3,
        median=median(busy) / 1e3,
        min=min(busy) / 1e3,
        max=max(busy) / 1e3,
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _launch_notes(launches: Sequence[Launch]) -> list[Note]:
    """Each different note of the launches once, with how many launches have it."""
    counts: dict[str, tuple[Note, int]] = {}
    for launch in launches:
        for note in launch.notes:
            counts[note.code] = (counts.get(note.code, (note, 0))[0], counts.get(note.code, (note, 0))[1] + 1)
    return [
        note
        if count == len(launches)
        else Note(note.code, f"{note.text} ({part_of(count, len(launches), 'launch')})")
        for note, count in counts.values()
    ]


def _above_peak(metadata: KernelMetadata, device: Device | None) -> Note:
    """Why a figure may exceed what the memory can do."""
    cache = device.l2_bytes if device else None
    if cache and metadata.bytes_moved and metadata.bytes_moved <= cache:
        why = f"what it moves fits the device's {cache // MIB} MiB cache, so memory may not be asked at all"
    elif metadata.origin == "source":
        why = "part of it may come from the cache"
    else:
        why = "the trace's shapes over-count what the kernel touches (a slice, a gather); only its source can tell"
    return Note("above-peak", f"Above the device's peak bandwidth: {why}.")


def _fits_cache(l2_bytes: int) -> Note:
    text = f"All that it moves fits the device's {l2_bytes // MIB} MiB cache, so memory may serve only a part of it."
    return Note("fits-cache", text)


def _ranks(
    traces: Sequence[Trace], members: Sequence[tuple[int, Launch]], metadata: KernelMetadata
) -> tuple[RankTime, ...]:
    by_trace: dict[int, list[Launch]] = {}
    for index, launch in members:
        by_trace.setdefault(index, []).append(launch)
    ranks = []
    for index, launches in sorted(by_trace.items()):
        time = _time(launches)
        rate = _median(tb_per_s(metadata.bytes_moved, launch.busy_ns) for launch in launches)
        ranks.append(RankTime(traces[index].path, len(launches), time.median if time else None, rate))
    return tuple(ranks)


def sort_rows(rows: Sequence[ReportRow], key: SortKey) -> list[ReportRow]:
    """Most time, most recoverable time or lowest bandwidth first; unknown last; then by name."""
    by_name = sorted(rows, key=lambda row: (row.name, row.id))
    if key == "name":
        return by_name
    if key == "bandwidth":
        return sorted(by_name, key=lambda row: row.tb_s if row.tb_s is not None else float("inf"))
    if key == "recoverable":
        return sorted(
            by_name, key=lambda row: -(row.recoverable_us if row.recoverable_us is not None else -1.0)
        )
    return sorted(by_name, key=lambda row: -(row.kernel_time_us.total if row.kernel_time_us else -1.0))
