"""Who launches whom: a wrapper's graph calls kernels, a kernel is called from graphs."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.features.graphs import Graph, calls_in_graphs, graph_at
from inductor_lens.features.navigation import location
from inductor_lens.features.symbols import bandwidth_detail
from inductor_lens.session import Session
from inductor_lens.source_places import call_name_range, span_range
from perfcore.inductor.model import KernelSource


def prepare(session: Session, document: Document, position: types.Position) -> list[types.CallHierarchyItem]:
    """The kernels at a position, or the graph where only its calls stand around."""
    view = session.source_view(document)
    if view is None:
        return []
    place = view.at(position)
    if place is not None:
        return [_kernel_item(session, kernel) for kernel in place.kernels]
    calls = view.call_sites
    if calls and calls[0].span.start_line <= position.line <= calls[-1].span.end_line:
        return [_graph_item(Graph(document.uri, view.file))]
    return []


def incoming(session: Session, item: types.CallHierarchyItem) -> list[types.CallHierarchyIncomingCall]:
    """The graphs that call a kernel. Reads files: not for the event loop."""
    wanted = _data(item).get("hash")
    return [
        types.CallHierarchyIncomingCall(_graph_item(graph), [call_name_range(site) for site in calls])
        for graph, calls in calls_in_graphs(session, [wanted] if isinstance(wanted, str) else [])
    ]


def outgoing(session: Session, item: types.CallHierarchyItem) -> list[types.CallHierarchyOutgoingCall]:
    """The kernels that a graph calls, in the order of their first calls. Reads files: not for the event loop."""
    graph = graph_at(session, str(_data(item).get("graph", "")))
    if graph is None:
        return []
    kernels: dict[str | None, KernelSource] = {}
    ranges: dict[str | None, list[types.Range]] = {}
    for site in graph.file.call_sites:
        for kernel in graph.file.called(site):
            kernels.setdefault(kernel.content_hash, kernel)
            ranges.setdefault(kernel.content_hash, []).append(call_name_range(site))
    return [
        types.CallHierarchyOutgoingCall(_kernel_item(session, kernel), ranges[identity])
        for identity, kernel in kernels.items()
    ]


def _kernel_item(session: Session, kernel: KernelSource) -> types.CallHierarchyItem:
    place = location(session, kernel)
    return types.CallHierarchyItem(
        name=kernel.name,
        kind=types.SymbolKind.Function,
        uri=place.uri,
        range=span_range(kernel.def_span),
        selection_range=place.range,
        detail=bandwidth_detail(session.rows_of(kernel)) or None,
        data={"hash": kernel.content_hash},
    )


def _graph_item(graph: Graph) -> types.CallHierarchyItem:
    first, last = graph.file.call_sites[0], graph.file.call_sites[-1]
    return types.CallHierarchyItem(
        name="call",
        kind=types.SymbolKind.Module,
        uri=graph.uri,
        range=types.Range(span_range(first.span).start, span_range(last.span).end),
        selection_range=call_name_range(first),
        detail=graph.uri.rsplit("/", 1)[-1],
        data={"graph": graph.uri},
    )


def _data(item: types.CallHierarchyItem) -> dict[str, Any]:
    return item.data if isinstance(item.data, dict) else {}
