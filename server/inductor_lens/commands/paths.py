"""Paths on the command line: which files are meant, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from perfcore.trace.stored import StoredTrace

TRACE_NAMES = (".json", ".json.gz")
HEAD_BYTES = 65_536


def expand(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that are meant: a folder stands for the traces in it, and wildcards, which some shells leave to the
    program (Windows), for what they match. What matches nothing stands for itself."""
    for path in paths:
        if path.is_dir():
            yield from sorted(entry for entry in path.iterdir() if is_trace(entry)) or [path]
        elif path.exists():
            yield path
        else:
            yield from sorted(path.parent.glob(path.name)) or [path]


def is_trace(path: Path) -> bool:
    """Whether a file is called like a trace and begins like one."""
    return path.name.endswith(TRACE_NAMES) and path.is_file() and b'"traceEvents"' in head(path)


def head(path: Path) -> bytes:
    """The first bytes of a file's text, gz or not; nothing where it cannot be read."""
    try:
        stored = StoredTrace(str(path))
    except OSError:
        return b""
    try:
        return stored.read()[:HEAD_BYTES]
    except OSError:
        return b""
    finally:
        stored.close()


def from_here(path: str | Path) -> str:
    """Relative to where we are, if it lies below, with slashes; else as it is."""
    absolute = Path(path).absolute()
    return absolute.relative_to(Path.cwd()).as_posix() if absolute.is_relative_to(Path.cwd()) else str(path)
