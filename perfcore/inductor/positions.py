"""Where a character stands: line and UTF-16 column as editors count them, byte offset as problems give it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

from perfcore.inductor.model import Span

_LINE_BREAK = re.compile(r"\n")
_CRLF = re.compile(r"\r\n")


class TextPositions:
    """One text and its line starts, found once, when they are first asked for; every question after that is a binary search.

    Lines break at LF, CR LF and CR only, as in LSP: U+2028, form feed and the like are ordinary characters,
    though `str.splitlines` thinks otherwise. `text` is the given one with LF as its only line break, so that
    regular expressions and `ast` see an editor's lines; all indices are into it.
    """

    def __init__(self, text: str) -> None:
        self._shortened: list[int] = []
        if "\r" in text:
            crlf = (found.start() for found in _CRLF.finditer(text))
            self._shortened = [index - number for number, index in enumerate(crlf)]
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = text
        self._ascii = text.isascii()
        self._byte_anchor = (0, 0)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]

    def line_of(self, index: int) -> int:
        return bisect_right(self._starts, index) - 1

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_and_column(self, index: int) -> tuple[int, int]:
        line = self.line_of(index)
        start = self._starts[line]
        if self._ascii:
            return line, index - start
        return line, len(self.text[start:index].encode("utf-16-le", "surrogatepass")) // 2

    def span(self, start: int, end: int) -> Span:
        return Span(*self.line_and_column(start), *self.line_and_column(end))

    def byte_offset(self, index: int) -> int:
        """The UTF-8 byte offset in the given text. Asked in ascending order, all questions together cost one
        pass."""
        before = bisect_left(self._shortened, index)
        if self._ascii:
            return index + before
        at, offset = self._byte_anchor if self._byte_anchor[0] <= index else (0, 0)
        offset += len(self.text[at:index].encode("utf-8", "surrogatepass"))
        self._byte_anchor = (index, offset)
        return offset + before
