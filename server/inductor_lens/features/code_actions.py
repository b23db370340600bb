"""What one can do with a kernel: list its launches, go to the worst one, hear no more of it, copy its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.features.code_lens import MOST_LAUNCHES, SHOW_LAUNCHES
from inductor_lens.features.navigation import launch_locations
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session
from perfcore.report import ReportRow

OPEN_WORST_LAUNCH = "inductorLens.openWorstLaunch"
IGNORE_KERNEL = "inductorLens.ignoreKernel"
COPY_MARKDOWN = "inductorLens.copyMarkdown"


def code_actions(
    session: Session,
    document: Document,
    where: types.Range,
    context: types.CodeActionContext,
    *,
    copies: bool,
) -> list[types.CodeAction]:
    """The actions for the kernel at the beginning of a range; `copies` says whether the client can copy."""
    found = _rows_at(session, document, where.start)
    if found is None:
        return []
    loaded, rows = found
    ours = [diagnostic for diagnostic in context.diagnostics if _is_about(diagnostic, rows)]
    actions = _actions(document, where.start, loaded, rows, ours, copies=copies)
    return [action for action in actions if _is_wanted(action, context.only)]


def _rows_at(
    session: Session, document: Document, position: types.Position
) -> tuple[LoadedTrace, list[ReportRow]] | None:
    if (loaded := session.trace_of(document)) is not None:
        found = loaded.at(position)
        return (loaded, [found.row]) if found is not None else None
    view = session.view_at(document, position)
    place = view.at(position) if view is not None else None
    if view is None or place is None or session.active is None:
        return None
    kernels = place.kernels
    rows = (
        session.rows_at(view, place.site) if place.site else [r for k in kernels for r in session.rows_of(k)]
    )
    return (session.active, rows) if rows else None


def _actions(
    document: Document,
    position: types.Position,
    loaded: LoadedTrace,
    rows: list[ReportRow],
    diagnostics: list[types.Diagnostic],
    *,
    copies: bool,
) -> Iterator[types.CodeAction]:
    row = rows[0]
    shown = {"uri": loaded.uri, "id": row.id}
    locations = [place for each in rows for place in launch_locations(loaded, each, MOST_LAUNCHES)]
    arguments = [document.uri, position, locations, shown]
    yield _action("Show the launches", SHOW_LAUNCHES, arguments)
    yield _action("Open the slowest launch in the trace", OPEN_WORST_LAUNCH, [loaded.uri, row.id])
    if copies:
        yield _action("Copy the figures as Markdown", COPY_MARKDOWN, [shown])
    if diagnostics:
        ignore = _action(f"Flag {row.name} no more", IGNORE_KERNEL, [row.name])
        ignore.kind, ignore.diagnostics = types.CodeActionKind.QuickFix, diagnostics
        yield ignore


def _action(title: str, command: str, arguments: Sequence[object]) -> types.CodeAction:
    return types.CodeAction(
        title, kind=types.CodeActionKind.Empty, command=types.Command(title, command, arguments=arguments)
    )


def _is_about(diagnostic: types.Diagnostic, rows: list[ReportRow]) -> bool:
    data = diagnostic.data
    kernel = data.get("kernel") if isinstance(data, dict) else getattr(data, "kernel", None)
    return kernel == rows[0].name


def _is_wanted(action: types.CodeAction, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """A client asks for kinds: each stands for those below it, and the empty one for all."""
    if only is None:
        return True
    kind = str(getattr(action.kind, "value", action.kind) or "")
    kinds = (str(getattr(each, "value", each)) for each in only)
    return any(not each or kind == each or kind.startswith(f"{each}.") for each in kinds)
