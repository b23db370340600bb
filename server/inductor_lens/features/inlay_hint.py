"""A hint at each call of a kernel and at each launch in a trace: `3.19 TB/s`."""

from __future__ import annotations

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.session import Session
from perfcore.metrics import tb_per_s
from perfcore.report import ReportRow


def inlay_hints(session: Session, document: Document, within: types.Range) -> list[types.InlayHint]:
    """The hints of a range, which is what is on the screen."""
    if not session.settings.inlay_hints:
        return []
    if session.trace_of(document) is not None:
        return _trace_hints(session, document, within)
    view = session.source_view(document)
    if view is None or session.active is None:
        return []
    hints: list[types.InlayHint] = []
    for site in view.call_sites:
        if not within.start.line <= site.span.end_line <= within.end.line:
            continue
        label = _label(session.rows_at(view, site))
        if label:
            place = types.Position(site.span.end_line, site.span.end_column)
            hints.append(types.InlayHint(place, label, padding_left=True))
    return hints


def _trace_hints(session: Session, document: Document, within: types.Range) -> list[types.InlayHint]:
    loaded = session.trace_of(document)
    if loaded is None or loaded.places is None:
        return []
    hints: list[types.InlayHint] = []
    start, end = within.start, within.end
    for event in loaded.places.within((start.line, start.character), (end.line, end.character)):
        found = loaded.row_at(event) if event.main else None
        if found is None:
            continue
        launch, row = found
        rate = tb_per_s(row.metadata.bytes_moved, launch.busy_ns)
        if rate is not None:
            line, column = event.name[1]
            place = types.Position(line, column + 1)  # after the closing quote
            hints.append(types.InlayHint(place, wording.bandwidth(rate), padding_left=True))
    return hints


def _label(rows: list[ReportRow]) -> str | None:
    """One bandwidth, or the lowest and the highest where one call ran with several sets of arguments."""
    rates = sorted(row.tb_s for row in rows if row.tb_s is not None)
    if not rates:
        return None
    low, high = wording.bandwidth(rates[0]), wording.bandwidth(rates[-1])
    return high if low == high else f"{low} – {high}"
