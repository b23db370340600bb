"""Inductor's name for a generated text: the same text has the same file name on every machine.

Source: torch/_inductor/codecache.py, `code_hash`, `get_path` and `write`: "c" and the first 51 base-32 digits of the
SHA-256 of the text without surrounding white space; the folder is the hash's second and third character.
"""

from __future__ import annotations

import base64
import hashlib
import re

_HASH = re.compile(r"c[a-z2-7]{51}")


def hash_in_path(path: str | None) -> str | None:
    """The content hash that is the base name of a cache file's path, in any system's spelling; else None."""
    if path is None:
        return None
    stem = re.split(r"[/\\]", path)[-1].removesuffix(".py")
    return stem if is_content_hash(stem) else None


def is_content_hash(text: str) -> bool:
    return _HASH.fullmatch(text) is not None


def text_hash(text: str) -> str:
    """The content hash that Inductor gives a kernel's text (the same in 2.4 to 2.13)."""
    digest = hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).digest()
    return "c" + base64.b32encode(digest)[:51].decode("ascii").lower()
