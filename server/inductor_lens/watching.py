"""Files that may change outside the editor: watched through the client, or looked at now and then."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial

from lsprotocol import types

from inductor_lens.documents import uri_of
from inductor_lens.editor import Editor
from inductor_lens.lanes import Lane
from inductor_lens.session import Session
from inductor_lens.tasks import Tasks
from perfcore.inductor.cache_files import FileStamp, file_stamp

LOOK_SECONDS = 2.0
MOST_FILES = 500


class Watching:
    """Keeps the client's watchers in step with the traces and directories that are known."""

    def __init__(
        self, session: Session, editor: Editor, tasks: Tasks, files_changed: Callable[[list[str]], None]
    ) -> None:
        self._session = session
        self._editor = editor
        self._tasks = tasks
        self._files_changed = files_changed
        self._watched: frozenset[tuple[str, str]] = frozenset()
        self._registered = 0
        self._task: asyncio.Task[None] | None = None
        self._lane = Lane("stamps")

    def changed(self) -> None:
        """Traces came or went."""
        if self._task is None or self._task.done():
            self._task = self._tasks.start(self.update() if self._by_client else self._look())

    @property
    def _by_client(self) -> bool:
        return bool(self._editor.can("workspace", "did_change_watched_files", "dynamic_registration"))

    async def update(self) -> None:
        """Registers watchers for what is known now, in the place of the last ones."""
        wanted = frozenset(self._places())
        if not self._by_client or wanted == self._watched:
            return
        before, self._watched = self._registered, wanted
        self._registered += 1
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        relative = self._editor.can("workspace", "did_change_watched_files", "relative_pattern_support")
        watchers = [
            types.FileSystemWatcher(
                types.RelativePattern(uri_of(folder), pattern) if relative else f"{folder}/{pattern}"
            )
            for folder, pattern in sorted(wanted)
        ]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        await self._editor.register([types.Registration(f"files-{self._registered}", method, options)])
        if before:
            await self._editor.unregister(f"files-{before}", method)

    def _places(self) -> set[tuple[str, str]]:
        session = self._session
        places = {os.path.split(entry.key) for entry in session.traces.values() if os.path.isabs(entry.key)}  # noqa: PTH117
        for folder in session.folders.values():
            places |= {(folder, pattern) for pattern in session.settings.traces if not os.path.isabs(pattern)}  # noqa: PTH117
        places |= {(directory, "**/*.py") for directory in session.sources.directories}
        return places

    async def _look(self) -> None:
        """For clients that watch nothing: looks at the loaded traces' files, and at those of the kernels that the
        active one ran, as long as there are any."""
        stamps: dict[str, FileStamp | None] = {}
        while self._session.traces:
            before, stamps = stamps, await self._lane.run(partial(_stamps, self._files()))
            moved = [path for path in stamps.keys() & before.keys() if stamps[path] != before[path]]
            if moved:
                self._files_changed(moved)
            await asyncio.sleep(LOOK_SECONDS)

    def _files(self) -> list[str]:
        session = self._session
        files = [key for key in session.traces if os.path.isabs(key)]  # noqa: PTH117
        if session.active is not None:
            files += [kernel.path for row in session.active.report.rows for kernel in row.places]
        return list(dict.fromkeys(files))[:MOST_FILES]


def _stamps(paths: list[str]) -> dict[str, FileStamp | None]:
    return {path: file_stamp(path) for path in paths}
