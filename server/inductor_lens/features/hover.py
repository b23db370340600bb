"""What is known of a kernel, as one small table, then where the figures come from and every doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.session import Session
from inductor_lens.source_places import spot_range
from perfcore.counted import counted
from perfcore.device import Device
from perfcore.exact import flops_of_body
from perfcore.inductor.model import KernelSource
from perfcore.kernel_name import CATEGORIES
from perfcore.metadata import KernelMetadata, operator_weights
from perfcore.metrics import flops_per_byte, is_memory_bound, tb_per_s
from perfcore.problem import Note
from perfcore.report import ReportRow
from perfcore.trace.model import Launch, LaunchArgs

MOST_ROWS = 4

ORIGINS = {
    "trace": "trace arguments (V2)",
    "cache": "the Inductor cache: signature and numels (V1)",
    "source": "the kernel's own source: its loads and stores",
}


def hover(session: Session, document: Document, position: types.Position) -> types.Hover | None:
    """The hover at a position, None where nothing of ours stands."""
    if (loaded := session.trace_of(document)) is not None:
        found = loaded.at(position)
        if found is None:
            return None
        event, launch, row = found
        device = loaded.report.device.device
        card = row_card(row, device, session.change_percent(loaded, row), launch)
        return _hover([_heading(row.metadata), card], spot_range(*event.name))
    view = session.view_at(document, position)
    place = view.at(position) if view is not None else None
    if view is None or place is None:
        return None
    parts: list[str] = []
    for kernel in place.kernels:
        rows = session.rows_of(kernel)
        if place.site:
            own = {row.id for row in rows}
            rows = [row for row in session.rows_at(view, place.site) if row.id in own]
        metadata = rows[0].metadata if rows else session.metadata_of(view, kernel)
        parts.append(_heading(metadata))
        if rows and session.active is not None:
            device = session.active.report.device.device
            parts += [
                row_card(row, device, session.change_percent(session.active, row)) for row in rows[:MOST_ROWS]
            ]
            if len(rows) > MOST_ROWS:
                parts.append(f"… and {counted(len(rows) - MOST_ROWS, 'other set')} of arguments.")
        else:
            parts.append(metadata_card(metadata))
            if session.active is not None:
                parts.append("The active trace has no launch of this kernel.")
            if not view.whole:
                parts.append(
                    "The rest of this file is still being read: how the kernel is called is not known yet."
                )
    return _hover(parts, place.range) if parts else None


def row_card(
    row: ReportRow, device: Device | None, change: float | None = None, launch: Launch | None = None
) -> str:
    """A row's table, origin and notes; with `launch`, that launch's own figures first."""
    metadata = row.metadata
    lines: list[tuple[str, str]] = []
    if launch is not None:
        busy = None if launch.busy_ns is None else launch.busy_ns / 1e3
        rate = wording.bandwidth(tb_per_s(metadata.bytes_moved, launch.busy_ns))
        lines.append(("this launch", f"{wording.exact_us(busy)} µs · {rate}"))
    lines.append(("kernel time", _time(row)))
    lines.append(("moved", f"{wording.exact_megabytes(metadata.bytes_moved)} MB"))
    bandwidth = [wording.bandwidth(row.tb_s)]
    if row.peak_percent is not None and device is not None:
        bandwidth.append(f"{wording.percent(row.peak_percent)} of {device.peak_bandwidth_tb_s:g} TB/s")
    if change is not None:
        bandwidth.append(f"{wording.change(change)} against the baseline")
    lines.append(("bandwidth", " · ".join(bandwidth)))
    if row.recoverable_us:
        lines.append(("recoverable", wording.duration(row.recoverable_us)))
    lines.append(("work", f"{wording.gigaflop(metadata.flops)} · {wording.tflops(row.tflops_s)} TFLOPS/s"))
    return _card([*lines, *_of_metadata(metadata, device, row.args)], metadata, row.notes)


def metadata_card(metadata: KernelMetadata) -> str:
    """What a kernel moves and computes, without a trace."""
    lines = [
        ("moves", f"{wording.exact_megabytes(metadata.bytes_moved)} MB"),
        ("work", wording.gigaflop(metadata.flops)),
    ]
    return _card([*lines, *_of_metadata(metadata, None, None)], metadata, metadata.notes)


def _time(row: ReportRow) -> str:
    time, launches = row.kernel_time_us, f"× {row.executions:,}"
    if time is None:
        return f"{wording.UNKNOWN} {launches}"
    if row.executions == 1:
        return f"{wording.exact_us(time.median)} µs {launches}"
    spread = f"min {wording.exact_us(time.min)}, max {wording.exact_us(time.max)}"
    return f"{wording.exact_us(time.median)} µs ({spread}) {launches}"


def _of_metadata(
    metadata: KernelMetadata, device: Device | None, args: LaunchArgs | None
) -> Iterator[tuple[str, str]]:
    if metadata.trace_bytes is not None and metadata.differs_from_trace:
        yield "by shapes alone (V2)", f"{wording.exact_megabytes(metadata.trace_bytes)} MB"
    if metadata.inductor_bytes is not None:
        yield "Inductor's own estimate", f"{wording.exact_megabytes(metadata.inductor_bytes)} MB"
    source = metadata.source if metadata.category != "tem" else None
    counted = _counted_in_body(source, metadata.numels, args) if source else None
    if counted is not None and (
        metadata.flops is None or abs(counted - metadata.flops) > 0.5 * metadata.flops
    ):
        yield "work counted in its body", wording.gigaflop(counted)
    intensity = flops_per_byte(metadata.flops, metadata.bytes_moved)
    if intensity is not None:
        bound = {None: "", True: " · memory-bound", False: " · compute-bound"}[
            is_memory_bound(device, intensity)
        ]
        yield "intensity", f"{wording.ratio(intensity)} FLOP/byte{bound}"
    if metadata.numels:
        yield "numels", " · ".join(f"{name.rstrip('_')} = {size:,}" for name, size in metadata.numels)
    weights = operator_weights(metadata)
    if weights:
        yield "fused ops", " · ".join(_weight(op, weight) for op, weight in weights)


@lru_cache(maxsize=256)
def _counted_in_body(
    source: KernelSource, numels: tuple[tuple[str, int], ...], args: LaunchArgs | None
) -> int | None:
    """Remembered, since a pointer that rests on a kernel asks for the same again and again."""
    return flops_of_body(source, dict(numels), args)


def _card(lines: Iterable[tuple[str, str]], metadata: KernelMetadata, notes: Iterable[Note]) -> str:
    table = "\n".join(["| | |", "|:--|:--|", *(f"| {name} | {value} |" for name, value in lines)])
    origin = f"Figures from {ORIGINS[metadata.origin]}."
    doubts = "\n".join(f"- {wording.markdown(note.text)}" for note in notes)
    return "\n\n".join(part for part in (table, origin, doubts) if part)


def _weight(op: str, weight: int | None) -> str:
    return f"{wording.markdown_code(op)} {wording.UNKNOWN if weight is None else weight}"


def _heading(metadata: KernelMetadata) -> str:
    category = CATEGORIES.get(metadata.category or "", "")
    return f"**{wording.markdown_code(metadata.name)}**" + (f" · {category}" if category else "")


def _hover(parts: list[str], where: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(parts)), where)
