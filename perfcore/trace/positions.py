"""Where each event of a chunk stands: exact in every layout, because the decoder itself says where it ends."""

from __future__ import annotations

from perfcore.trace.event_json import decode_raw_events


def event_spans(text: bytes) -> list[tuple[int, int]]:
    """(start, end) in `text`, a JSON array of objects only, of each of its objects.

    Between two objects stand only white space and a comma, so the next `{` begins the next object, and the
    decoder gives each object's length. (No search for a text such as `}, {` can: names and args hold it.)
    """
    spans = []
    end = 1
    for raw in decode_raw_events(text):
        start = text.index(b"{", end)
        end = start + len(raw)
        spans.append((start, end))
    return spans
