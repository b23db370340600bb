"""Paths in a trace → paths here: as they are, and with a prefix replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath, PureWindowsPath

PathMappings = Iterable[tuple[str, str]]
"""(prefix in the trace, prefix here) pairs."""


def mapped_paths(path: str, mappings: PathMappings) -> Iterator[str]:
    """The path through each mapping whose prefix it has, the longest first, then the path itself.

    A network path (`//host/share`, two backslashes) is only ever reached through a mapping: opening one because a
    trace names it would contact that host."""
    plain = path.replace("\\", "/")
    by_length = sorted(mappings, key=lambda mapping: len(mapping[0]), reverse=True)
    for there, here in by_length:
        prefix = there.replace("\\", "/").rstrip("/")
        if prefix and (plain == prefix or plain.startswith(prefix + "/")):
            yield here.rstrip("/\\") + plain[len(prefix) :]
    if _is_absolute(path) and not plain.startswith("//"):
        yield path


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
