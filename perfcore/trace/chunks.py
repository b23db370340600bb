"""The text of `traceEvents` → chunks of whole events, each proven to be whole by decoding.

A cut between two events is guessed by looking for `}, {`, which names and arguments may hold too. But a
chunk that began between two events and decodes as a JSON array also ends between two events, since a wrong
cut leaves a string, an object or an array open. So the decoder that is needed anyway proves the guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perfcore.trace.event_json import Event, decode_events
from perfcore.trace.stored import BLOCK
from perfcore.trace.text import Text

LARGEST_EVENT = 16 * 1024 * 1024
"""Bytes; what is larger is no event."""

_CUTS_TRIED = 4
_LONGEST_GAP = 256
_SPACE = b" \t\r\n"
_ARRAY_ENDED = re.compile(r"trailing characters \(byte (\d+)\)")


class Damaged(Exception):  # noqa: N818 - handled by the reader, never seen by a caller
    """The text in the window is not an array of events."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole events. `text` is a JSON array of nothing but them; a position in it plus `offset` is the byte
    offset in the trace's text."""

    text: bytes
    offset: int
    events: list[Event]


def event_chunks(text: Text) -> Iterator[Chunk]:
    """The events of the array in which the window stands, just behind its `[` or behind a comma in it.

    Afterwards the window begins just behind the array's `]`. Raises Damaged where the text does not decode.
    """
    array_ended = False
    while not array_ended:
        if len(text.window) < BLOCK:
            text.more()
        length, array_ended, chunk = _first_chunk(text)
        yield chunk
        text.drop(length)
        if text.ended and not array_ended:
            raise Damaged


def _first_chunk(text: Text) -> tuple[int, bool, Chunk]:
    """The longest chunk at the window's start, its length in the window (with the comma or the `]` behind
    it), and whether the array ends with it."""
    while True:
        cut = len(text.window)
        for _ in range(_CUTS_TRIED):
            if not text.ended:
                cut = _last_cut(text.window, cut)
            if cut < 0:
                break
            body = b"[" + text.window[:cut] + b"]"
            try:
                return cut + 1, False, Chunk(body, text.start - 1, decode_events(body))
            except msgspec.DecodeError as error:
                ended = _ARRAY_ENDED.search(str(error))
                if ended:
                    body = body[: int(ended[1]) - 1].rstrip(_SPACE)
                    return len(body) - 1, True, Chunk(body, text.start - 1, decode_events(body))
            except RecursionError:
                raise Damaged from None
            if text.ended:
                raise Damaged
        if len(text.window) > LARGEST_EVENT:
            raise Damaged
        text.more()


def _last_cut(window: bytes, before: int) -> int:
    """Where the last comma stands that looks as if it were between two events, -1 for none."""
    brace = before
    while (brace := window.rfind(b"{", 0, brace)) > 0:
        gap_start = max(0, brace - _LONGEST_GAP)
        gap = window[gap_start:brace].rstrip(_SPACE)
        if gap.endswith(b",") and gap[:-1].rstrip(_SPACE).endswith(b"}"):
            return gap_start + len(gap) - 1
    return -1
