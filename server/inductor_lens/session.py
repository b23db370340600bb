"""What the server knows at one moment, and the look-ups that features make in it.

Nothing here waits, loads or asks the client: `loading` puts finished records in, features take them out.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lsprotocol import types

from inductor_lens.documents import Document, Documents, Version
from inductor_lens.loaded_trace import LoadedTrace, by_time
from inductor_lens.remembered import Remembered
from inductor_lens.settings import Settings
from inductor_lens.source_places import InductorView
from inductor_lens.sources import Sources
from perfcore.baseline import changes_percent
from perfcore.findings import Finding, Thresholds, find
from perfcore.inductor.model import CallSite, KernelOutline, KernelSource
from perfcore.inductor.read import Reading
from perfcore.inductor.user_model import UserFunction
from perfcore.metadata import KernelMetadata, source_metadata
from perfcore.report import Report, ReportRow

TraceState = Literal["loading", "ready", "failed"]


@dataclass(slots=True)
class TraceEntry:
    """One trace that is or will be loaded. `by_settings` says that the settings name it, so that it goes when they
    no longer do. While it is loaded anew, `loaded` still has the last figures."""

    uri: str
    key: str
    by_settings: bool = False
    state: TraceState = "loading"
    message: str = ""
    loaded: LoadedTrace | None = None
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class ModelView:
    """What the lines (zero-based) and functions of a user's own file became, as far as it is written down."""

    by_line: Mapping[int, tuple[KernelSource, ...]]
    functions: tuple[UserFunction, ...]


