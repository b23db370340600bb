"""A lens over each kernel: `3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.features.navigation import launch_locations
from inductor_lens.session import Session
from inductor_lens.source_places import InductorView, definition_range, statement_range
from perfcore.counted import counted
from perfcore.inductor.model import KernelSource
from perfcore.metadata import KernelMetadata
from perfcore.report import ReportRow

SHOW_LAUNCHES = "inductorLens.showLaunches"
MOST_LENSES = 3
"""A kernel of dynamic shapes may have a row for each; more than a few lenses in a row are not read."""

MOST_LAUNCHES = 2_000
"""Launches that a lens or an action lists; `inductorLens/launches` and references have all of them."""


def code_lenses(session: Session, document: Document) -> list[types.CodeLens]:
    """One lens for each set of arguments that a kernel ran with, without their titles."""
    if not session.settings.code_lens:
        return []
    lenses: list[types.CodeLens] = []
    for place, text_line, rows in _kernels(session, document):
        for number in range(min(max(len(rows), 1), MOST_LENSES)):
            data = {
                "uri": document.uri,
                "version": document.version.serial,
                "line": text_line,
                "row": rows[number].id if rows else None,
                "more": len(rows) - MOST_LENSES if number == MOST_LENSES - 1 else 0,
            }
            lenses.append(types.CodeLens(place, data=data))
    return lenses


def _kernels(session: Session, document: Document) -> Iterator[tuple[types.Range, int, list[ReportRow]]]:
    """Each kernel's place, the line at which its text begins, and its rows."""
    if (view := session.source_view(document)) is not None:
        for kernel in view.kernels:
            yield definition_range(kernel), kernel.text_line, session.rows_of(kernel)
    elif (begun := session.begun(document)) is not None:
        for index, outline in enumerate(begun.outline):
            line, _ = begun.lines(index)
            yield statement_range(line, outline.name), line, session.rows_of(outline)


def resolve(session: Session, lens: types.CodeLens) -> types.CodeLens:
    """The lens with its title, and with its launches to show when it is clicked. Raises ContentModified where its
    document has another text by now, so that the client asks for its lenses again."""
    if lens.command is not None:
        return lens
    data: Any = lens.data if isinstance(lens.data, dict) else {}
    document = session.documents.get(str(data.get("uri", "")))
    if document is None or document.version.serial != data.get("version"):
        raise JsonRpcContentModified
    view = session.view_at(document, lens.range.start)
    kernel = view.kernel_on(data["line"]) if view is not None and isinstance(data.get("line"), int) else None
    if view is None or kernel is None:
        lens.command = types.Command("cannot be read", "")
        return lens
    row = next((row for row in session.rows_of(kernel) if row.id == data.get("row")), None)
    if row is None or session.active is None:
        lens.command = types.Command(_title_of_source(session, view, kernel), "")
        return lens
    title = lens_title(row, session.change_percent(session.active, row))
    if isinstance(more := data.get("more"), int) and more > 0:
        title += f" · and {counted(more, 'other set')} of arguments"
    locations = launch_locations(session.active, row, MOST_LAUNCHES)
    shown = {"uri": session.active.uri, "id": row.id}
    lens.command = types.Command(
        title, SHOW_LAUNCHES, arguments=[document.uri, lens.range.start, locations, shown]
    )
    return lens


def _title_of_source(session: Session, view: InductorView, kernel: KernelSource) -> str:
    """What a kernel moves and computes by itself. What its calls would make exact is not said before they are read."""
    metadata = session.metadata_of(view, kernel)
    if not view.whole and metadata.origin != "source":
        return "reading …"
    return metadata_title(metadata) or "no figures"


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
