"""Where each event of a chunk stands: exact in every layout, whatever names and arguments hold."""

from __future__ import annotations

import re

from perfcore.trace.event_json import decode_raw_events

_BETWEEN = re.compile(rb"\}[ \t\r\n]*,[ \t\r\n]*\{")


def event_spans(text: bytes, count: int) -> list[tuple[int, int]]:
    """(start, end) in `text`, a JSON array of `count` objects and nothing else, of each of its objects.

    Every gap between two objects looks like `}, {`, so if there are no more such places than gaps, they are the
    gaps. If there are (lists of objects in arguments, names with `}, {`), the decoder says where each object
    ends.
    """
    gaps = [found.span() for found in _BETWEEN.finditer(text)]
    if len(gaps) != count - 1:
        return _decoded_spans(text)
    starts = [text.index(b"{"), *(end - 1 for _, end in gaps)]
    ends = [*(start + 1 for start, _ in gaps), text.rindex(b"}") + 1]
    return list(zip(starts, ends, strict=True))


def _decoded_spans(text: bytes) -> list[tuple[int, int]]:
    """The same, slower: between two objects stand only white space and a comma, so the next `{` begins the next
    object, and the decoder gives each object's length."""
    spans = []
    end = 1
    for raw in decode_raw_events(text):
        start = text.index(b"{", end)
        end = start + len(raw)
        spans.append((start, end))
    return spans
