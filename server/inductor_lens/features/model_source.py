"""The user's own program: what a line or a function became, and how fast that runs. Only what PyTorch wrote down,
in comments, debug files or the trace's Python stacks, is said; where nothing is, nothing is."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.features.code_lens import SHOW_LAUNCHES
from inductor_lens.features.navigation import kernel_link, location
from inductor_lens.loaded_trace import by_time
from inductor_lens.session import ModelView, Session
from perfcore.counted import counted
from perfcore.inductor.model import KernelSource
from perfcore.report import ReportRow

MOST_ROWS = 12


def line_hover(session: Session, document: Document, position: types.Position) -> types.Hover | None:
    """The kernels that a line became, most time first."""
    view = session.model_view(document)
    if view is None:
        return None
    kernels = view.by_line.get(position.line, ())
    rows = session.rows_of_line(document, position.line)
    if not kernels and not rows:
        return None
    names = {row.name for row in rows}
    lines = [
        f"| {wording.markdown_code(row.name)} | {_time(row)} | {wording.bandwidth(row.tb_s)} |"
        for row in rows
    ]
    lines += [
        f"| {wording.markdown_code(kernel.name)} | {wording.UNKNOWN} | {wording.UNKNOWN} |"
        for kernel in kernels
        if kernel.name not in names
    ]
    count = len(names | {kernel.name for kernel in kernels})
    head = f"This line became {counted(count, 'kernel')} (a fused kernel comes from several lines):"
    more = [f"… and {len(lines) - MOST_ROWS:,} more."] if len(lines) > MOST_ROWS else []
    table = "\n".join(["| kernel | time | bandwidth |", "|:--|--:|--:|", *lines[:MOST_ROWS]])
    text = "\n\n".join([head, table, *more])
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def function_lenses(session: Session, document: Document) -> list[types.CodeLens]:
    """Over each function the sum of what its lines became."""
    view = session.model_view(document)
    if view is None or not session.settings.code_lens:
        return []
    lenses: list[types.CodeLens] = []
    for function in view.functions:
        lines = range(function.line, function.last + 1)
        rows = _rows(session, document, view, lines)
        names = {row.name for row in rows} | {kernel.name for kernel in function.kernels}
        if not names:
            continue
        place = types.Range(types.Position(function.line, 0), types.Position(function.line, 0))
        locations = [location(session, kernel) for kernel in function.kernels]
        title = f"{counted(len(names), 'kernel')}{_sum(session, rows)}"
        command = types.Command(title, SHOW_LAUNCHES, arguments=[document.uri, place.start, locations])
        lenses.append(types.CodeLens(place, command))
    return lenses


def line_implementation(
    session: Session, document: Document, position: types.Position
) -> list[types.LocationLink]:
    """The kernels that a line became."""
    view = session.model_view(document)
    if view is None:
        return []
    here = types.Range(types.Position(position.line, 0), types.Position(position.line + 1, 0))
    found: dict[str | None, KernelSource] = {}
    for kernel in view.by_line.get(position.line, ()):
        found.setdefault(kernel.content_hash, kernel)
    for row in session.rows_of_line(document, position.line):
        for kernel in row.places[:1]:
            found.setdefault(kernel.content_hash, kernel)
    return [kernel_link(session, kernel, here) for kernel in found.values()]


def _rows(session: Session, document: Document, view: ModelView, lines: Iterable[int]) -> list[ReportRow]:
    """The rows of some lines, each once."""
    found = {row.id: row for line in lines for row in session.rows_of_line(document, line)}
    return by_time(found.values())


def _sum(session: Session, rows: list[ReportRow]) -> str:
    total = sum(row.kernel_time_us.total for row in rows if row.kernel_time_us)
    if not total or session.active is None:
        return ""
    share = 100 * total / session.active.report.triton_time_us
    moved = [(row.metadata.bytes_moved, row.executions) for row in rows if row.kernel_time_us]
    known = sum(moved_bytes * launches for moved_bytes, launches in moved if moved_bytes is not None)
    complete = all(moved_bytes is not None for moved_bytes, _ in moved)
    rate = f" · {wording.bandwidth(known / total / 1e6)}" if complete else ""
    return f"{rate} · {wording.duration(total)} · {wording.percent(share)} of Triton time"


def _time(row: ReportRow) -> str:
    if row.kernel_time_us is None:
        return f"{wording.UNKNOWN} × {row.executions:,}"
    return f"{wording.duration(row.kernel_time_us.median)} × {row.executions:,}"
