"""Loads traces in the background, makes their figures, and puts both into the session.

Whatever supersedes a load cancels it. While a trace is loaded anew, its last figures are shown.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from inductor_lens.captures import Captures, needs_capture
from inductor_lens.documents import Document, Version, can_be_path, document_key, path_of, uri_of
from inductor_lens.editor import Editor, Progress
from inductor_lens.lanes import Lane
from inductor_lens.launch_places import text_chunks
from inductor_lens.loaded_trace import LoadedTrace, RowIndex
from inductor_lens.session import Session, TraceEntry
from inductor_lens.tasks import Tasks, cancel
from inductor_lens.text_index import file_chunks
from inductor_lens.workspace import expand
from perfcore.inductor.cache_files import file_stamp
from perfcore.report import Report, ReportOptions, build_report
from perfcore.trace import Cancelled, read_trace
from perfcore.trace.model import Trace

logger = logging.getLogger(__name__)

EDIT_PAUSE_SECONDS = 0.25
"""How long a document or a file must be left alone before it is read anew."""

FIGURE_PAUSE_SECONDS = 0.02
"""Sources that change within this time change the figures once."""

PATIENCE_SECONDS = 2.0
"""How long figures wait for the directories of sources to be looked for; after that they are made again."""

LONGEST_TO_LOOK_AGAIN = 1 << 20
"""Characters of an edited JSON document that is looked at again, whether it has become a trace."""

_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_BARE_EVENTS = re.compile(r'\s*\[\s*\{[^{}]*"ph"\s*:')


class TraceLoader:
    """Fills a session's traces. All methods are called on the event loop; `changed()` is called after each change of
    the figures, `changed(figures=False)` after one of a trace's state."""

    def __init__(self, session: Session, tasks: Tasks, editor: Editor, changed: Callable[..., None]) -> None:
        self._session = session
        self._tasks = tasks
        self._editor = editor
        self._changed = changed
        self._lane = Lane("traces")
        self._files = Lane("files")
        self._captures = Captures()
        self._figures: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._patterns: tuple[str, ...] = ()
        self._closed: set[str] = set()
        """The traces that the user closed though the settings name them: they stay so until the settings change."""

    def opened(self, document: Document) -> None:
        """A JSON document was opened."""
        entry = self._session.traces.get(document.key)
        if entry is not None or looks_like_trace(document.text()):
            self._load(entry or self._entry(document.uri), document, user=True)

    def edited(self, document: Document) -> None:
        """An open JSON document has another text."""
        entry = self._session.traces.get(document.key)
        if entry is not None:
            self._load(entry, document, pause=EDIT_PAUSE_SECONDS)
        elif document.length() < LONGEST_TO_LOOK_AGAIN:
            self.opened(document)

    def closed(self, uri: str) -> bool:
        """A document was closed. Its trace stays loaded, with its figures, if it was loaded at all. False if it was no
        trace."""
        entry = self._session.traces.get(document_key(uri))
        if entry is not None and entry.loaded is None and entry.task is None:
            self._drop(entry)
        return entry is not None

    def open_trace(self, uri: str) -> TraceEntry:
        """Loads a trace that the user asked for."""
        entry = self._session.traces.get(document_key(uri)) or self._entry(uri)
        entry.by_settings = False
        self._closed.discard(entry.key)
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
        self._closed.add(entry.key)
        self._drop(entry)
        self._changed()
        return True

    def file_changed(self, path: str) -> None:
        """A JSON file changed, appeared or went on disk."""
        entry = self._session.traces.get(path)
        if entry is None:
            self._look_for_named(pause=EDIT_PAUSE_SECONDS)  # perhaps a pattern's new trace
        elif self._session.documents.at_path(path) is None:
            self._load(entry, None, pause=EDIT_PAUSE_SECONDS)

    def _entry(self, uri: str) -> TraceEntry:
        entry = TraceEntry(uri, document_key(uri))
        self._session.traces[entry.key] = entry
        return entry

    def _drop(self, entry: TraceEntry) -> None:
        session = self._session
        cancel(entry.task)
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
        entry.state = "loading"
        entry.task = self._tasks.instead(entry.task, self._load_trace(entry, document, pause, user))
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
            loaded = await self._lane.run(partial(self._read_trace, entry, version, text, progress))
        except Cancelled:
            if progress.cancelled_by_user:
                self._given_up(entry)
            return
        except Exception as error:
            # A fault of ours, since what is wrong with a file is a problem of its trace: it must not load for ever.
            logger.exception("Reading %s failed", name)
            self._failed(entry, f"{name} could not be read: {error}.")
            return
        finally:
            progress.end()
        entry.loaded, entry.task = loaded, None
        entry.message = next((problem.message for problem in loaded.report.problems), "")
        unreadable = any(problem.severity == "error" for problem in loaded.trace.problems)
        entry.state = "failed" if unreadable and not loaded.trace.launches else "ready"
        logger.debug("Read %s: %d launches", entry.uri, len(loaded.trace.launches))
        if entry.state == "failed" and not user:
            logger.warning("%s", entry.message)
        if entry.state == "failed" and user and document is None and not self._editor.wants_traces:
            self._editor.say(entry.message)  # answers a command; a text or a client's own page says it itself
        self._activate(entry, user)
        self._changed()
        replays = [other for other in self._entries if other.loaded and needs_capture(other.loaded.read)]
        if loaded.kernels_serial != self._session.kernels_serial or any(
            other is not entry for other in replays
        ):
            self.figure_again()  # kernels came meanwhile, or this one may be the capture of a replay
        if loaded.places is None:
            await self._place(entry, loaded)

    def _read_trace(
        self, entry: TraceEntry, version: Version | None, text: str | None, progress: Progress
    ) -> LoadedTrace:
        """In the lane: a trace from its text to its figures, with the places of its launches if it is open."""
        data = text.encode("utf-8", "replace") if text is not None else None
        path = path_of(entry.uri) or entry.uri
        read = read_trace(path, data=data, progress=progress.at, cancelled=progress.cancelled)
        figures = self._figures_of(read, progress.cancelled)
        loaded = LoadedTrace(entry.uri, entry.key, read, *figures, version)
        return loaded.placed(partial(text_chunks, data), data) if data is not None else loaded

    async def _place(self, entry: TraceEntry, loaded: LoadedTrace) -> None:
        """Counts the places of a trace that was read from disk, once its figures are shown."""
        placed = await self._lane.run(partial(loaded.placed, partial(file_chunks, Path(loaded.key)), None))
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
        self._changed()

    def figure_again(self) -> None:
        """Sources or settings have changed: makes the reports of the loaded traces anew."""
        self._figures = self._tasks.instead(self._figures, self._figure_all())

    async def _figure_all(self) -> None:
        await asyncio.sleep(FIGURE_PAUSE_SECONDS)
        for entry in self._entries:
            if entry.loaded is None:
                continue
            before = entry.loaded.read
            figures = await self._lane.run(partial(self._figures_of, before, lambda: False))
            if entry.loaded is not None and entry.loaded.read is before:
                entry.loaded = entry.loaded.with_figures(*figures)
        self._changed()

    def _figures_of(self, trace: Trace, cancelled: Callable[[], bool]) -> tuple[Trace, Report, RowIndex, int]:
        """In the lane: a trace with the arguments that captures have for it, and what becomes of it."""
        session = self._session
        loaded = [entry.loaded.read for entry in self._entries if entry.loaded is not None]
        trace = self._captures.give(trace, loaded, cancelled)
        session.sources_found.wait(PATIENCE_SECONDS)
        serial = session.kernels_serial
        options = ReportOptions(session.settings.device, session.settings.peak_bandwidth)
        report = build_report((trace,), session.sources.of_launch, options)
        return trace, report, RowIndex.of(report, session.settings.path_mappings), serial

    @property
    def _entries(self) -> list[TraceEntry]:
        return list(self._session.traces.values())

    def configure(self) -> None:
        """Other settings: the traces that they name are loaded, those that they no longer name forgotten."""
        if self._session.settings.traces != self._patterns:
            self._patterns = self._session.settings.traces
            self._closed.clear()
        self.figure_again()
        self._look_for_named()

    def _look_for_named(self, pause: float = 0) -> None:
        self._looking = self._tasks.instead(self._looking, self._take_named(pause))

    async def _take_named(self, pause: float) -> None:
        """Takes in the traces and captures that the settings name. A pattern may look through many folders, so this
        is done off the event loop."""
        if pause:
            await asyncio.sleep(pause)
        session = self._session
        settings, folders = session.settings, tuple(session.folders.values())
        captures = await self._files.run(partial(expand, settings.capture_traces, folders))
        wanted = await self._files.run(partial(expand, settings.traces, folders))
        for entry in self._entries:
            if entry.by_settings and entry.key not in wanted and session.documents.at_path(entry.key) is None:
                self._drop(entry)
                self._changed()
        if tuple(captures) != self._captures.configured:
            for path in captures:
                if file_stamp(path) is None:
                    logger.warning(
                        "The capture %s, which inductorLens.captureTraces names, is not there.", path
                    )
            self._captures = Captures(captures)
            self.figure_again()
        for path in filter(can_be_path, wanted):
            if path not in session.traces and path not in self._closed:
                entry = self._entry(uri_of(path))
                entry.by_settings = True
                self._load(entry, session.documents.at_path(path))


def is_json(document: Document) -> bool:
    """Whether a document may be a trace."""
    return document.language_id in ("json", "jsonc", "json5", "jsonl") or document.uri.endswith(".json")


def looks_like_trace(text: str) -> bool:
    """A cheap look: the key of the events with its array, or the bare array of them."""
    return _EVENTS.search(text) is not None or _BARE_EVENTS.match(text, 0, 4096) is not None
