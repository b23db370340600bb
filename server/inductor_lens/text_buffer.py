"""The text of an open document, edited in place: pieces of bounded size with their counts beside them.

An edit touches one or two pieces and looks at the counts of the rest, so a thousand edits of a trace of
34 MB cost what they change and not a thousand copies of it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from inductor_lens.text_index import line_breaks, utf16_length

PIECE = 1 << 15
_BREAK = re.compile(r"\r\n|\n|\r")


class _Piece(NamedTuple):
    text: str
    breaks: int
    units: int


class TextBuffer:
    """A text that is addressed by (line, UTF-16 column). Positions outside it are clamped into it."""

    def __init__(self, text: str) -> None:
        self._pieces = _cut(text) or [_Piece("", 0, 0)]

    def text(self) -> str:
        """The whole text, put together anew: it is asked for once an edit, and a trace is big."""
        return "".join(piece.text for piece in self._pieces)

    def length(self) -> int:
        """How many characters it has."""
        return sum(len(piece.text) for piece in self._pieces)

    def replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Puts `text` in the place of what stands from `start` to `end`."""
        first, head = self._find(*start)
        last, tail = self._find(*max(start, end))
        before, after = self._pieces[first].text[:head], self._pieces[last].text[tail:]
        # A line end is never cut in two: "\r" and "\n" in neighbouring pieces would count twice.
        if not before and first > 0 and self._pieces[first - 1].text.endswith("\r"):
            first -= 1
            before = self._pieces[first].text
        if not after and last + 1 < len(self._pieces):
            last += 1
            after = self._pieces[last].text
        self._pieces[first : last + 1] = _cut(before + text + after)
        self._pieces = self._pieces or [_Piece("", 0, 0)]

    def _find(self, line: int, column: int) -> tuple[int, int]:
        """(piece, character in it) of a position."""
        index = 0
        for index, piece in enumerate(self._pieces):  # noqa: B007
            if piece.breaks >= line:
                break
            line -= piece.breaks
        piece = self._pieces[index]
        if piece.breaks < line:
            return index, len(piece.text)
        at = _after_break(piece.text, line)
        while True:
            piece = self._pieces[index]
            rest = piece.text[at:] if at else piece.text
            if at == 0 and not piece.breaks:
                units, end = piece.units, len(rest)
            else:
                end = _line_length(rest)
                units = utf16_length(rest[:end])
            if column <= units:
                return index, at + _characters(rest[:end], column)
            if end < len(rest) or index + 1 == len(self._pieces):
                return index, at + end
            column -= units
            index, at = index + 1, 0


def _cut(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    start = 0
    while start < len(text):
        end = start + PIECE
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        part = text[start:end]
        pieces.append(_Piece(part, line_breaks(part), utf16_length(part)))
        start = end
    return pieces


def _after_break(text: str, count: int) -> int:
    """Where the text goes on after its `count`-th line end (which it has)."""
    return next(islice(_BREAK.finditer(text), count - 1, None)).end() if count else 0


def _line_length(text: str) -> int:
    """Characters before the first line end."""
    found = _BREAK.search(text)
    return found.start() if found else len(text)


def _characters(line: str, column: int) -> int:
    """Characters of `line` that take at most `column` UTF-16 units; a pair is never cut."""
    if line.isascii():
        return min(column, len(line))
    units = 0
    for count, character in enumerate(line):
        units += 2 if character > "\uffff" else 1
        if units > column:
            return count
    return len(line)
