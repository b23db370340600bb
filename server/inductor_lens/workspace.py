"""Paths as people write them in settings, and what lies in the folders that are open."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from glob import iglob  # Path.glob takes no absolute pattern
from pathlib import Path

MAX_MATCHES = 1_000
MAX_ENTRIES = 20_000
MAX_DEPTH = 6

_FOLDER_VARIABLE = re.compile(r"\$\{workspaceFolder(?::[^}]*)?\}")
_NOT_FOR_CACHES = frozenset({"node_modules", "__pycache__", "site-packages"})


def expand(patterns: Iterable[str], folders: Sequence[str]) -> list[str]:
    """The absolute paths that settings name: `~`, `${workspaceFolder}` and globs, relative to each folder.

    A pattern without wildcards is kept though nothing lies there, so that its absence can be told.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        for path in _absolute(pattern, folders):
            if any(sign in path for sign in "*?["):
                for match, _ in zip(iglob(path, recursive=True), range(MAX_MATCHES), strict=False):  # noqa: PTH207
                    found[os.path.normpath(match)] = None
            else:
                found[os.path.normpath(path)] = None
    return list(found)


def _absolute(pattern: str, folders: Sequence[str]) -> Iterator[str]:
    if _FOLDER_VARIABLE.match(pattern):
        for folder in folders:
            yield _FOLDER_VARIABLE.sub(lambda _, folder=folder: folder, pattern)  # type: ignore[misc]
        return
    path = str(Path(pattern).expanduser()) if pattern.startswith("~") else pattern
    if Path(path).is_absolute():
        yield path
        return
    candidates = [str(Path(folder) / path) for folder in folders]
    existing = [path for path in candidates if Path(path).exists()]
    wild = any(sign in path for sign in "*?[")
    yield from candidates if wild else existing or candidates[:1]


def caches_below(folder: str) -> Iterator[str]:
    """The directories below a workspace folder that are laid out as Inductor's cache, `<xx>/<hash>.py`.

    Bounded in depth and number; hidden folders, environments and packages are not looked at.
    """
    from perfcore.inductor.cache import is_inductor_path

    left = MAX_ENTRIES
    pending = [(folder, 0)]
    while pending and left > 0:
        directory, depth = pending.pop()
        below: list[str] = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    left -= 1
                    if entry.name.startswith(".") or entry.name in _NOT_FOR_CACHES:
                        continue
                    if entry.name == "pyvenv.cfg":
                        below = []
                        break
                    if entry.is_dir(follow_symlinks=False):
                        below.append(entry.path)
                    elif is_inductor_path(entry.path):
                        yield str(Path(directory).parent)
                        below = []
                        break
        except OSError:
            continue
        if depth < MAX_DEPTH:
            pending.extend((path, depth + 1) for path in sorted(below, reverse=True))
