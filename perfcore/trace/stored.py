"""A trace as it is stored → its text, a block at a time: plain or gzip, from a file or from memory.

Magic bytes decide, not the file's name. What is whole of a damaged gzip file is used.
"""

from __future__ import annotations

import errno
import io
import stat
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO

from isal import igzip_lib, isal_zlib

BLOCK = 128 * 1024
"""Bytes of text a block: what is decoded at once, so what the interpreter is held for (about a millisecond)."""

_STORED_BLOCK = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b\x08"
_IsalError: type[Exception] = isal_zlib.error  # type: ignore[assignment] # its stub says an instance


class StoredTrace:
    """The blocks of one trace's text. `done_bytes` of `total_bytes` (as stored) have been read;
    `damage` says what is wrong with the gzip container, None while nothing is."""

    def __init__(self, path: str, data: bytes | None = None) -> None:
        """Raises OSError when the file cannot be opened, or is a pipe or a device."""
        self._file: BinaryIO
        if data is not None:
            self._file = io.BytesIO(data)
        else:
            if not stat.S_ISREG(Path(path).stat().st_mode) and not Path(path).is_dir():
                raise OSError(errno.EINVAL, "it is no regular file")  # a named pipe would be waited for
            self._file = Path(path).open("rb", buffering=0)  # noqa: SIM115 - close() is ours
        self.total_bytes = self._file.seek(0, io.SEEK_END)
        self.rewind()

    def rewind(self) -> None:
        """Begin again with the first block."""
        self._file.seek(0)
        self.is_gzip = self._file.read(3) == _GZIP_MAGIC
        self._file.seek(0)
        self.damage: str | None = None
        self._blocks = self._gzip_blocks() if self.is_gzip else iter(lambda: self._file.read(BLOCK), b"")

    @property
    def done_bytes(self) -> int:
        return self._file.tell()

    def read(self) -> bytes:
        """The next block of text, b"" at the end. Raises OSError when the disk does."""
        return next(self._blocks, b"")

    def close(self) -> None:
        self._file.close()

    def _gzip_blocks(self) -> Iterator[bytes]:
        """Every member of the file, one after the other, as gzip(1) reads them."""
        rest = b""
        while True:
            rest += self._file.read(_STORED_BLOCK)
            member_start = self._file.tell() - len(rest)
            if not rest.strip(b"\0"):
                return
            header = _header_length(rest)
            if header is None:
                what = (
                    "its gzip header is damaged" if member_start == 0 else "other bytes follow its gzip data"
                )
                self.damage = f"{what}, at byte {member_start} of the file"
                return
            rest = yield from self._member(rest[header:], member_start + header)
            if self.damage:
                return

    def _member(self, compressed: bytes, start: int) -> Generator[bytes, None, bytes]:
        """The text of one member whose deflate data starts at byte `start`; returns what follows it."""
        inflate = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE)
        crc = length = 0
        starved = False
        while not inflate.eof:
            if (inflate.needs_input or starved) and not compressed:
                compressed = self._file.read(_STORED_BLOCK)
                if not compressed:
                    self.damage = f"its gzip data ends in the middle, at byte {self.total_bytes} of the file"
                    return b""
            try:
                block = inflate.decompress(compressed, BLOCK)
            except _IsalError:
                self.damage = f"its gzip data is damaged near byte {self._file.tell()} of the file"
                yield from _up_to_the_damage(self._file, start, length)
                return b""
            compressed = b""
            crc = isal_zlib.crc32(block, crc)
            length += len(block)
            starved = not block
            if block:
                yield block
        rest: bytes = inflate.unused_data
        if len(rest) < 8:
            rest += self._file.read(_STORED_BLOCK)
        if len(rest) < 8:
            self.damage = f"its gzip data ends in the middle, at byte {self.total_bytes} of the file"
        elif rest[:8] != crc.to_bytes(4, "little") + (length & 0xFFFFFFFF).to_bytes(4, "little"):
            self.damage = "its gzip checksum is wrong, so parts of it may be damaged"
        return rest[8:]


def _header_length(data: bytes) -> int | None:
    """Length of a gzip member's header (RFC 1952, 2.3), None when this is none."""
    if not data.startswith(_GZIP_MAGIC) or len(data) < 10:
        return None
    flags, position = data[3], 10
    if flags & 4:
        position += 2 + int.from_bytes(data[position : position + 2], "little")
    for text_flag in (8, 16):
        if flags & text_flag:
            position = data.find(b"\0", position) + 1
            if position == 0:
                return None
    if flags & 2:
        position += 2
    return position if position <= len(data) else None


def _up_to_the_damage(file: BinaryIO, start: int, skip: int) -> Iterator[bytes]:
    """The text of a damaged member beyond its first `skip` bytes, to the last byte but one before the damage.

    igzip drops what it decoded in the call that meets the damage; zlib, asked for ever smaller pieces,
    gives all of it.
    """
    file.seek(start)
    inflate = zlib.decompressobj(-15)
    step, pending, done = BLOCK, b"", 0
    while step:
        before = inflate.copy()
        pending = pending or file.read(_STORED_BLOCK)
        try:
            block = inflate.decompress(pending, step)
        except zlib.error:
            inflate, step = before, step // 16
            continue
        pending = inflate.unconsumed_tail
        done += len(block)
        if done > skip:
            yield block[max(0, len(block) - (done - skip)) :]
        if inflate.eof or (not block and not pending and file.tell() == file.seek(0, io.SEEK_END)):
            return
