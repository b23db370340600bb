"""Loads traces and reads sources in the background, and puts what they become into the session.

Traces load in one lane and open documents are read in another, so that a kernel file that was just opened never
waits for a trace. Whatever supersedes a load cancels it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from inductor_lens.captures import Captures, needs_capture
from inductor_lens.documents import Document, Version, document_key, path_of, uri_of
from inductor_lens.editor import Editor, Progress
from inductor_lens.lanes import Lane
from inductor_lens.launch_places import text_chunks
from inductor_lens.loaded_trace import LoadedTrace, RowIndex
from inductor_lens.session import ModelView, OpenSource, Session, TraceEntry
from inductor_lens.settings import Settings
from inductor_lens.source_places import InductorView
from inductor_lens.sources import Sources
from inductor_lens.text_index import file_chunks
from inductor_lens.workspace import expand
from perfcore.inductor.user_model import kernels_by_function, kernels_by_line
from perfcore.report import Report, ReportOptions, build_report
from perfcore.trace import Cancelled, read_trace
from perfcore.trace.model import Trace

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

EDIT_PAUSE_SECONDS = 0.25
"""How long a document or a file must be left alone before it is read anew."""

_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_BARE_EVENTS = re.compile(r'\s*\[\s*\{[^{}]*"ph"\s*:')


class Loader:
    """Fills a session. All methods are called on the event loop; `changed()` is called after each change of the
    figures, `changed(figures=False)` after one of a trace's state."""

    def __init__(self, session: Session, editor: Editor, changed: Callable[..., None]) -> None:
        self._session = session
        self._editor = editor
        self._changed = changed
        self._traces = Lane("traces")
        self._reads = Lane("sources")
        self._aside = Lane("aside")
        self._tasks: set[asyncio.Task[None]] = set()
        self._captures = Captures()
        self._figures: asyncio.Task[None] | None = None
        self._modelling: asyncio.Task[None] | None = None

    # Documents

    def opened(self, document: Document) -> None:
        """A document was opened."""
        if _is_json(document):
            entry = self._session.traces.get(document.key)
            if entry is not None or _looks_like_trace(document.text()):
                self._load(entry or self._entry(document.uri), document, user=True)
        elif _may_hold_kernels(document):
            self._session.open_sources[document.key] = source = OpenSource()
            source.task = self._start(self._read(document, source, pause=0))

    def edited(self, document: Document) -> None:
        """An open document has another text."""
        entry = self._session.traces.get(document.key)
        source = self._session.open_sources.get(document.key)
        if entry is not None and _is_json(document):
            self._load(entry, document, pause=EDIT_PAUSE_SECONDS)
        elif source is not None:
            _cancel(source.task)
            source.task = self._start(self._read(document, source, pause=EDIT_PAUSE_SECONDS / 5))
        else:
            self.opened(document)

    def closed(self, uri: str) -> None:
        """A document was closed: its file counts again. A trace stays loaded, with its figures."""
        source = self._session.open_sources.pop(document_key(uri), None)
        path = path_of(uri)
        if source is not None:
            _cancel(source.task)
            if path is not None:
                self._start(self._release(path))
        entry = self._session.traces.get(document_key(uri))
        if entry is not None and entry.loaded is None and entry.task is None:
            self._drop(entry)

    async def settle(self, document: Document) -> None:
        """Waits until an open document's kernels are read from its present text."""
        while (source := self._session.open_sources.get(document.key)) is not None:
            task = source.task
            if task is None or task.done():
                return
            await asyncio.wait({task})

    async def _read(self, document: Document, source: OpenSource, pause: float) -> None:
        if pause:
            await asyncio.sleep(pause)
        version, text = document.version, document.text()
        view = await self._reads.run(partial(_source_view, self._session.sources, document, text))
        source.version, source.model = version, None
        source.view = view
        logger.debug("Read %s: %d kernels", document.uri, len(view.kernels) if view is not None else 0)
        if view is not None:
            self.figure_again()
        else:
            self.model_again()

    async def _release(self, path: str) -> None:
        await self._reads.run(partial(self._session.sources.release, path))
        self.figure_again()

    # Traces

    def open_trace(self, uri: str) -> TraceEntry:
        """Loads a trace that the user asked for."""
        entry = self._session.traces.get(document_key(uri)) or self._entry(uri)
        entry.by_settings = False
        self._load(entry, self._session.documents.get(uri), user=True)
        return entry

    def known(self, uri: str) -> TraceEntry:
        """The trace of this URI, which is loaded now if it was not."""
        return self._session.traces.get(document_key(uri)) or self.open_trace(uri)

    def close_trace(self, uri: str) -> bool:
        """Forgets a trace; False where it is not loaded."""
        entry = self._session.traces.get(document_key(uri))
        if entry is None:
            return False
        self._drop(entry)
        self._changed()
        return True

    def reload(self, path: str) -> None:
        """A trace's file has changed on disk."""
        entry = self._session.traces.get(path)
        if entry is not None and self._session.documents.at_path(path) is None:
            self._load(entry, None, pause=EDIT_PAUSE_SECONDS)

    def _entry(self, uri: str) -> TraceEntry:
        entry = TraceEntry(uri, document_key(uri))
        self._session.traces[entry.key] = entry
        return entry

    def _drop(self, entry: TraceEntry) -> None:
        session = self._session
        _cancel(entry.task)
        session.traces.pop(entry.key, None)
        if session.active_key == entry.key:
            ready = [key for key, other in session.traces.items() if other.loaded is not None]
            session.active_key = ready[-1] if ready else None
            session.chosen = False
        if session.baseline_key == entry.key:
            session.baseline_key = None

    def _load(
        self, entry: TraceEntry, document: Document | None, *, pause: float = 0, user: bool = False
    ) -> None:
        _cancel(entry.task)
        entry.state = "loading"
        entry.task = self._start(self._load_trace(entry, document, pause, user))
        self._changed(figures=False)

    async def _load_trace(
        self, entry: TraceEntry, document: Document | None, pause: float, user: bool
    ) -> None:
        if pause:
            await asyncio.sleep(pause)
        name = Path(path_of(entry.uri) or entry.uri).name
        progress = self._editor.progress(f"Reading {name}")
        try:
            version = document.version if document is not None else None
            text = document.text() if document is not None else None
            loaded = await self._traces.run(partial(self._read_trace, entry, version, text, progress))
        except Cancelled:
            if progress.cancelled_by_user:
                self._given_up(entry)
            return
        except OSError as error:
            self._failed(entry, f"Cannot read {name}: {error.strerror or error}.")
            return
        finally:
            progress.end()
        entry.loaded, entry.task = loaded, None
        entry.message = next((problem.message for problem in loaded.report.problems), "")
        unreadable = any(problem.severity == "error" for problem in loaded.trace.problems)
        entry.state = "failed" if unreadable and not loaded.trace.launches else "ready"
        logger.debug("Read %s: %d launches", entry.uri, len(loaded.trace.launches))
        self._activate(entry, user)
        self._changed()
        if any(
            other.loaded and other is not entry and needs_capture(other.loaded.read)
            for other in self._entries
        ):
            self.figure_again()  # this one may be their capture
        elif loaded.rows.by_user_line:
            self.model_again()
        if loaded.places is None:
            await self._place(entry, loaded)

    def _read_trace(
        self, entry: TraceEntry, version: Version | None, text: str | None, progress: Progress
    ) -> LoadedTrace:
        """In the lane: a trace from its text to its figures, with the places of its launches if it is open."""
        data = text.encode("utf-8", "replace") if text is not None else None
        path = path_of(entry.uri) or entry.uri
        read = read_trace(path, data=data, progress=progress.at, cancelled=progress.cancelled)
        trace, report, rows = self._figures_of(read, progress.cancelled)
        loaded = LoadedTrace(entry.uri, entry.key, read, trace, report, rows, version)
        return loaded.placed(partial(text_chunks, data), data) if data is not None else loaded

    async def _place(self, entry: TraceEntry, loaded: LoadedTrace) -> None:
        """Counts the places of a trace that was read from disk, once its figures are shown."""
        placed = await self._traces.run(partial(loaded.placed, partial(file_chunks, Path(loaded.key)), None))
        if entry.loaded is not None and entry.loaded.read is loaded.read:
            entry.loaded = entry.loaded.with_places(placed)
            self._changed()

    def _activate(self, entry: TraceEntry, user: bool) -> None:
        """The trace that the user opened last is active, until one is chosen; a baseline never becomes so."""
        session = self._session
        nobody = session.active_key is None or session.active_key not in session.traces
        if entry.key != session.baseline_key and (nobody or (user and not session.chosen)):
            session.active_key = entry.key

    def _given_up(self, entry: TraceEntry) -> None:
        entry.task = None
        if entry.loaded is None:
            self._failed(entry, "Loading was cancelled.")
        else:
            entry.state = "ready"
            self._changed()

    def _failed(self, entry: TraceEntry, message: str) -> None:
        entry.state, entry.message, entry.task = "failed", message, None
        logger.error("%s", message)
        self._changed()

    # Figures

    def figure_again(self) -> None:
        """Sources or settings have changed: makes the reports of the loaded traces anew."""
        _cancel(self._figures)
        self._figures = self._start(self._figure_all())

    async def _figure_all(self) -> None:
        await asyncio.sleep(0.02)  # several files change together
        for entry in self._entries:
            if entry.loaded is None:
                continue
            before = entry.loaded.read
            figures = await self._traces.run(partial(self._figures_of, before, lambda: False))
            if entry.loaded is not None and entry.loaded.read is before:
                entry.loaded = entry.loaded.with_figures(*figures)
        self.model_again()
        self._changed()

    # The user's own files

    def model_again(self) -> None:
        """Sources or traces have changed: finds anew what the user's open files became."""
        _cancel(self._modelling)
        self._modelling = self._start(self._model_all())

    async def _model_all(self) -> None:
        session = self._session
        for document in session.documents:
            source = session.open_sources.get(document.key)
            if source is None or source.version is None or source.view is not None or document.path is None:
                continue
            version, text, lines = document.version, document.text(), self._traced_lines(document)
            model = await self.aside(_model_view, session.sources, document.path, text, lines)
            if source.version == version and document.version == version and model != source.model:
                source.model = model
                self._changed()

    def _traced_lines(self, document: Document) -> frozenset[int]:
        """The lines of a document that stacks in loaded traces name."""
        loaded = [entry.loaded for entry in self._entries if entry.loaded is not None]
        return frozenset(line for one in loaded for line in one.rows.by_user_line.get(document.key, ()))

    async def aside(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs what looks at the disk, off the event loop."""
        return await self._aside.run(partial(work, *args, **kwargs))

    def _figures_of(self, trace: Trace, cancelled: Callable[[], bool]) -> tuple[Trace, Report, RowIndex]:
        """In the lane: a trace with the arguments that captures have for it, and what becomes of it."""
        session = self._session
        loaded = [entry.loaded.read for entry in self._entries if entry.loaded is not None]
        trace = self._captures.give(trace, loaded, cancelled)
        options = ReportOptions(session.settings.device, session.settings.peak_bandwidth)
        report = build_report((trace,), session.sources.of_launch, options)
        return trace, report, RowIndex.of(report, session.settings.path_mappings)

    @property
    def _entries(self) -> list[TraceEntry]:
        return list(self._session.traces.values())

    # Settings

    def configure(self, settings: Settings) -> None:
        """Other settings, or the first: their traces are loaded, those they no longer name forgotten."""
        session = self._session
        before, session.settings = session.settings, settings
        for complaint in settings.complaints:
            logger.warning("%s", complaint)
        folders = tuple(session.folders.values())
        wanted = self._wanted()
        for entry in self._entries:
            if entry.by_settings and entry.key not in wanted and session.documents.at_path(entry.key) is None:
                self._drop(entry)
                self._changed()
        captures = expand(settings.capture_traces, folders)
        if tuple(captures) != self._captures.configured:
            self._captures = Captures(captures)
        if _sources_settings(before) != _sources_settings(settings) or not session.sources.ready:
            self.find_sources()
        else:
            self.figure_again()
        self._load_wanted(wanted)

    def _wanted(self) -> list[str]:
        """The paths of the traces that the settings name."""
        session = self._session
        return expand(session.settings.traces, tuple(session.folders.values()))

    def _load_wanted(self, wanted: list[str]) -> None:
        for path in wanted:
            if path not in self._session.traces:
                entry = self._entry(uri_of(path))
                entry.by_settings = True
                self._load(entry, self._session.documents.at_path(path))

    def find_sources(self) -> None:
        """Looks for kernel sources where settings and folders say, from the start."""
        session = self._session
        settings = session.settings
        folders = tuple(session.folders.values())
        sources = Sources(settings.inductor_cache_dirs, folders, settings.path_mappings)
        sources.index.take_over(session.sources.index)
        sources.ready = True
        session.sources = sources
        self._start(self._find_sources(sources))

    async def _find_sources(self, sources: Sources) -> None:
        for message in await self._reads.run(sources.add_directories):
            logger.warning("%s", message)
        for document in self._session.documents:
            source = self._session.open_sources.get(document.key)
            if source is not None and (source.task is None or source.task.done()):
                source.task = self._start(self._read(document, source, pause=0))
        self.figure_again()

    def files_changed(self, paths: Iterable[str]) -> None:
        """Files changed, appeared or went on disk."""
        sources = []
        for path in paths:
            if path in self._session.traces:
                self.reload(path)
            elif path.endswith((".json", ".json.gz")):
                self._load_wanted(self._wanted())  # perhaps a pattern's new trace
            elif path.endswith(".py") and self._session.documents.at_path(path) is None:
                sources.append(path)
        if sources:
            self._start(self._sources_changed(sources))

    async def _sources_changed(self, paths: list[str]) -> None:
        for path in paths:
            await self._reads.run(partial(self._session.sources.release, path))
        self.figure_again()

    def stop(self) -> None:
        """Ends all that runs."""
        for task in tuple(self._tasks):
            task.cancel()

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A background task failed: %s", error, exc_info=error)


def _source_view(sources: Sources, document: Document, text: str) -> InductorView | None:
    """A document's kernels, None if it is not Inductor's."""
    file = sources.take(document, text)
    return InductorView(file) if file.kind != "other" else None


def _model_view(sources: Sources, path: str, text: str, traced_lines: frozenset[int]) -> ModelView | None:
    """What a user's file became; None where nothing of it is written down anywhere."""
    by_line = kernels_by_line(sources.user_model(), path, text)
    if not by_line and not traced_lines:
        return None
    lines = {**dict.fromkeys(traced_lines, ()), **by_line}
    return ModelView(by_line, kernels_by_function(text, lines))


def _cancel(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()


def _sources_settings(settings: Settings) -> tuple[object, ...]:
    return settings.inductor_cache_dirs, settings.path_mappings


def _is_json(document: Document) -> bool:
    return document.language_id in ("json", "jsonc", "json5", "jsonl") or document.uri.endswith(".json")


def _may_hold_kernels(document: Document) -> bool:
    return document.language_id == "python" or document.uri.endswith(".py")


def _looks_like_trace(text: str) -> bool:
    """A cheap look: the key of the events with its array, or the bare array of them."""
    return _EVENTS.search(text) is not None or _BARE_EVENTS.match(text, 0, 4096) is not None
