"""What stands around `traceEvents`: the keys before and after it, wherever it is, however large they are."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from perfcore.trace.event_json import decode_anything
from perfcore.trace.text import Text

LARGEST_VALUE = 4 * 1024 * 1024
"""Bytes; the values that are of interest are a thousand times smaller. Larger ones are skipped."""

EVENTS_KEY = "traceEvents"
_STRING_REST = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_STRUCTURE = re.compile(rb'["{}\[\]]')
_WORD = re.compile(rb"[^,}\]\s]*")


class NotAnObject(Exception):  # noqa: N818 - handled by the reader, never seen by a caller
    """The window does not begin with a `"key": value` of an object."""


def read_keys(text: Text, keys: dict[str, Any]) -> bool:
    """Read `"key": value` pairs into `keys`, from inside an object on. True when the window stands behind
    the `[` of `traceEvents`, False when it stands behind the object's `}`. Raises NotAnObject."""
    while True:
        first = text.peek()
        if first == b"}":
            text.drop(1)
            return False
        if first == b",":
            text.drop(1)
            continue
        key = _decoded(read_value(text)) if first == b'"' else None
        if not isinstance(key, str) or text.peek() != b":":
            raise NotAnObject
        text.drop(1)
        if text.peek() == b"[" and key == EVENTS_KEY:
            text.drop(1)
            return True
        value = read_value(text)
        if value is not None:
            keys[key] = _decoded(value)


def read_value(text: Text) -> bytes | None:
    """Take the JSON value at the window's start. None for a large one, which is skipped unseen."""
    if text.peek() not in (b'"', b"{", b"["):
        return _read_word(text)
    scan = _ValueEnd()
    kept: list[bytes] | None = []
    size = 0
    while True:
        length, ended = scan.feed(text.window)
        size += length
        if size > LARGEST_VALUE:
            kept = None
        if kept is not None:
            kept.append(text.window[:length])
        text.drop(length)
        if ended:
            return None if kept is None else b"".join(kept)
        if not text.more():
            raise NotAnObject


def _read_word(text: Text) -> bytes:
    """A number, `true`, `false` or `null`."""
    while True:
        word = _WORD.match(text.window)
        length = word.end() if word else 0
        if length < len(text.window) or length > LARGEST_VALUE or not text.more():
            value = text.window[:length]
            text.drop(length)
            return value


def _decoded(value: bytes | None) -> Any:
    try:
        return decode_anything(value or b"")
    except (msgspec.DecodeError, RecursionError):
        raise NotAnObject from None


class _ValueEnd:
    """Finds where a string, an array or an object ends, fed with its text piece by piece."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False

    def feed(self, piece: bytes) -> tuple[int, bool]:
        """How many bytes of the piece belong to the value, and whether it ends with them. (A backslash at
        the end of the piece waits for what it escapes.)"""
        position = 0
        while position < len(piece):
            if self._in_string:
                rest = _STRING_REST.match(piece, position)
                position = rest.end() if rest else position
                if piece[position : position + 1] != b'"':
                    return position, False
                position += 1
                self._in_string = False
            else:
                found = _STRUCTURE.search(piece, position)
                if found is None:
                    return len(piece), False
                position = found.end()
                self._in_string = found[0] == b'"'
                self._depth += (found[0] in b"{[") - (found[0] in b"}]")
            if self._depth == 0 and not self._in_string:
                return position, True
        return position, False
