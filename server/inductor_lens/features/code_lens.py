"""A lens over each kernel: `3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1`."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.features.navigation import launch_locations
from inductor_lens.session import Session
from inductor_lens.source_places import definition_range
from perfcore.metadata import KernelMetadata
from perfcore.report import ReportRow

SHOW_LAUNCHES = "inductorLens.showLaunches"
MOST_LENSES = 3
"""A kernel of dynamic shapes may have a row for each; more than a few lenses in a row are not read."""


def code_lenses(session: Session, document: Document) -> list[types.CodeLens]:
    """One lens for each set of arguments that a kernel ran with, without their titles."""
    view = session.source_view(document)
    if view is None or not session.settings.code_lens:
        return []
    lenses: list[types.CodeLens] = []
    for index, kernel in enumerate(view.kernels):
        place = definition_range(kernel)
        rows = session.rows_of(kernel)
        for number in range(min(max(len(rows), 1), MOST_LENSES)):
            data = {
                "uri": document.uri,
                "version": document.version.serial,
                "kernel": index,
                "row": rows[number].id if rows else None,
                "more": len(rows) - MOST_LENSES if number == MOST_LENSES - 1 else 0,
            }
            lenses.append(types.CodeLens(place, data=data))
    return lenses


def resolve(session: Session, lens: types.CodeLens) -> types.CodeLens:
    """The lens with its title, and with its launches to show when it is clicked."""
    if lens.command is not None:
        return lens
    data: Any = lens.data if isinstance(lens.data, dict) else {}
    document = session.documents.get(str(data.get("uri", "")))
    view = session.source_view(document) if document is not None else None
    index = data.get("kernel")
    if document is None or view is None or not isinstance(index, int) or not 0 <= index < len(view.kernels):
        lens.command = types.Command("", "")
        return lens
    kernel = view.kernels[index]
    row = next((row for row in session.rows_of(kernel) if row.id == data.get("row")), None)
    if row is None or session.active is None:
        lens.command = types.Command(metadata_title(session.metadata_of(view, kernel)) or "no figures", "")
        return lens
    title = lens_title(row, session.change_percent(row))
    if isinstance(more := data.get("more"), int) and more > 0:
        title += f" · and {wording.count(more, 'other set')} of arguments"
    locations = launch_locations(session.active, row)
    shown = {"uri": session.active.uri, "id": row.id}
    lens.command = types.Command(
        title, SHOW_LAUNCHES, arguments=[document.uri, lens.range.start, locations, shown]
    )
    return lens


def lens_title(row: ReportRow, change: float | None) -> str:
    """What matters most stands first; what is not known is left out."""
    parts = [wording.bandwidth(row.tb_s)] if row.tb_s is not None else []
    if change is not None:
        parts.append(wording.change(change))
    if row.peak_percent is not None:
        parts.append(f"{wording.percent(row.peak_percent)} of peak")
    if (moved := metadata_title(row.metadata)) is not None:
        parts.append(moved)
    time = row.kernel_time_us.median if row.kernel_time_us else None
    parts.append(f"{wording.duration(time)} × {row.executions:,}")
    return " · ".join(parts)


def metadata_title(metadata: KernelMetadata) -> str | None:
    """`1,536 MB · 1.342 GFLOP`, as far as known."""
    parts = []
    if metadata.bytes_moved is not None:
        parts.append(wording.megabytes(metadata.bytes_moved))
    if metadata.flops is not None:
        parts.append(wording.gigaflop(metadata.flops))
    return " · ".join(parts) or None
