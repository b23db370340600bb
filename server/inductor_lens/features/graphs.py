"""The graphs that call a kernel: in open wrappers, and in those that lie in the workspace and the caches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsprotocol import types

from inductor_lens.documents import path_of, uri_of
from inductor_lens.session import Session
from inductor_lens.source_places import call_name_range
from perfcore.inductor.cache import is_inductor_path
from perfcore.inductor.model import CallSite, InductorFile, KernelSource


@dataclass(frozen=True, slots=True)
class Graph:
    """One wrapper, of which calls are asked."""

    uri: str
    file: InductorFile

    def calls_of(self, hashes: frozenset[str]) -> list[CallSite]:
        """Its calls that may launch a kernel of one of these content hashes."""
        called = self.file.called
        return [
            site for site in self.file.call_sites if any(one.content_hash in hashes for one in called(site))
        ]


def graph_at(session: Session, uri: str) -> Graph | None:
    """The wrapper of a URI: as an editor holds it, else as it lies on disk. Reads files."""
    document = session.documents.get(uri)
    view = session.source_view(document) if document is not None else None
    if view is not None:
        return Graph(uri, view.file)
    path = path_of(uri)
    file = session.sources.index.file(path) if path is not None and document is None else None
    return Graph(uri, file) if file is not None and file.call_sites else None


def calls_in_graphs(
    session: Session, kernels: Iterable[KernelSource | str]
) -> Iterator[tuple[Graph, list[CallSite]]]:
    """The graphs that call any of these kernels (or content hashes), with those calls: open ones, then those in the
    workspace, then those in caches. Inductor writes a wrapper twice: the same calls of the same kernels count once.
    Reads files."""
    hashes = frozenset(kernel if isinstance(kernel, str) else kernel.content_hash or "" for kernel in kernels)
    seen: set[object] = set()
    for graph in _graphs(session, hashes):
        calls = graph.calls_of(hashes)
        kind = tuple((site.kernel, site.span.start_line) for site in graph.file.call_sites)
        if calls and kind not in seen:
            seen.add(kind)
            yield graph, calls


def _graphs(session: Session, hashes: frozenset[str]) -> Iterator[Graph]:
    for document in session.documents:
        view = session.source_view(document)
        if view is not None and view.call_sites:
            yield Graph(document.uri, view.file)
    index = session.sources.index
    paths = {kernel.path for each in hashes for kernel in index.by_hash(each) if kernel.variable is not None}
    closed = [path for path in paths if session.documents.at_path(path) is None]
    for path in sorted(closed, key=lambda path: (is_inductor_path(path), path)):
        if (file := index.file(path)) is not None:
            yield Graph(uri_of(path), file)


def call_locations(session: Session, kernels: Iterable[KernelSource]) -> list[types.Location]:
    """Where graphs call these kernels."""
    return [
        types.Location(graph.uri, call_name_range(site))
        for graph, calls in calls_in_graphs(session, kernels)
        for site in calls
    ]
