"""Reads kernel sources in the background: open documents, the directories of the settings, the user's own files.

Documents are read in a lane of their own, so that a kernel file that was just opened never waits for a trace.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, ParamSpec, TypeVar

from lsprotocol import types

from inductor_lens.documents import Document, document_key, path_of
from inductor_lens.lanes import Lane
from inductor_lens.session import ModelView, OpenSource, Session
from inductor_lens.source_places import InductorView
from inductor_lens.sources import Sources
from inductor_lens.tasks import Tasks, cancel
from perfcore.inductor.read import Reading
from perfcore.inductor.user_model import UserModel, kernels_by_function, kernels_by_line

logger = logging.getLogger(__name__)

AsideLane = Literal["kernels", "navigation", "symbols", "models"]
"""What one must not wait behind another: a definition not behind a search through all kernels of all caches."""

P = ParamSpec("P")
T = TypeVar("T")

EDIT_PAUSE_SECONDS = 0.05
"""How long a document must be left alone before it is read anew."""

AT_ONCE = 100
"""Kernels that are read in one go. A wrapper of more shows what is on the screen first, and lets other documents
between."""


class SourceReader:
    """Keeps a session's sources. All methods are called on the event loop; `changed()` after each change of what a
    document shows by itself, `kernels_changed()` after each change of the kernels that launches are looked up in."""

    def __init__(
        self,
        session: Session,
        tasks: Tasks,
        changed: Callable[[], None],
        kernels_changed: Callable[[], None],
    ) -> None:
        self._session = session
        self._tasks = tasks
        self._changed = changed
        self._kernels_changed = kernels_changed
        self._reads = Lane("sources")
        self._aside: dict[AsideLane, Lane] = {}
        self._modelling: asyncio.Task[None] | None = None
        self._known_model: tuple[Sources, int, UserModel] | None = None

    def opened(self, document: Document) -> None:
        """A Python document was opened."""
        source = self._session.open_sources.get(document.key) or OpenSource()
        self._session.open_sources[document.key] = source
        self._start(document, source, pause=0)

    def _start(self, document: Document, source: OpenSource, pause: float) -> None:
        source.seen.clear()
        source.task = self._tasks.instead(source.task, self._read(document, source, pause))

    def edited(self, document: Document) -> bool:
        """An open document has another text; False if it is none of these."""
        source = self._session.open_sources.get(document.key)
        if source is None:
            return False
        self._start(document, source, EDIT_PAUSE_SECONDS)
        return True

    def closed(self, uri: str) -> bool:
        """A document was closed: its file counts again. False if nothing was said of it."""
        source = self._session.open_sources.pop(document_key(uri), None)
        path = path_of(uri)
        if source is None:
            return False
        cancel(source.task)
        if path is not None:
            self._tasks.start(self._look_again([path]))
        return source.view is not None or source.model is not None

    async def settle(self, document: Document) -> None:
        """Waits until an open document's kernels are read from its present text."""
        while (task := self._under_way(document)) is not None:
            await asyncio.wait({task})

    async def seen(self, document: Document) -> None:
        """Waits until an open document's kernels are seen in its present text, though perhaps not all read."""
        while (task := self._under_way(document)) is not None and self._session.begun(document) is None:
            seen = asyncio.ensure_future(self._session.open_sources[document.key].seen.wait())
            await asyncio.wait({task, seen}, return_when=asyncio.FIRST_COMPLETED)
            seen.cancel()

    async def seen_at(self, document: Document, position: types.Position) -> None:
        """Waits until the kernel at a position is read from the document's present text, if one stands there; else
        until all of it is."""
        await self.seen(document)
        begun = self._session.begun(document)
        index = begun.at_line(position.line) if begun is not None else None
        if begun is None or index is None:
            await self.settle(document)
        else:
            await self.aside("navigation", begun.kernel, index)

    def _under_way(self, document: Document) -> asyncio.Task[None] | None:
        source = self._session.open_sources.get(document.key)
        return source.task if source is not None and source.task and not source.task.done() else None

    async def _read(self, document: Document, source: OpenSource, pause: float) -> None:
        if pause:
            await asyncio.sleep(pause)
        version, text = document.version, document.text()
        sources = self._session.sources
        begun = await self._reads.run(partial(sources.begin, document, text))
        if begun is not None:
            self._session.kernels_serial += 1  # from now on launches are looked up in it
        if begun is not None and len(begun.outline) > AT_ONCE:
            source.begun, source.begun_version = begun, version
            source.seen.set()
            self._changed()
            for start in range(0, len(begun.outline), AT_ONCE):
                await self._reads.run(partial(_read_kernels, begun, range(start, start + AT_ONCE)))
        view = await self._reads.run(partial(_source_view, sources, document, begun))
        source.version, source.view, source.model = version, view, None
        source.begun = source.begun_version = None
        logger.debug("Read %s: %d kernels", document.uri, len(view.kernels) if view is not None else 0)
        if view is None:
            self.model_again()
            return
        self._changed()
        if not self._session.knows(view.kernels):
            self._kernels_changed()

    def find_sources(self) -> None:
        """Looks for kernel sources where settings and folders say, from the start."""
        session = self._session
        settings, folders = session.settings, tuple(session.folders.values())
        sources = Sources(settings.inductor_cache_dirs, folders, settings.path_mappings)
        before, session.sources = session.sources, sources
        self._tasks.start(self._find_sources(sources, before))

    async def _find_sources(self, sources: Sources, before: Sources) -> None:
        # In the lane, behind the reading of what was opened meanwhile.
        await self._reads.run(partial(sources.index.take_over, before.index))
        for message in await self._reads.run(sources.add_directories):
            logger.warning("%s", message)
        self._session.sources_found.set()
        self._session.kernels_serial += 1
        for document in self._session.documents:
            self.edited(document)  # what is open counts in the new index too
        self._kernels_changed()

    def files_changed(self, paths: Iterable[str]) -> None:
        """Python files changed, appeared or went on disk."""
        closed = [path for path in paths if self._session.documents.at_path(path) is None]
        if closed:
            self._tasks.start(self._look_again(closed))

    async def _look_again(self, paths: list[str]) -> None:
        sources = self._session.sources
        changed = [path for path in paths if await self._reads.run(partial(sources.release, path))]
        if changed:
            self._session.kernels_serial += 1
            self._kernels_changed()

    def model_again(self) -> None:
        """Sources or traces have changed: finds anew what the user's open files became."""
        self._modelling = self._tasks.instead(self._modelling, self._model_all())

    async def _model_all(self) -> None:
        session = self._session
        for document in session.documents:
            source = session.open_sources.get(document.key)
            if source is None or source.version is None or source.view is not None or document.path is None:
                continue
            version, text, lines = document.version, document.text(), session.traced_lines(document)
            known = await self._user_model()
            model = await self.aside("models", _model_view, known, document.path, text, lines)
            if source.version == version and document.version == version and model != source.model:
                source.model = model
                self._changed()

    async def _user_model(self) -> UserModel:
        """What is written down of the user's lines, made anew only where kernels have changed."""
        sources, serial = self._session.sources, self._session.kernels_serial
        if self._known_model is None or self._known_model[:2] != (sources, serial):
            model = await self.aside("models", sources.user_model)
            self._known_model = sources, serial, model
        return self._known_model[2]

    async def aside(self, lane: AsideLane, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs what takes time or looks at the disk, off the event loop and behind what else is in its lane."""
        if lane not in self._aside:
            self._aside[lane] = Lane(lane)
        return await self._aside[lane].run(partial(work, *args, **kwargs))


def _read_kernels(begun: Reading, indices: range) -> None:
    for index in indices[: len(begun.outline) - indices.start]:
        begun.kernel(index)
    # A kernel's records hold no cycles. To look for some in ten thousand kernels would stop all answers for 0.2 s.
    gc.freeze()


def _source_view(sources: Sources, document: Document, begun: Reading | None) -> InductorView | None:
    """A document's kernels, None if it is not Inductor's."""
    file = sources.whole(document, begun)
    return InductorView(file) if file is not None and file.kind != "other" else None


def _model_view(known: UserModel, path: str, text: str, traced_lines: frozenset[int]) -> ModelView | None:
    """What a user's file became; None where nothing of it is written down anywhere."""
    by_line = kernels_by_line(known, path, text)
    if not by_line and not traced_lines:
        return None
    lines = {**dict.fromkeys(traced_lines, ()), **by_line}
    return ModelView(by_line, kernels_by_function(text, lines))
