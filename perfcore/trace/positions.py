"""Where each event of a chunk stands: exact in every layout, because the decoder itself says where it ends."""

from __future__ import annotations

import msgspec

from perfcore.trace.event_json import decode_raw_events


def event_places(text: bytes) -> tuple[list[int], list[msgspec.Raw]]:
    """Where each object starts in `text`, a JSON array of objects only, and its own text.

    Between two objects stand only white space and a comma, so the next `{` begins the next object, and the
    decoder gives each object's length. (No search for a text such as `}, {` can: names and args hold it.)
    """
    raws = decode_raw_events(text)
    starts = []
    end = 1
    for raw in raws:
        start = text.index(b"{", end)
        end = start + len(raw)
        starts.append(start)
    return starts, raws
