"""The places of one document that mean the same kernel."""

from __future__ import annotations

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.session import Session
from inductor_lens.source_places import (
    call_name_range,
    definition_range,
    kernels_called,
    place_at,
    span_range,
    spot_range,
)

MOST_HIGHLIGHTS = 2_000


def highlights(
    session: Session, document: Document, position: types.Position
) -> list[types.DocumentHighlight]:
    """A kernel's definition, path and calls in a source; the events of a launch's row in a trace."""
    if (loaded := session.trace_of(document)) is not None:
        event = loaded.places.at(position.line, position.character) if loaded.places else None
        found = loaded.row_at(event) if event is not None else None
        if loaded.places is None or found is None:
            return []
        events = loaded.places.of_launches(loaded.launch_indices(found[1]))
        ranges = [spot_range(*event.name) for event, _ in zip(events, range(MOST_HIGHLIGHTS), strict=False)]
        return [types.DocumentHighlight(where, types.DocumentHighlightKind.Text) for where in ranges]
    file = session.inductor_file(document)
    place = place_at(file, position) if file is not None else None
    if file is None or place is None:
        return []
    found_at: dict[tuple[int, int], types.DocumentHighlight] = {}
    for kernel in place.kernels:
        for where in (definition_range(kernel), span_range(kernel.name_span)):
            found_at[where.start.line, where.start.character] = types.DocumentHighlight(
                where, types.DocumentHighlightKind.Write
            )
        if kernel.path_span is not None:
            where = span_range(kernel.path_span)
            found_at[where.start.line, where.start.character] = types.DocumentHighlight(
                where, types.DocumentHighlightKind.Text
            )
    for site in file.call_sites:
        if any(kernel in place.kernels for kernel in kernels_called(file, site)):
            where = call_name_range(site)
            found_at[where.start.line, where.start.character] = types.DocumentHighlight(
                where, types.DocumentHighlightKind.Read
            )
    return [found_at[start] for start in sorted(found_at)]
