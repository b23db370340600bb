"""A stretch of whole events, and what the decoder's refusals say about where one ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfcore.trace.event_json import Event

LARGEST_EVENT = 4 * 1024 * 1024
"""Bytes; what is larger is no event."""

GIVE_UP_AFTER = 128 * 1024 * 1024
"""Bytes without any event, after which the rest of a text is not searched: it is a bomb, not a trace."""

SPACE = b" \t\r\n"
_LONGEST_GAP = 256
_BYTE = re.compile(r"\(byte (\d+)\)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole events. `text` is a JSON array of nothing but them; a position in it plus `offset` is the byte
    offset in the trace's text. `lost_before` events of the trace stood before them and could not be read."""

    text: bytes
    offset: int
    events: list[Event]
    lost_before: int = 0


def last_cut(text: bytes, before: int) -> int:
    """Where the last comma stands that looks as if it were between two events, -1 for none."""
    brace = before
    while (brace := text.rfind(b"{", 0, brace)) > 0:
        gap_start = max(0, brace - _LONGEST_GAP)
        gap = text[gap_start:brace].rstrip(SPACE)
        if gap.endswith(b",") and gap[:-1].rstrip(SPACE).endswith(b"}"):
            return gap_start + len(gap) - 1
    return -1


def value_end(error: Exception, text: bytes) -> int | None:
    """Where a whole JSON value ends in the text, if the decoder only refused what follows it."""
    found = _BYTE.search(str(error)) if "trailing characters" in str(error) else None
    return len(text[: int(found[1]) - 1].rstrip(SPACE)) if found else None


def error_byte(error: Exception) -> int | None:
    """The first byte that cannot be JSON; None where the text only ends too early, or has another type."""
    found = _BYTE.search(str(error))
    return int(found[1]) if found else None
