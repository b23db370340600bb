"""The places of one document that mean the same kernel."""

from __future__ import annotations

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.session import Session
from inductor_lens.source_places import (
    call_name_range,
    definition_range,
    span_range,
    spot_range,
)

MOST_HIGHLIGHTS = 2_000


def highlights(
    session: Session, document: Document, position: types.Position
) -> list[types.DocumentHighlight]:
    """A kernel's definition, path and calls in a source; the events of a launch's row in a trace."""
    if (loaded := session.trace_of(document)) is not None:
        found = loaded.at(position)
        if loaded.places is None or found is None:
            return []
        events = loaded.places.of_launches(loaded.launch_indices(found.row))
        ranges = [spot_range(*event.name) for event, _ in zip(events, range(MOST_HIGHLIGHTS), strict=False)]
        return [types.DocumentHighlight(where, types.DocumentHighlightKind.Text) for where in ranges]
    view = session.source_view(document)
    place = view.at(position) if view is not None else None
    if view is None or place is None:
        return []
    kinds = types.DocumentHighlightKind
    found_at: dict[tuple[int, int], types.DocumentHighlight] = {}

    def add(where: types.Range, kind: types.DocumentHighlightKind) -> None:
        found_at[where.start.line, where.start.character] = types.DocumentHighlight(where, kind)

    for kernel in place.kernels:
        add(definition_range(kernel), kinds.Write)
        add(span_range(kernel.name_span), kinds.Write)
        if kernel.path_span is not None:
            add(span_range(kernel.path_span), kinds.Text)
        for site in view.calls_of(kernel):
            add(call_name_range(site), kinds.Read)
    return [found_at[start] for start in sorted(found_at)]
