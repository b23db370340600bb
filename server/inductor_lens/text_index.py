"""Where a byte of a text stands, as LSP counts: zero-based lines, columns in UTF-16 code units.

Only `\\n`, `\\r\\n` and `\\r` end a line (LSP 3.17, Text Documents); U+2028, U+0085 and form feeds do not,
which is why `str.splitlines` is never used here. One pass over the text answers for any number of offsets,
and holds no more than one chunk of it.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from isal import igzip

CHUNK = 1 << 20

Spot = tuple[int, int]
"""(line, column)."""


def utf16_length(text: str) -> int:
    """How many UTF-16 code units `text` takes."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def line_breaks(text: str) -> int:
    """How many line ends `text` holds."""
    breaks = text.count("\n")
    return breaks + text.count("\r") - text.count("\r\n") if "\r" in text else breaks


def spots(chunks: Iterable[bytes], offsets: Iterable[int]) -> Iterator[Spot]:
    """The place of each of the byte `offsets`, which must ascend, in the UTF-8 text of `chunks`.

    Invalid UTF-8 counts as the U+FFFD that an editor shows for it. Offsets past the end get the end. Without
    offsets, no chunk is asked for.
    """
    walk = _Walk()
    base = 0
    todo = iter(offsets)
    wanted = next(todo, None)
    for chunk in chunks if wanted is not None else ():
        start = 0
        while wanted is not None and wanted < base + len(chunk):
            walk.over(chunk[start : wanted - base])
            start = wanted - base
            yield walk.line, walk.column
            wanted = next(todo, None)
        if wanted is None:
            return
        walk.over(chunk[start:])
        base += len(chunk)
    while wanted is not None:
        yield walk.line, walk.column
        wanted = next(todo, None)


def file_chunks(path: Path) -> Iterator[bytes]:
    """The decompressed bytes of a `.json` or `.json.gz`, as far as they can be read."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            stream = igzip.GzipFile(fileobj=raw, mode="rb") if packed else raw  # type: ignore[no-untyped-call]
            while chunk := stream.read(CHUNK):
                yield chunk
    except (EOFError, OSError, zlib.error):
        return  # a killed run, or a file that is gone by now: what is whole has its places


class _Walk:
    """Line and column after all the bytes that it was led over."""

    def __init__(self) -> None:
        self.line = 0
        self.column = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoding = False
        self._after_cr = False
        self._at_start = True

    def over(self, part: bytes) -> None:
        if not part:
            return
        if self._at_start:
            self._at_start = False
            part = part.removeprefix(codecs.BOM_UTF8)  # an editor takes it off
        breaks = part.count(b"\n")
        last = part.rfind(b"\n")
        if self._after_cr and part.startswith(b"\n"):
            breaks -= 1
        self._after_cr = part.endswith(b"\r")
        if b"\r" in part:
            breaks += part.count(b"\r") - part.count(b"\r\n")
            last = max(last, part.rfind(b"\r"))
        if last >= 0:
            self.line += breaks
            self.column = 0
            self._decoder.reset()
            self._decoding = False
        self.column += self._units(part[last + 1 :])

    def _units(self, part: bytes) -> int:
        if part.isascii() and not self._decoding:
            return len(part)
        text = self._decoder.decode(part)
        self._decoding = bool(self._decoder.getstate()[0])
        return utf16_length(text)
