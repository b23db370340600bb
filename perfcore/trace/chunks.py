"""The text of `traceEvents` → chunks of whole events, each proven to be whole by decoding.

A cut between two events is guessed by looking for `}, {`, which names and arguments may hold too. But a
chunk that began between two events and decodes as a JSON array also ends between two events, since a wrong
cut leaves a string, an object or an array open. So the decoder that is needed anyway proves the guess.
"""

from __future__ import annotations

from collections.abc import Generator

import msgspec

from perfcore.trace.chunk import Chunk, error_byte, last_cut, value_end
from perfcore.trace.damage import Damage
from perfcore.trace.event_json import decode_events
from perfcore.trace.mend import is_utf8
from perfcore.trace.salvage import salvage
from perfcore.trace.stored import BLOCK
from perfcore.trace.text import Text

_CUTS_TRIED = 4
_LARGEST_GUESS = 4 * BLOCK
"""Without a cut in so much text something is wrong, or one event is very long: `salvage` finds out."""


def event_chunks(text: Text, damage: Damage) -> Generator[Chunk, None, bool]:
    """The events of the array in which the window stands, just behind its `[` or behind an event.

    Afterwards the window begins just behind the array's `]`, or (False) at the end of the text.
    """
    array_ended = False
    while not array_ended:
        if len(text.window) < BLOCK:
            text.more()
        if text.ended and not text.window.strip():
            damage.cut(text.start + len(text.window))
            return False
        found = _first_chunk(text)
        if found is None:
            place = yield from salvage(text, damage)
            if place == "text ended":
                return False
            array_ended = place == "array ended"
        else:
            length, array_ended, chunk = found
            yield chunk
            text.drop(length)
    return True


def _first_chunk(text: Text) -> tuple[int, bool, Chunk] | None:
    """The longest chunk at the window's start, its length in the window (with the comma or the `]` behind
    it), and whether the array ends with it. None where the text does not decode."""
    while True:
        cut = len(text.window)
        for _ in range(_CUTS_TRIED):
            if not text.ended:
                cut = last_cut(text.window, cut)
            if cut < 0:
                break
            body = b"".join((b"[", memoryview(text.window)[:cut], b"]"))
            try:
                chunk = Chunk(body, text.start - 1, decode_events(body))
                # The decoder checks only the strings that it makes; others may turn up in a kept event's `args`.
                return (cut + 1, False, chunk) if is_utf8(body) else None
            except msgspec.DecodeError as error:
                end = value_end(error, body)
                if end is not None:
                    body = body[:end]
                    chunk = Chunk(body, text.start - 1, decode_events(body))
                    return (end - 1, True, chunk) if is_utf8(body) else None
                byte = error_byte(error)
                if text.ended or (byte is not None and byte < len(body) - 1):
                    return None
            except RecursionError:
                return None
        if len(text.window) >= _LARGEST_GUESS:
            return None
        text.more()
