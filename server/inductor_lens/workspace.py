"""Paths as people write them in settings, and what lies in the folders that are open."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import iglob  # Path.glob takes no absolute pattern
from itertools import islice
from pathlib import Path

from perfcore.inductor.cache import is_inductor_path

MAX_MATCHES = 1_000
MAX_ENTRIES = 20_000
MAX_DEPTH = 6

_FOLDER_VARIABLE = re.compile(r"\$\{workspaceFolder(?::[^}]*)?\}")
_WRAPPER = re.compile(r"output_code.*\.py")
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
    path = os.path.expanduser(pattern)  # noqa: PTH111 - Path's raises for a user that there is not
    if Path(path).is_absolute():
        yield path
        return
    candidates = [str(Path(folder) / path) for folder in folders]
    existing = [path for path in candidates if Path(path).exists()]
    wild = any(sign in path for sign in "*?[")
    yield from candidates if wild else existing or candidates[:1]


@dataclass(frozen=True, slots=True)
class Found:
    """What lies below a workspace folder: directories laid out as Inductor's cache, and wrappers by themselves."""

    caches: tuple[str, ...]
    wrappers: tuple[str, ...]


def inductor_files_below(folder: str) -> Found:
    """Looks for `<xx>/<hash>.py` and `output_code*.py`. Bounded in depth and number; hidden folders, environments
    and packages are not looked at."""
    caches: dict[str, None] = {}
    wrappers: list[str] = []
    left = MAX_ENTRIES
    pending = [(folder, 0)]
    while pending and left > 0:
        directory, depth = pending.pop()
        entries = list(islice(_entries(directory), left))
        left -= len(entries)
        if any(entry.name == "pyvenv.cfg" for entry in entries):
            continue
        if any(is_inductor_path(entry.path) for entry in entries):
            caches[str(Path(directory).parent)] = None
            continue
        wrappers += [entry.path for entry in entries if _WRAPPER.fullmatch(entry.name)]
        if depth < MAX_DEPTH:
            below = sorted((entry.path for entry in entries if _is_folder(entry)), reverse=True)
            pending.extend((path, depth + 1) for path in below)
    return Found(tuple(caches), tuple(wrappers))


def _entries(directory: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            yield from (entry for entry in entries if not entry.name.startswith("."))
    except OSError:
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name not in _NOT_FOR_CACHES and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
