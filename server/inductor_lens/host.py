"""The life of one session: what happens when the client opens, edits, configures and changes things."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence

from lsprotocol import types

from inductor_lens.documents import Documents, path_of, uri_of
from inductor_lens.editor import Editor
from inductor_lens.features import diagnostics, trace_requests
from inductor_lens.features.report_document import SCHEME, report_uri
from inductor_lens.loading import TraceLoader, is_json
from inductor_lens.reading import SourceReader
from inductor_lens.session import Session
from inductor_lens.settings import Settings, read_settings
from inductor_lens.source_places import spot_range
from inductor_lens.tasks import Tasks
from inductor_lens.watching import Watching

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.02
"""What changes within this time is told at once."""

PATIENCE_SECONDS = 2.0
"""How long the settings that a client sent wait for those that it is asked for: it may never answer."""


class Host:
    """Called by the wiring, on the event loop."""

    def __init__(self, documents: Documents, editor: Editor) -> None:
        self.session = session = Session(documents)
        self.editor = editor
        self._tasks = Tasks()
        self.traces = TraceLoader(session, self._tasks, editor, self._changed)
        self.sources = SourceReader(session, self._tasks, self._changed, self.traces.figure_again)
        self._watching = Watching(session, editor, self._tasks, self._files_changed)
        self._configurations = 0
        self._options: object = None
        self._pushed: object = None
        self._sources_wanted: object = None
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._telling: asyncio.TimerHandle | None = None
        self._figures_changed = False

    # Life and settings

    async def initialized(self, params: types.InitializeParams | None) -> None:
        """The client is ready: from now on it may be asked. `params` said where the workspace is, and the settings
        as far as the client sends them by itself."""
        if params is not None:
            self._options = params.initialization_options
            for uri in _folders(params):
                self._add_folder(uri)
        await self._configure()
        registrations = []
        if self.editor.can("workspace", "did_change_configuration", "dynamic_registration"):
            options = types.DidChangeConfigurationRegistrationOptions(section="inductorLens")
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            registrations.append(types.Registration("configuration", method, options))
        if self.editor.can("workspace", "text_document_content", "dynamic_registration"):
            content = types.TextDocumentContentRegistrationOptions(schemes=[SCHEME])
            registrations.append(
                types.Registration("reports", types.WORKSPACE_TEXT_DOCUMENT_CONTENT, content)
            )
        await self.editor.register(registrations)

    async def configuration_changed(self, pushed: object) -> None:
        """Settings changed: some clients send them, some want to be asked."""
        self._pushed = pushed if pushed is not None else self._pushed
        await self._configure()

    async def _configure(self) -> None:
        self._configurations += 1
        number = self._configurations
        asked = asyncio.ensure_future(self.editor.configuration())
        answered, _ = await asyncio.wait({asked}, timeout=PATIENCE_SECONDS)
        if not answered:
            self._set([self._options, self._pushed])
        found = await asked
        if number == self._configurations:  # else a later change has asked again, and knows better
            self._set([self._options, self._pushed, *found])
            await self._watching.update()

    def _set(self, given: list[object]) -> None:
        """Takes the settings over: of what is given, the last counts."""
        session = self.session
        settings = Settings()
        for each in given:
            settings = read_settings(each, settings)
            for complaint in settings.complaints:
                logger.warning("%s", complaint)
        session.settings = settings
        wanted = (settings.inductor_cache_dirs, settings.path_mappings, tuple(session.folders.values()))
        if wanted != self._sources_wanted:
            self._sources_wanted = wanted
            self.sources.find_sources()
        self.traces.configure()

    async def folders_changed(
        self, added: Sequence[types.WorkspaceFolder], removed: Sequence[types.WorkspaceFolder]
    ) -> None:
        """Folders joined or left the workspace."""
        for folder in removed:
            self.session.folders.pop(folder.uri, None)
        for folder in added:
            self._add_folder(folder.uri)
        await self._configure()

    def _add_folder(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self.session.folders[uri] = path

    def files_changed(self, uris: Iterable[str]) -> None:
        """Files changed on disk."""
        self._files_changed([path for uri in uris if (path := path_of(uri)) is not None])

    def _files_changed(self, paths: Iterable[str]) -> None:
        paths = tuple(paths)
        for path in paths:
            if path in self.session.traces or path.endswith((".json", ".json.gz")):
                self.traces.file_changed(path)
        self.sources.files_changed([path for path in paths if path.endswith(".py")])

    def stop(self) -> None:
        """The session is over."""
        self._tasks.stop()

    # Documents

    def opened(self, uri: str) -> None:
        """A document was opened."""
        document = self.session.documents.get(uri)
        if document is None:
            return
        if is_json(document):
            self.traces.opened(document)
        elif document.language_id == "python" or document.uri.endswith(".py"):
            self.sources.opened(document)

    def edited(self, uri: str) -> None:
        """A document was edited."""
        document = self.session.documents.get(uri)
        if document is not None and not self.sources.edited(document) and is_json(document):
            self.traces.edited(document)

    def closed(self, uri: str) -> None:
        """A document was closed."""
        if self.sources.closed(uri) or self.traces.closed(uri):
            self._changed()

    # Commands

    def open_trace(self, uri: str) -> str:
        """Loads a trace by its URI or path; returns the URI."""
        entry = self.traces.open_trace(_as_uri(uri))
        self.session.chosen = False
        return entry.uri

    def close_trace(self, uri: str) -> bool:
        """Forgets a trace; False where it is not known."""
        return self.traces.close_trace(_as_uri(uri))

    def select_trace(self, uri: str) -> bool:
        """Makes a trace the one whose figures sources show, loading it if need be."""
        entry = self.traces.known(_as_uri(uri))
        self.session.active_key, self.session.chosen = entry.key, True
        self._changed()
        return entry.loaded is not None

    def select_baseline(self, uri: str | None) -> bool:
        """Compares the active trace with another, or with none."""
        entry = self.traces.known(_as_uri(uri)) if uri else None
        self.session.baseline_key = entry.key if entry is not None else None
        self._changed()
        return entry is None or entry.loaded is not None

    def show_report(self, trace: str | None) -> str:
        """Opens the report of a trace, of the active one without one; returns its URI."""
        uri = report_uri(_as_uri(trace) if trace else None)
        if not self.editor.show(uri, None):
            self.editor.say(
                "This editor opens no documents for a server. `inductor-lens report` shows the same."
            )
        return uri

    def open_worst_launch(self, trace: str, row_id: str) -> bool:
        """Opens a trace at a row's slowest launch; False where there is none to open."""
        loaded = trace_requests.find(self.session, _as_uri(trace))
        row = loaded.rows.by_id.get(row_id) if loaded is not None else None
        event = loaded.slowest(row) if loaded is not None and row is not None else None
        if loaded is None or event is None:
            return False
        if self.editor.show(loaded.uri, spot_range(*event.name)):
            return True
        self.editor.say(
            f"The slowest launch is at {path_of(loaded.uri) or loaded.uri}:{event.name[0][0] + 1}."
        )
        return False

    def ignore_kernel(self, name: str) -> None:
        """Flags a kernel no more in this session, and lets a client that knows us remember it."""
        self.session.ignored.add(name)
        self.editor.remember_ignored(name)
        self._changed()

    # Telling the client

    def links(
        self, links: list[types.LocationLink], kind: str
    ) -> list[types.LocationLink] | list[types.Location]:
        """Links for clients that can show them, plain locations for the others."""
        if self.editor.can("text_document", kind, "link_support"):
            return links
        return [types.Location(link.target_uri, link.target_selection_range) for link in links]

    def _changed(self, figures: bool = True) -> None:
        """Something changed: tells the client once, however much changes within a moment. `figures` is False where
        only the state of a trace did."""
        self._figures_changed |= figures
        if figures:
            self.session.forget()
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._tell)

    def _tell(self) -> None:
        self._telling = None
        if self._figures_changed:
            self._figures_changed = False
            self.sources.model_again()
            self._publish()
            self.editor.refresh(
                [report_uri(uri) for uri in (None, *(e.uri for e in self.session.traces.values()))]
            )
        self.editor.traces_changed()
        self._watching.changed()

    def _publish(self) -> None:
        """Pushes diagnostics: of open documents where the client does not ask for them, and of traces that are
        loaded but not open, which nobody can ask for."""
        session = self.session
        wanted: dict[str, list[types.Diagnostic]] = {}
        for document in session.documents:
            if session.is_ours(document) and not self.editor.pulls_diagnostics:
                wanted[document.uri] = diagnostics.diagnostics(session, document)
        for entry in session.traces.values():
            if (
                entry.loaded is not None
                and session.documents.get(entry.uri) is None
                and session.settings.diagnostics
            ):
                wanted[entry.uri] = diagnostics.trace_problems(entry.loaded)
        for uri in self._published.keys() | wanted.keys():
            now = wanted.get(uri, [])
            if now != self._published.get(uri, []):
                is_open = session.documents.get(uri)
                self.editor.publish(uri, is_open.version.number if is_open else None, now)
        self._published = {uri: found for uri, found in wanted.items() if found}


def _folders(params: types.InitializeParams) -> list[str]:
    """The workspace's folders, as new and old clients give them."""
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    return [uri_of(params.root_path)] if params.root_path else []


def _as_uri(place: str) -> str:
    """Commands take a URI or a path."""
    return place if "://" in place or place.startswith(("file:", "untitled:")) else uri_of(place)
