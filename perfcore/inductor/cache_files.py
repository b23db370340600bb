"""Which files are Inductor's, where they lie, and reading them: paths in, text or a problem out.

Nothing is opened that is not named as Inductor names its files, unless a person gave it; nothing is taken for a
kernel that does not read like one.
"""

from __future__ import annotations

import getpass
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfcore.inductor.content_hash import hash_in_path
from perfcore.inductor.kernel_source import has_kernel_decorator
from perfcore.inductor.wrapper import is_wrapper
from perfcore.problem import Problem

MAX_FILE_BYTES = 64 << 20
"""A wrapper of ten thousand kernels has 34 MB."""

MAX_DEPTH = 12
MAX_ENTRIES = 500_000
MAX_OTHER_FILES = 5_000
"""Python files under names that are not Inductor's: copies of kernels, if a person gave their directory; the
modules of a program, if they gave too much."""

_SIGN = re.compile(rb"torch\._inductor|torchinductor")
_SIGN_WITHIN = 1 << 16
_NOT_FOR_SOURCES = frozenset(
    {"__pycache__", ".git", "node_modules", "site-packages", "triton", "fxgraph", "aotautograd", "locks"}
)


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells whether a file has changed."""

    modified_ns: int
    size: int


def from_home(path: str | Path) -> Path:
    """A path with `~` and `~name` expanded, where there is such a user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path's raises for a user that there is not


def cache_directories(explicit: Sequence[str | Path] = ()) -> tuple[Path, ...]:
    """Where Inductor's files may lie, in the order of search, each once, whether or not it exists: the given
    directories, `$TORCHINDUCTOR_CACHE_DIR`, `~/.cache/torchinductor`, and torch's own default
    `<tmp>/torchinductor_<user>` (torch/_inductor/runtime/cache_dir_utils.py)."""
    found = [from_home(path) for path in explicit]
    if configured := os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
        found.append(Path(configured))
    try:
        found.append(Path.home() / ".cache" / "torchinductor")
        user = re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser())
        found.append(Path(tempfile.gettempdir()) / f"torchinductor_{user}")
    except (OSError, KeyError, RuntimeError):
        pass  # a process without a home or a user name has no defaults
    return tuple(dict.fromkeys(found))


def is_inductor_path(path: str) -> bool:
    """Whether the path's last parts are those of Inductor's cache: `<hash[1:3]>/<hash>.py`."""
    content_hash = hash_in_path(path)
    parts = re.split(r"[/\\]", path)
    return content_hash is not None and len(parts) > 1 and parts[-2] == content_hash[1:3]


def looks_like_inductor(text: str) -> bool:
    """Whether a text reads like what Inductor writes: a wrapper or a kernel."""
    return is_wrapper(text) or has_kernel_decorator(text)


def file_stamp(path: str | Path) -> FileStamp | None:
    """None where there is no regular file (a named pipe would never end)."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return FileStamp(found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def read_source(path: str, stamp: FileStamp, *, searching: bool = False) -> str | Problem:
    """The file's text, or why there is none. Never raises. `searching`: of a file whose beginning does not name
    Inductor no more than that beginning is read."""
    if stamp.size > MAX_FILE_BYTES:
        size = f"{stamp.size / (1 << 20):,.0f} MB"
        return Problem(
            "source-unreadable", "warning", f"{path} has {size}; files over 64 MB are not read.", path
        )
    try:
        with Path(path).open("rb") as file:
            read = file.read(_SIGN_WITHIN)
            if not searching or _SIGN.search(read):
                read += file.read(MAX_FILE_BYTES)
            return read.decode("utf-8-sig", "replace")
    except (OSError, ValueError) as error:
        return Problem("source-unreadable", "warning", f"{path} cannot be read: {error}.", path)


def cached_files(directory: Path) -> Iterator[str]:
    """The files of one cache directory as Inductor lays it out: `<directory>/<xx>/<hash>.py`. A directory that is
    missing or may not be read has none."""
    for folder in _entries(directory):
        if len(folder.name) == 2 and _is_directory(folder):
            for file in _entries(folder.path):
                if is_inductor_path(file.path):
                    yield file.path


def python_files(directory: Path) -> Iterator[str]:
    """Every `.py` file below a directory that a person gave: caches within it at any depth, wrappers, copies.
    Each directory once, however links lead back to it; bounded in depth and number."""
    seen: set[tuple[int, int]] = set()
    pending = [(str(directory), 0)]
    entries = others = 0
    while pending:
        folder, depth = pending.pop()
        try:
            found = Path(folder).stat()
        except (OSError, ValueError):
            continue
        if (found.st_dev, found.st_ino) in seen:
            continue
        seen.add((found.st_dev, found.st_ino))
        below: list[tuple[str, int]] = []
        for entry in _entries(folder):
            entries += 1
            if entries > MAX_ENTRIES:
                return
            if entry.name.endswith(".py"):
                others += not _is_named_by_inductor(entry.name)
                if others <= MAX_OTHER_FILES or _is_named_by_inductor(entry.name):
                    yield entry.path
            elif depth < MAX_DEPTH and entry.name not in _NOT_FOR_SOURCES and _is_directory(entry):
                below.append((entry.path, depth + 1))
        pending.extend(reversed(below))


def _is_named_by_inductor(name: str) -> bool:
    return name.startswith("output_code") or hash_in_path(name) is not None


def _entries(directory: str | Path) -> list[os.DirEntry[str]]:
    """A directory's entries by name; none where it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
