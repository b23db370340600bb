"""`SourceIndex`: the known Inductor files, and the kernels in them by content hash and by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from perfcore.inductor.cache_files import (
    cache_directories,
    cached_files,
    file_stamp,
    is_inductor_path,
    looks_like_inductor,
    python_files,
    read_source,
)
from perfcore.inductor.calls import calls_by_kernel
from perfcore.inductor.content_hash import hash_in_path, is_content_hash
from perfcore.inductor.index_entry import IndexEntry, look_through
from perfcore.inductor.model import CallSite, InductorFile, KernelSource
from perfcore.inductor.path_mapping import PathMappings, mapped_paths
from perfcore.inductor.read import Reading
from perfcore.kernel_name import clean_kernel_name
from perfcore.problem import Problem

__all__ = ["SourceIndex", "cache_directories", "is_inductor_path", "looks_like_inductor", "read_sources"]

_CUT_NAME_LENGTH = 60
"""Tools cut names at 63 or 128 characters; a shorter name is whole."""


class SourceIndex:
    """The Inductor files of given directories and files, looked up by kernel.

    Nothing is read before it is asked for. A file is then looked through for names and hashes, and parsed when a
    kernel of its own is asked for. `path_mappings` are (prefix in a trace, prefix here) pairs for recordings from
    elsewhere. Safe to use from several threads.
    """

    def __init__(self, path_mappings: PathMappings = ()) -> None:
        self._path_mappings = tuple(path_mappings)
        self._entries: dict[str, IndexEntry] = {}
        self._by_hash: dict[str, dict[str, None]] = {}
        self._by_name: dict[str, dict[str, None]] = {}
        self._directories: dict[Path, bool] = {}
        self._unscanned: dict[Path, None] = {}
        self._changing = threading.RLock()
        self._scanning = threading.Lock()

    def add_file(self, path: str | Path, text: str | None = None) -> tuple[Problem, ...]:
        """Take in a file that a person gave, or, with `text`, what an editor holds of it. Known and unchanged, it
        costs a stat, or a comparison. Returns why it is not taken in: unreadable, too large, not Inductor's."""
        path = str(path)
        if text is not None:
            known = self._entries.get(path)
            if known is None or known.text != text:
                self._put(path, look_through(path, text, None))
        elif problem := self._take_in(path):
            return (problem,)
        entry = self._entries.get(path)
        return () if entry is None or entry.is_inductor else (_not_inductor(path),)

    def add_directory(self, directory: str | Path, *, given: bool = False) -> tuple[Problem, ...]:
        """Take in a directory, or look again at one that may have changed.

        A cache directory is looked at as Inductor lays it out. One that a person gave (`given`) is searched at any
        depth, also for wrappers and copies under other names, and a problem says if it cannot be read; a file is
        taken in as such."""
        root = Path(directory)
        if given and root.is_file():
            return self.add_file(root)
        with self._changing:
            self._directories[root] = given or self._directories.get(root, False)
            self._unscanned[root] = None
        if given and not root.is_dir():
            message = f"The Inductor cache directory {root} does not exist or cannot be read."
            return (Problem("source-unreadable", "warning", message, str(root)),)
        return ()

    def take_over(self, before: SourceIndex) -> None:
        """Know what editors hold of files as another index knows it, so that none is read again."""
        with before._changing:
            edited = {path: entry for path, entry in before._entries.items() if entry.text is not None}
        for path, entry in edited.items():
            self._put(path, entry)

    def remove_file(self, path: str | Path) -> None:
        """Forget a file; one that was never known is no error."""
        self._put(str(path), None)

    def scan(self, cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Look through the directories added since the last time: a stat for each known file, a read for each new
        or changed one. `cancelled` is asked between files. Returns whether anything has changed.

        The lookups by name do this by themselves; whoever must not wait does it beforehand in the background."""
        changed = False
        with self._scanning:
            for root in tuple(self._unscanned):
                self._unscanned.pop(root, None)
                before = {path for path in tuple(self._entries) if Path(path).is_relative_to(root)}
                for path in python_files(root) if self._directories.get(root) else cached_files(root):
                    if cancelled():
                        self._unscanned[root] = None
                        return changed
                    known = self._entries.get(path)
                    before.discard(path)
                    if known is None or known.text is None:
                        self._take_in(path, searching=True)
                        changed |= self._entries.get(path) is not known
                for path in before:
                    if file_stamp(path) is None:
                        self.remove_file(path)
                        changed = True
        return changed

    def by_hash(self, content_hash: str, kernel_file: str | None = None) -> tuple[KernelSource, ...]:
        """The kernel with that content hash wherever it stands: its own file first, then in wrappers.

        `kernel_file` is the path in the trace, tried through the path mappings and as it is. A file in a cache
        directory is found by its name, without a scan of the directory; only for want of an unedited one are
        wrappers looked through."""
        if not is_content_hash(content_hash):
            return ()
        found = self._kernels_by_hash(content_hash)
        if not any(hash_in_path(kernel.path) == content_hash for kernel in found):
            for path in self._paths_to_try(content_hash, kernel_file):
                if file_stamp(path) and self._take_in(path, searching=True) is None:
                    found = self._kernels_by_hash(content_hash) or found
                    break
        if all(kernel.edited for kernel in found):
            self.scan()
            found = self._kernels_by_hash(content_hash)
        return in_order(found)

    def by_name(self, name: str) -> tuple[KernelSource, ...]:
        """Every different kernel of that name (its own, or its function's), each once, its own file first. A name
        that a tool may have cut finds the kernels that begin so. Scans what was not scanned yet."""
        self.scan()
        name = clean_kernel_name(name)
        names = {name}
        if name not in self._by_name and len(name) >= _CUT_NAME_LENGTH:
            with self._changing:
                names = {known for known in self._by_name if known.startswith(name)}
        return each_once(self._known_as(self._by_name, names))

    def paths_that_tell_lines(self) -> tuple[str, ...]:
        """The paths, by name, of the known files that may name lines of the user's program: those outside a cache,
        beside which debug files may lie, and those whose comments do. Scans what was not scanned yet."""
        self.scan()
        entries = sorted(self._entries.items())
        return tuple(
            path
            for path, entry in entries
            if entry.is_inductor and (entry.tells_lines or not is_inductor_path(path))
        )

    def files(self, accept: Callable[[str], bool] | None = None) -> Iterator[InductorFile]:
        """Every known file's reading, by path; with `accept` of those alone that have a kernel of an accepted name.
        Scans what was not scanned yet."""
        self.scan()
        paths = sorted(self._entries)
        if accept is not None:
            with self._changing:
                paths = sorted(
                    {path for name in self._by_name if accept(name) for path in self._by_name[name]}
                )
        for path in paths:
            if reading := self.file(path):
                yield reading

    def file(self, path: str | Path) -> InductorFile | None:
        """The reading of one known file; None if it is unknown, not Inductor's, or gone."""
        entry = self._entries.get(str(path))
        if entry is None or not entry.is_inductor:
            return None
        if entry.file is None:
            text = entry.text if entry.text is not None else _text_of(str(path))
            if text is None:
                return None
            entry.file = (entry.begun or Reading(str(path), text)).file()
            entry.begun = None
        return entry.file

    def knows(self, path: str | Path) -> bool:
        """Whether a file is known to be Inductor's."""
        entry = self._entries.get(str(path))
        return entry is not None and entry.is_inductor

    def begun(self, path: str | Path) -> Reading | None:
        """The reading of what an editor holds of a file, as long as nobody has asked for the whole of it."""
        entry = self._entries.get(str(path))
        return entry.begun if entry is not None else None

    def _take_in(self, path: str, *, searching: bool = False) -> Problem | None:
        stamp = file_stamp(path)
        if stamp is None:
            self.remove_file(path)
            message = f"{path} does not exist or is no regular file."
            return Problem("source-unreadable", "warning", message, path)
        known = self._entries.get(path)
        if known is not None and known.stamp == stamp:
            return None
        text = read_source(path, stamp, searching=searching)
        if isinstance(text, Problem):
            self.remove_file(path)
            return text
        self._put(path, look_through(path, text, stamp))
        return None

    def _put(self, path: str, entry: IndexEntry | None) -> None:
        """Replace what is known of a file, or forget it."""
        with self._changing:
            old = self._entries.pop(path, None)
            for table, keys in ((self._by_name, old.names), (self._by_hash, old.hashes)) if old else ():
                for key in keys:
                    table[key].pop(path, None)
                    if not table[key]:
                        del table[key]
            if entry is not None:
                self._entries[path] = entry
                for table, keys in ((self._by_name, entry.names), (self._by_hash, entry.hashes)):
                    for key in keys:
                        table.setdefault(key, {})[path] = None

    def _paths_to_try(self, content_hash: str, kernel_file: str | None) -> Iterator[str]:
        if kernel_file is not None and hash_in_path(kernel_file) == content_hash:
            yield from mapped_paths(kernel_file, self._path_mappings)
        for root in tuple(self._directories):
            yield str(root / content_hash[1:3] / f"{content_hash}.py")

    def _kernels_by_hash(self, content_hash: str) -> list[KernelSource]:
        """By their text's hash; failing that, edited kernels of a wrapper whose path comment still names it."""
        known = self._known_as(self._by_hash, {content_hash})
        same = [kernel for kernel in known if kernel.content_hash == content_hash]
        return same or [
            replace(kernel, edited=True)
            for kernel in known
            if hash_in_path(kernel.kernel_path) == content_hash
        ]

    def _known_as(self, table: dict[str, dict[str, None]], keys: Iterable[str]) -> list[KernelSource]:
        """The kernels with any of these names or hashes, each once, in all files that `table` has for them."""
        with self._changing:
            wanted = {(path, key): None for key in keys for path in table.get(key, ())}
        found = {
            (path, kernel.text_line): kernel
            for path, key in sorted(wanted)
            if (file := self.file(path)) is not None
            for kernel in file.known_as(key)
        }
        return list(found.values())


class SourcesRead(NamedTuple):
    """`kernels` each once, `calls` how wrappers among the files call them (by content hash), and what could not be
    read."""

    kernels: tuple[KernelSource, ...]
    calls: dict[str, CallSite]
    problems: tuple[Problem, ...]


def read_sources(paths: Sequence[str | Path]) -> SourcesRead:
    """Every kernel of the given files and directories, each once (by content hash, its own file before a
    wrapper), in the order of the paths given."""
    problems: list[Problem] = []
    kernels: dict[object, KernelSource] = {}
    files: list[InductorFile] = []
    for path in paths:
        index = SourceIndex()
        is_directory = Path(path).is_dir()
        problems.extend(index.add_directory(path, given=True) if is_directory else index.add_file(path))
        readings = list(index.files())
        for kernel in each_once(kernel for reading in readings for kernel in reading.kernels):
            kernels.setdefault((kernel.content_hash, kernel.edited), kernel)
        problems.extend(problem for reading in readings for problem in reading.problems)
        files.extend(readings)
    return SourcesRead(tuple(kernels.values()), calls_by_kernel(files), tuple(problems))


def each_once(kernels: Iterable[KernelSource]) -> tuple[KernelSource, ...]:
    """The first of each content hash, in order; an edited file is another kernel than the one it was."""
    once: dict[object, KernelSource] = {}
    for kernel in in_order(kernels):
        once.setdefault((kernel.content_hash, kernel.edited), kernel)
    return tuple(once.values())


def in_order(kernels: Iterable[KernelSource]) -> tuple[KernelSource, ...]:
    """Kernels in files of their own first, then by place. Such a file does not name the operators (nor,
    up to PyTorch 2.0, the kernel): it gets them from the same kernel in a wrapper."""
    ordered = sorted(kernels, key=lambda kernel: (kernel.variable is not None, kernel.path, kernel.line))
    commented = {kernel.content_hash: kernel for kernel in ordered if kernel.original_aten is not None}
    return tuple(
        replace(
            kernel,
            name=twin.name if kernel.name == kernel.def_name else kernel.name,
            original_aten=twin.original_aten,
            source_nodes=twin.source_nodes,
        )
        if kernel.original_aten is None and (twin := commented.get(kernel.content_hash))
        else kernel
        for kernel in ordered
    )


def _text_of(path: str) -> str | None:
    stamp = file_stamp(path)
    text = read_source(path, stamp) if stamp else None
    return text if isinstance(text, str) else None


def _not_inductor(path: str) -> Problem:
    message = f"{path} holds no kernel that Inductor wrote. Give an output_code.py or a file of its cache."
    return Problem("not-inductor", "warning", message, path)
