"""Launches grouped into rows: one row a kernel with one set of arguments and one config."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from perfcore.device import Device, find_device, with_peak_bandwidth
from perfcore.inductor.choose import Choice
from perfcore.inductor.model import KernelSource
from perfcore.kernel_name import parse_kernel_name
from perfcore.metadata import NO_SOURCE, KernelMetadata, launch_metadata
from perfcore.metrics import MIB, attainable_tb_s, flops_per_byte, recoverable_us, tb_per_s, tflops_per_s
from perfcore.problem import Note, Problem
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
class DeviceChoice:
    """The device the figures are measured against, and who says its peak: our table, the user, or nobody."""

    device: Device | None
    peak_source: Literal["table", "user"] | None


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
    trace. `attainable_tb_s` is the roofline's bandwidth for its intensity. `places` are all places where its source may stand. `recoverable_us` is the time saved if all launches ran at the attainable bandwidth.
    """

    id: str
    metadata: KernelMetadata
    args: LaunchArgs | None
    launches: tuple[Launch, ...]
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
    def executions(self) -> int:
        """How often it ran: a launch recorded while a graph was captured did not, its replays did."""
        return sum(all(note.code != "captured" for note in launch.notes) for launch in self.launches)

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
    device = choose_device(traces, options)
    groups: dict[tuple[str, LaunchArgs | None, bool], list[tuple[int, Launch]]] = {}
    for index, trace in enumerate(traces):
        for launch in trace.launches:
            groups.setdefault((launch.name, launch.args, launch.autotuning), []).append((index, launch))
    rows = [_row(traces, members, device.device, find_sources) for members in groups.values()]
    problems = [problem for trace in traces for problem in (*trace.problems, *_recorded_without(trace))]
    if options.device is None:
        problems.extend(_mixed_devices(traces))
    return Report(tuple(traces), device, tuple(sort_rows(rows, options.sort)), tuple(problems))


def choose_device(traces: Sequence[Trace], options: ReportOptions) -> DeviceChoice:
    """The user's device, else the one of the traces' launches, with the user's peak where given."""
    name = options.device or next((n for trace in traces if (n := _device_name(trace))), "")
    device = find_device(name) or (Device(name, None) if name else None)
    if options.peak_bandwidth_tb_s:
        return DeviceChoice(with_peak_bandwidth(device, options.peak_bandwidth_tb_s), "user")
    return DeviceChoice(device, "table" if device and device.peak_bandwidth_tb_s else None)


def _recorded_without(trace: Trace) -> list[Problem]:
    """What the whole recording lacks, said once, with what to do about it."""
    problems: list[Problem] = []
    bare = sum(launch.args is not None and launch.args.input_dims is None for launch in trace.launches)
    if bare:
        message = (
            f"{bare:,} of {len(trace.launches):,} Triton launches were recorded without shapes, so the trace has no"
            " bytes for them: record with torch.profiler.profile(record_shapes=True), or give the Inductor cache."
        )
        problems.append(Problem("missing-shapes", "warning", message, trace.path))
    generic = sum(parse_kernel_name(launch.name).generic for launch in trace.launches)
    if generic:
        message = (
            f"{generic:,} of {len(trace.launches):,} Triton launches have generic names, which do not tell their"
            " operators: compile with TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1 (the default since PyTorch 2.6)."
        )
        problems.append(Problem("generic-names", "info", message, trace.path))
    return problems


def _mixed_devices(traces: Sequence[Trace]) -> list[Problem]:
    names = sorted({name for trace in traces if (name := _device_name(trace))})
    if len(names) < 2:
        return []
    message = (
        f"The traces come from different devices ({', '.join(names)}); percents of peak are of one of them."
    )
    return [Problem("mixed-devices", "warning", message)]


def _device_name(trace: Trace) -> str:
    """The name of the device that launches ran on; kernels may carry an index that the trace does not
    describe (ROCm numbers its agents), then the only name there is."""
    names = {device.index: device.name for device in trace.devices if device.name}
    used = next((names[launch.device] for launch in trace.launches if launch.device in names), None)
    return used or next(iter(names.values()), "")


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
        else Note(note.code, f"{note.text} ({count} of {len(launches)} launches)")
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
