"""Which kernel sources are known: files on disk, and over them what editors hold of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from inductor_lens.documents import Document
from inductor_lens.workspace import caches_below, expand
from perfcore.inductor.cache import SourceIndex, cache_directories
from perfcore.inductor.choose import Choice, choose_source
from perfcore.inductor.content_hash import hash_in_path
from perfcore.inductor.model import InductorFile, KernelSource
from perfcore.inductor.read import read_inductor_file
from perfcore.trace.model import Launch


class Sources:
    """The source index with the settings' directories. Its methods run in a lane, not on the loop."""

    def __init__(
        self,
        explicit: Iterable[str] = (),
        folders: Sequence[str] = (),
        path_mappings: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.index = SourceIndex(tuple(path_mappings))
        self.explicit = expand(explicit, folders)
        self._folders = tuple(folders)
        self.directories: tuple[str, ...] = ()
        self.ready = False
        """Whether its directories were looked for."""

    def add_directories(self) -> list[str]:
        """Takes in the directories of the settings, Inductor's own and those below the workspace's folders;
        returns what is wrong with those that the user named."""
        problems = [
            problem.message
            for path in self.explicit
            for problem in self.index.add_directory(path, given=True)
        ]
        found = [str(cache) for cache in cache_directories() if cache.is_dir()]
        for folder in self._folders:
            found += caches_below(folder)
        for below in dict.fromkeys(found):
            self.index.add_directory(below)
        self.directories = tuple(dict.fromkeys([*self.explicit, *found]))
        return problems

    def scan(self, cancelled: Callable[[], bool]) -> bool:
        """Looks for what is new or has changed; returns whether anything has."""
        return self.index.scan(cancelled)

    def take(self, document: Document, text: str) -> InductorFile:
        """The kernels in an open document, which from now on count instead of those on disk."""
        if document.path is None:
            return read_inductor_file(document.uri, text)
        self.index.add_file(document.path, text)
        return self.index.file(document.path) or InductorFile(document.path, "other", (), ())

    def release(self, path: str) -> None:
        """The disk counts again."""
        self.index.add_file(path)

    def of_kernel(self, kernel: KernelSource) -> list[KernelSource]:
        """The same kernel in files of its own."""
        identity = kernel.content_hash
        found = self.index.by_hash(identity, kernel.kernel_path) if identity is not None else ()
        return [own for own in found if hash_in_path(own.path) is not None and own.path != kernel.path]

    def of_launch(self, launch: Launch) -> Choice:
        """The kernels that a launch may have run, and every place where they stand."""
        return choose_source(launch.args, launch.name, self.index)
