"""What a look through one file finds, without reading it: the names and content hashes of its kernels."""

from __future__ import annotations

from dataclasses import dataclass

from perfcore.inductor.cache_files import FileStamp, looks_like_inductor
from perfcore.inductor.model import InductorFile
from perfcore.inductor.read import Reading

_OF_USER_LINES = ("# File: ", "# Original path: ")


@dataclass(slots=True)
class IndexEntry:
    """One known file. `stamp` is None while an editor holds it; then `text` is what it holds and `begun` its reading,
    until that is done. `tells_lines` says that its comments may name lines of the user's program. `file` is what was read, once somebody asked for one of its kernels."""

    stamp: FileStamp | None
    text: str | None
    is_inductor: bool = False
    names: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()
    tells_lines: bool = False
    begun: Reading | None = None
    file: InductorFile | None = None


def look_through(path: str, text: str, stamp: FileStamp | None) -> IndexEntry:
    """A file that does not read like Inductor's is remembered as such, so that the next look costs a stat."""
    plain = text.replace("\r", "\n") if "\r" in text else text
    reading = Reading(path, text) if looks_like_inductor(plain) else None
    if reading is None:
        return IndexEntry(stamp, None)
    names = frozenset(name for kernel in reading.outline for name in kernel.names)
    hashes = frozenset(content_hash for kernel in reading.outline for content_hash in kernel.hashes)
    tells_lines = any(sign in text for sign in _OF_USER_LINES)
    if stamp is not None:
        return IndexEntry(stamp, None, True, names, hashes, tells_lines)
    return IndexEntry(None, text, True, names, hashes, tells_lines, reading)
