"""What a look through one file finds, without parsing it: the names and content hashes of its kernels."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfcore.inductor.cache_files import FileStamp, looks_like_inductor
from perfcore.inductor.content_hash import hash_in_path, text_hash
from perfcore.inductor.model import InductorFile
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.wrapper import embedded_kernels

_KERNEL_NAME = re.compile(r"'kernel_name': '(\w+)'")
_DEFINITION = re.compile(r"^def (\w+)\(", re.MULTILINE)
_PATH_IN_COMMENT = re.compile(r"^# kernel path: .*\b(c[a-z2-7]{51})\.py", re.MULTILINE)


@dataclass(slots=True)
class IndexEntry:
    """One known file. `stamp` is None while an editor holds it, and `text` is what it holds; `reading` is its
    parse, once somebody asked for one of its kernels."""

    stamp: FileStamp | None
    text: str | None
    is_inductor: bool = False
    names: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()
    reading: InductorFile | None = None


def look_through(path: str, text: str, stamp: FileStamp | None) -> IndexEntry:
    """A file that does not read like Inductor's is remembered as such, so that the next look costs a stat."""
    held = text if stamp is None else None
    plain = TextPositions(text).text if "\r" in text else text
    if not looks_like_inductor(plain):
        return IndexEntry(stamp, None)
    embedded = embedded_kernels(plain)
    names = {
        *_KERNEL_NAME.findall(plain),
        *_DEFINITION.findall(plain),
        *(kernel.variable for kernel in embedded),
    }
    if embedded:
        hashes = {*_PATH_IN_COMMENT.findall(plain), *(text_hash(kernel.text) for kernel in embedded)}
    else:
        hashes = {hash_in_path(path) or text_hash(plain)}
    return IndexEntry(stamp, held, is_inductor=True, names=frozenset(names), hashes=frozenset(hashes))