@dataclass(slots=True)
class OpenSource:
    """An open Python document: its kernels as of `version`, or, where it is the user's own, what it became; and the
    reading under way. `begun` is that of a big wrapper as of `begun_version`: its kernels are seen, but not all read."""

    version: Version | None = None
    view: InductorView | None = None
    model: ModelView | None = None
    begun: Reading | None = None
    begun_version: Version | None = None
    task: asyncio.Task[None] | None = None
    seen: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while `begun` is of the present text."""


@dataclass(slots=True)
class Session:
    """The state of one client's server."""

    documents: Documents
    settings: Settings = field(default_factory=Settings)
    sources: Sources = field(default_factory=Sources)
    kernels_serial: int = 0
    """Counts the changes of the known kernels."""
    sources_found: threading.Event = field(default_factory=threading.Event)
    """Set once directories were looked through for sources, so that the first figures need not be made twice."""
    folders: dict[str, str] = field(default_factory=dict)
    traces: dict[str, TraceEntry] = field(default_factory=dict)
    open_sources: dict[str, OpenSource] = field(default_factory=dict)
    active_key: str | None = None
    baseline_key: str | None = None
    chosen: bool = False
    """Whether the user chose the active trace, so that opening another one does not change it."""
    ignored: set[str] = field(default_factory=set)
    """Kernels that the user wants to hear no more of, besides those of the settings."""
    _changes: Remembered[[Report, Report], dict[str, float]] = field(
        default_factory=lambda: Remembered(changes_percent)
    )
    _findings: Remembered[[Report, Settings, dict[str, float] | None], dict[str, list[Finding]]] = field(
        default_factory=lambda: Remembered(_findings_by_row)
    )

    def forget(self) -> None:
        """Lets go of what was worked out of figures that may be gone by now: a report holds a whole trace."""
        self._changes.forget()
        self._findings.forget()

    @property
    def active(self) -> LoadedTrace | None:
        """The trace whose figures sources show."""
        return self._loaded(self.active_key)

    @property
    def baseline(self) -> LoadedTrace | None:
        """The trace that the active one is compared with."""
        return self._loaded(self.baseline_key) if self.baseline_key != self.active_key else None

    def _loaded(self, key: str | None) -> LoadedTrace | None:
        entry = self.traces.get(key) if key is not None else None
        return entry.loaded if entry is not None else None

    def is_ours(self, document: Document) -> bool:
        """Whether anything may be said of a document."""
        return document.key in self.open_sources or document.key in self.traces

    def source_view(self, document: Document) -> InductorView | None:
        """The kernels of an open document, if it is Inductor's and they were read from its present text."""
        source = self.open_sources.get(document.key)
        return source.view if source is not None and source.version == document.version else None

    def begun(self, document: Document) -> Reading | None:
        """The reading of an open document's present text, if its kernels are seen but not all read."""
        source = self.open_sources.get(document.key)
        return source.begun if source is not None and source.begun_version == document.version else None

    def view_at(self, document: Document, position: types.Position) -> InductorView | None:
        """The kernels of an open document; while they are being read, the one that stands at the position."""
        view = self.source_view(document)
        begun = self.begun(document) if view is None else None
        index = begun.at_line(position.line) if begun is not None else None
        return view if begun is None or index is None else InductorView.of_one(begun, index)

    def model_view(self, document: Document) -> ModelView | None:
        """What an open document that is the user's own became, as of its present text."""
        source = self.open_sources.get(document.key)
        return source.model if source is not None and source.version == document.version else None

    def traced_lines(self, document: Document) -> frozenset[int]:
        """The lines of a document that Python stacks in loaded traces name."""
        loaded = [entry.loaded for entry in self.traces.values() if entry.loaded is not None]
        return frozenset(line for one in loaded for line in one.rows.by_user_line.get(document.key, ()))

    def rows_of_line(self, document: Document, line: int) -> list[ReportRow]:
        """The rows of the active trace whose launches were made from a line of the user's file: those of its
        kernels, and those whose Python stack names it."""
        view = self.model_view(document)
        if view is None or self.active is None:
            return []
        rows = {row.id: row for kernel in view.by_line.get(line, ()) for row in self.rows_of(kernel)}
        rows.update(
            (row.id, row) for row in self.active.rows.by_user_line.get(document.key, {}).get(line, ())
        )
        return by_time(rows.values())

    def trace_of(self, document: Document) -> LoadedTrace | None:
        """The trace that was read from an open document's present text."""
        loaded = self._loaded(document.key)
        return loaded if loaded is not None and loaded.version == document.version else None

    def known_kernels(self, accept: Callable[[str], bool]) -> Iterator[KernelSource]:
        """The kernels of open documents, of the active trace's rows, then of the known files that hold a kernel of an
        accepted name. The last reads files: not for the event loop."""
        for document in self.documents:
            view = self.source_view(document)
            yield from view.kernels if view is not None else ()
        if self.active is not None:
            for row in self.active.report.rows:
                yield from row.places
        for file in self.sources.index.files(accept):
            yield from file.kernels

    def knows(self, kernels: Iterable[KernelSource]) -> bool:
        """Whether the rows of all loaded traces were made with these kernels as they are, or have none of theirs: to
        open a file that was found before changes no figure."""
        rows = [row for entry in self.traces.values() if entry.loaded for row in entry.loaded.report.rows]
        names = {row.name for row in rows}
        places = {(place.path, place.content_hash, place.name_span) for row in rows for place in row.places}
        return all(
            names.isdisjoint({kernel.name, kernel.def_name})
            or (kernel.path, kernel.content_hash, kernel.name_span) in places
            for kernel in kernels
        )

    def rows_of(self, kernel: KernelSource | KernelOutline) -> list[ReportRow]:
        """The rows of the active trace that ran this kernel, most time first."""
        return self.active.rows_of(kernel) if self.active is not None else []

    def rows_at(self, view: InductorView, site: CallSite) -> list[ReportRow]:
        """The rows that a call site launched: those whose shapes fit its own, of the kernels it may launch."""
        rows = [row for kernel in view.called(site) for row in self.rows_of(kernel)]
        fitting = [row for row in rows if _fits(site, row)]
        return fitting or rows

    def change_percent(self, loaded: LoadedTrace, row: ReportRow) -> float | None:
        """How much faster (or, below 0, slower) a trace's row is than in the baseline."""
        changes = self.changes(loaded)
        return changes.get(row.id) if changes is not None else None

    def changes(self, loaded: LoadedTrace) -> dict[str, float] | None:
        """Change against the baseline by row id, None without a baseline."""
        baseline = self.baseline
        if baseline is None or baseline.key == loaded.key:
            return None
        return self._changes(loaded.report, baseline.report)

    def findings(self, loaded: LoadedTrace) -> dict[str, list[Finding]]:
        """What is worth attention in a trace, by row id."""
        return self._findings(loaded.report, self.settings, self.changes(loaded))

    def is_ignored(self, kernel: str) -> bool:
        """Whether the user wants to hear nothing of a kernel."""
        return kernel in self.ignored or kernel in self.settings.ignore_kernels

    def metadata_of(self, view: InductorView, kernel: KernelSource) -> KernelMetadata:
        """What a kernel moves and computes as its source, and its first call in the same file, tell."""
        return source_metadata(kernel, view.first_call(kernel))


def thresholds(settings: Settings) -> Thresholds:
    """When a kernel is flagged."""
    return Thresholds(settings.low_peak_percent, settings.low_min_time_us, settings.low_min_time_share)


def _findings_by_row(
    report: Report, settings: Settings, changes: dict[str, float] | None
) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in find(report, thresholds(settings), changes):
        found.setdefault(finding.row.id, []).append(finding)
    return found


def _fits(site: CallSite, row: ReportRow) -> bool:
    """Whether nothing that is known of both the call and the launch differs."""
    dims = row.args.input_dims if row.args else None
    if dims is None or len(dims) != len(site.shapes):
        return True
    return all(
        shape is None or not all(isinstance(size, int) for size in shape.sizes) or shape.sizes == dim
        for shape, dim in zip(site.shapes, dims, strict=True)
        if dim
    )
