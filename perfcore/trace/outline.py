"""What stands around `traceEvents`: the keys before and after it, wherever it is, however large they are."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any

import msgspec

from perfcore.trace.chunk import GIVE_UP_AFTER
from perfcore.trace.damage import Damage
from perfcore.trace.event_json import decode_anything
from perfcore.trace.text import Text

LARGEST_VALUE = 4 * 1024 * 1024
"""Bytes; the values that are of interest are a thousand times smaller. Larger ones are skipped unread."""

_KEY = "traceEvents"
_ALIKE = 0.5
_LONGEST_START = 2048
_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')
_EVENT = re.compile(rb'\{[^{}]{0,1000}"ph"\s*:\s*"')
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STRUCTURE = re.compile(rb'["{}\[\]]')
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEPS)
_SKIMMED = 16 * 1024
_WORD_REST = re.compile(rb"[^,}\]\s]*")
_SPACE_REST = re.compile(rb"[ \t\r\n]*")


class NotAnObject(Exception):  # noqa: N818 - handled by the reader, never seen by a caller
    """The window does not begin with a `"key": value` of an object, or with its end."""


def read_keys(text: Text, keys: dict[str, Any], damage: Damage) -> bool:
    """Read `"key": value` pairs into `keys`, from inside an object on (None for a value that is too large).

    True when the window stands behind the `[` of `traceEvents`, False when it stands behind the object's `}`.
    Raises NotAnObject where the text is damaged, with the window at the pair that is.
    """
    while True:
        first = text.peek()
        if first in (b",", b"}"):
            text.drop(1)
            if first == b"}":
                return False
            continue
        if first != b'"':
            raise NotAnObject
        key_end = _value_end(text, 0)
        key = _decoded(text.window[: max(0, key_end)])
        colon = _skip_space(text, key_end)
        value = _skip_space(text, colon + 1)
        if text.window[colon : colon + 1] != b":":
            raise NotAnObject
        if text.window[value : value + 1] == b"[" and _names_events(text, str(key), value + 1):
            if key != _KEY:
                damage.mend(text.start, [f"the key {str(key)[:20]!r}"])
            text.drop(value + 1)
            return True
        end = _value_end(text, value)
        keys[str(key)] = _decoded(text.window[value:end]) if end >= 0 else None
        text.drop(max(0, end))


def find_events(text: Text) -> bool:
    """Look for the first event of a damaged trace and stand before it: behind the `[` of `traceEvents`, or
    at the first object that looks like an event. False when there is none."""
    searched = text.start
    while True:
        array, event = _EVENTS_KEY.search(text.window), _EVENT.search(text.window)
        if event and (array is None or event.start() < array.start()):
            text.drop(event.start())
            return True
        if array:
            text.drop(array.end())
            return True
        text.drop(max(0, len(text.window) - _LONGEST_START))
        if text.start - searched > GIVE_UP_AFTER or not text.more():
            return False


def begins_with_event(text: Text) -> bool:
    """Whether the object that begins here is an event itself, as in an array that lost its `[`."""
    return _EVENT.match(text.window) is not None


def _names_events(text: Text, key: str, first: int) -> bool:
    """Whether this is the key of the events. A damaged byte in it must not cost them all, so a key like it is
    taken, too, if its array begins with an event."""
    if key == _KEY:
        return True
    if SequenceMatcher(None, key[:100], _KEY).ratio() < _ALIKE:
        return False
    return _EVENT.match(text.window, _skip_space(text, first)) is not None


def _decoded(value: bytes) -> Any:
    try:
        return decode_anything(value)
    except msgspec.DecodeError:
        raise NotAnObject from None


def _skip_space(text: Text, position: int) -> int:
    """The first position of the window from this one on that is no white space."""
    while True:
        rest = _SPACE_REST.match(text.window, position)
        position = rest.end() if rest else position
        if position < len(text.window):
            return position
        if not text.more():
            raise NotAnObject


def _value_end(text: Text, start: int) -> int:
    """Where the value ends that begins at `start` of the window, which grows to hold it. -1 for a large
    value: the window then stands behind it."""
    scan = _Scan(text.window[start : start + 1])
    position = start
    while True:
        position, ended = scan.feed(text.window, position)
        if ended:
            return position
        if position - start > LARGEST_VALUE:
            if _EVENTS_KEY.search(text.window, start):
                raise NotAnObject  # a lost quote or bracket made the events a part of this value
            break
        if not text.more():
            raise NotAnObject
    while not ended:
        text.drop(position)
        if not text.more():
            raise NotAnObject
        position, ended = scan.feed(text.window, 0)
    text.drop(position)
    return -1


class _Scan:
    """Finds where a JSON value ends, fed with its text piece by piece."""

    def __init__(self, first: bytes) -> None:
        self._is_word = first not in (b'"', b"{", b"[")
        self._depth = 0
        self._in_string = False

    def feed(self, piece: bytes, position: int) -> tuple[int, bool]:
        """Go on at `position` of the piece: how far the value reaches, and whether it ends there. (A
        backslash at the end of the piece waits for what it escapes.)"""
        if self._is_word:
            rest = _WORD_REST.match(piece, position)
            position = rest.end() if rest else position
            return position, position < len(piece)
        if self._in_string:
            position = self._skip_string(piece, position)
            if self._in_string or self._depth <= 0:
                return position, not self._in_string
        if self._skim(piece, position):
            dangling = len(piece) - len(piece.rstrip(b"\\"))
            return len(piece) - (dangling % 2 if self._in_string else 0), False
        while position < len(piece):
            found = _STRUCTURE.search(piece, position)
            if found is None:
                return len(piece), False
            position = found.end()
            self._depth += (found[0] in b"{[") - (found[0] in b"}]")
            self._in_string = found[0] == b'"'
            if self._in_string:
                position = self._skip_string(piece, position)
                if self._in_string:
                    return position, False
            if self._depth <= 0:
                return position, True
        return position, False

    def _skip_string(self, piece: bytes, position: int) -> int:
        """Past the string's closing quote, or as far as it can be seen."""
        while position < len(piece):
            rest = _STRING_REST.match(piece, position)
            position = rest.end() if rest else position
            if piece[position : position + 1] == b'"':
                self._in_string = False
                return position + 1
            if position + 1 >= len(piece):
                break
        return position

    def _skim(self, piece: bytes, position: int) -> bool:
        """Take the whole rest of a long piece at once, if the value does not end in it."""
        if len(piece) - position < _SKIMMED or self._depth <= 0:
            return False
        rest, quote, _ = _STRING.sub(b"", piece[position:]).partition(b'"')
        steps = map(_STEPS.__getitem__, rest.translate(None, _NO_BRACKETS))
        depths = list(accumulate(steps, initial=self._depth))
        if min(depths) <= 0:
            return False
        self._depth, self._in_string = depths[-1], bool(quote)
        return True
