"""Where a character stands: line and UTF-16 column as editors count them, byte offset as problems give it."""

from __future__ import annotations

import re
from bisect import bisect_right

from perfcore.inductor.model import Span

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class TextPositions:
    """The line starts of one text, found once; every question after that is a binary search.

    Lines break at LF, CR LF and CR only, as in LSP: U+2028, form feed and the like are ordinary characters,
    though `str.splitlines` thinks otherwise.
    """

    __slots__ = ("_ascii", "_byte_anchor", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]
        self._byte_anchor = (0, 0)

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def line_of(self, index: int) -> int:
        return bisect_right(self._starts, index) - 1

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_text(self, line: int) -> str:
        """The line without its line break."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[line] : end].rstrip("\r\n")

    def line_and_column(self, index: int) -> tuple[int, int]:
        line = self.line_of(index)
        start = self._starts[line]
        if self._ascii:
            return line, index - start
        return line, len(self.text[start:index].encode("utf-16-le", "surrogatepass")) // 2

    def span(self, start: int, end: int) -> Span:
        return Span(*self.line_and_column(start), *self.line_and_column(end))

    def byte_offset(self, index: int) -> int:
        """The UTF-8 byte offset. Asked in ascending order, all questions together cost one pass."""
        if self._ascii:
            return index
        at, offset = self._byte_anchor if self._byte_anchor[0] <= index else (0, 0)
        offset += len(self.text[at:index].encode("utf-8", "surrogatepass"))
        self._byte_anchor = (index, offset)
        return offset


def with_plain_line_breaks(text: str) -> str:
    """The same text, of the same length, with LF as its only line break: regular expressions and `ast` then see
    the lines that an editor sees, and every index still holds."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
