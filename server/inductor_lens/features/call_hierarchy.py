"""Who launches whom: a wrapper's graph calls kernels, a kernel is called from graphs."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.features.navigation import location
from inductor_lens.features.symbols import bandwidth_detail
from inductor_lens.session import Session
from inductor_lens.source_places import InductorView, call_name_range, span_range
from perfcore.inductor.model import CallSite, KernelSource


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
        return [_graph_item(document, view)]
    return []


def incoming(session: Session, item: types.CallHierarchyItem) -> list[types.CallHierarchyIncomingCall]:
    """The graphs in open wrappers that call a kernel."""
    wanted = _data(item).get("hash")
    calls: list[types.CallHierarchyIncomingCall] = []
    for document in session.documents if wanted is not None else ():
        view = session.source_view(document)
        sites = (
            [site for site in view.call_sites if wanted in _hashes(view, site)] if view is not None else []
        )
        if view is not None and sites:
            ranges = [call_name_range(site) for site in sites]
            calls.append(types.CallHierarchyIncomingCall(_graph_item(document, view), ranges))
    return calls


def outgoing(session: Session, item: types.CallHierarchyItem) -> list[types.CallHierarchyOutgoingCall]:
    """The kernels that a graph calls, in the order of their first calls."""
    document = session.documents.get(str(_data(item).get("graph", "")))
    view = session.source_view(document) if document is not None else None
    if view is None:
        return []
    kernels: dict[str | None, KernelSource] = {}
    ranges: dict[str | None, list[types.Range]] = {}
    for site in view.call_sites:
        for kernel in view.called(site):
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


def _graph_item(document: Document, view: InductorView) -> types.CallHierarchyItem:
    first, last = view.call_sites[0], view.call_sites[-1]
    return types.CallHierarchyItem(
        name="call",
        kind=types.SymbolKind.Module,
        uri=document.uri,
        range=types.Range(span_range(first.span).start, span_range(last.span).end),
        selection_range=call_name_range(first),
        detail=document.uri.rsplit("/", 1)[-1],
        data={"graph": document.uri},
    )


def _hashes(view: InductorView, site: CallSite) -> set[str | None]:
    return {kernel.content_hash for kernel in view.called(site)}


def _data(item: types.CallHierarchyItem) -> dict[str, Any]:
    return item.data if isinstance(item.data, dict) else {}
