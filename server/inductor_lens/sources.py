"""Which kernel sources are known: files on disk, and over them what editors hold of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inductor_lens.documents import Document
from inductor_lens.workspace import expand, inductor_files_below
from perfcore.inductor.cache import SourceIndex, cache_directories
from perfcore.inductor.choose import Choice, choose_source
from perfcore.inductor.content_hash import hash_in_path
from perfcore.inductor.model import InductorFile, KernelSource
from perfcore.inductor.read import Reading
from perfcore.inductor.user_model import UserModel, user_model
from perfcore.trace.model import Launch


class Sources:
    """The source index with the settings' directories. Its methods run in a lane, not on the loop."""

    def __init__(
        self,
        explicit: Iterable[str] = (),
        folders: Sequence[str] = (),
        path_mappings: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._path_mappings = tuple(path_mappings)
        self.index = SourceIndex(self._path_mappings)
        self.explicit = expand(explicit, folders)
        self._folders = tuple(folders)
        self.directories: tuple[str, ...] = ()

    def add_directories(self) -> list[str]:
        """Takes in the directories of the settings, Inductor's own and those below the workspace's folders;
        returns what is wrong with those that the user named."""
        problems = [
            problem.message
            for path in self.explicit
            for problem in self.index.add_directory(path, given=True)
        ]
        caches = [str(cache) for cache in cache_directories() if cache.is_dir()]
        for folder in self._folders:
            found = inductor_files_below(folder)
            caches += found.caches
            for wrapper in found.wrappers:
                self.index.add_file(wrapper)
        for cache in dict.fromkeys(caches):
            self.index.add_directory(cache)
        self.directories = tuple(dict.fromkeys([*self.explicit, *caches]))
        return problems

    def begin(self, document: Document, text: str) -> Reading | None:
        """Begins to read the kernels in an open document, which from now on count instead of those on disk. None
        where it is not Inductor's, or the same text was read before."""
        if document.path is None:
            return Reading(document.uri, text)
        self.index.add_file(document.path, text)
        return self.index.begun(document.path)

    def whole(self, document: Document, begun: Reading | None) -> InductorFile | None:
        """All kernels of an open document whose reading was begun; None where it is not Inductor's."""
        if document.path is None:
            return begun.file() if begun is not None else None
        return self.index.file(document.path)

    def release(self, path: str) -> bool:
        """The disk counts again. False if the file is not Inductor's, and was not."""
        before = self.index.knows(path)
        self.index.add_file(path)
        return before or self.index.knows(path)

    def of_kernel(self, kernel: KernelSource) -> list[KernelSource]:
        """The same kernel in files of its own."""
        identity = kernel.content_hash
        found = self.index.by_hash(identity, kernel.kernel_path) if identity is not None else ()
        return [own for own in found if hash_in_path(own.path) is not None and own.path != kernel.path]

    def user_model(self) -> UserModel:
        """The lines of the user's program that the known wrappers' kernels were made from."""
        kernels = [kernel for path in self.index.paths_that_tell_lines() for kernel in self._kernels(path)]
        return user_model(kernels, self._path_mappings)

    def _kernels(self, path: str) -> tuple[KernelSource, ...]:
        file = self.index.file(path)
        return file.kernels if file is not None and file.kind == "wrapper" else ()

    def of_launch(self, launch: Launch) -> Choice:
        """The kernels that a launch may have run, and every place where they stand."""
        return choose_source(launch.args, launch.name, self.index)
