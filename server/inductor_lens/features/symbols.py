"""Kernels as symbols: of a document, and of everything that is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import Document
from inductor_lens.features.navigation import location
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session
from inductor_lens.source_places import InductorView, call_name_range, span_range, spot_range, whole_range
from perfcore.counted import counted
from perfcore.inductor.model import KernelSource
from perfcore.report import ReportRow

MOST_SYMBOLS = 500


def document_symbols(session: Session, document: Document) -> list[types.DocumentSymbol]:
    """A source's kernels with their calls, or a trace's kernels with their launches; their detail is the TB/s."""
    if (loaded := session.trace_of(document)) is not None:
        return list(_in_trace(loaded))
    view = session.source_view(document)
    if view is None:
        return []
    symbols = [_kernel_symbol(session, kernel) for kernel in view.kernels]
    calls = list(_call_symbols(session, view))
    if calls:
        whole = types.Range(calls[0].range.start, calls[-1].range.end)
        symbols.append(
            types.DocumentSymbol(
                "call", types.SymbolKind.Module, whole, calls[0].selection_range, children=calls
            )
        )
    return symbols


def workspace_symbols(
    session: Session, query: str, given_up: Callable[[], bool] = lambda: False
) -> list[types.WorkspaceSymbol]:
    """The kernels of open documents, known sources and the active trace whose names hold the query's letters in
    their order. One that stands in several files is listed once, in its own file. `given_up` is polled."""
    found: dict[str, types.WorkspaceSymbol] = {}
    for kernel in session.known_kernels(partial(_matches, query)):
        if len(found) >= MOST_SYMBOLS or given_up():
            break
        if _matches(query, kernel.name):
            rows = session.rows_of(kernel)
            symbol = _workspace_symbol(kernel.name, rows, location(session, kernel))
            found.setdefault(kernel.content_hash or kernel.name, symbol)
    if (active := session.active) is not None:
        named = {symbol.name for symbol in found.values()}
        for row in active.report.rows:
            if len(found) >= MOST_SYMBOLS:
                break
            if row.name not in named and _matches(query, row.name):
                place = types.LocationUriOnly(active.uri)
                found.setdefault(row.id, _workspace_symbol(row.name, [row], place))
    return list(found.values())


def _kernel_symbol(session: Session, kernel: KernelSource) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=kernel.name,
        kind=types.SymbolKind.Function,
        range=whole_range(kernel),
        selection_range=span_range(kernel.name_span),
        detail=bandwidth_detail(session.rows_of(kernel)),
    )


def _call_symbols(session: Session, view: InductorView) -> Iterator[types.DocumentSymbol]:
    """The calls of a wrapper, below the graph that they make up."""
    for site in view.call_sites:
        yield types.DocumentSymbol(
            name=f"{site.kernel}.run",
            kind=types.SymbolKind.Event,
            range=span_range(site.span),
            selection_range=call_name_range(site),
            detail=bandwidth_detail(session.rows_at(view, site)),
        )


def _in_trace(loaded: LoadedTrace) -> Iterator[types.DocumentSymbol]:
    """Each kernel at its first launch."""
    by_kernel: dict[str, list[ReportRow]] = {}
    for row in loaded.report.rows:
        by_kernel.setdefault(row.name, []).append(row)
    for name, rows in by_kernel.items():
        launches = [launch for row in rows for launch in row.launches]
        first = min(launches, key=lambda launch: launch.place.offset)
        event = loaded.places.of(loaded.launch_index(first)) if loaded.places is not None else None
        if event is not None:
            yield types.DocumentSymbol(
                name=name,
                kind=types.SymbolKind.Function,
                range=spot_range(event.start, event.end),
                selection_range=spot_range(*event.name),
                detail=f"{bandwidth_detail(rows)} · {counted(len(launches), 'launch')}",
            )


def bandwidth_detail(rows: list[ReportRow]) -> str:
    """The bandwidth of the row that takes the most time, empty without one."""
    rates = (row.tb_s for row in rows if row.tb_s is not None)
    return wording.bandwidth(next(rates, None)) if rows else ""


def _workspace_symbol(
    name: str, rows: list[ReportRow], where: types.Location | types.LocationUriOnly
) -> types.WorkspaceSymbol:
    return types.WorkspaceSymbol(
        name=name,
        kind=types.SymbolKind.Function,
        location=where,
        container_name=bandwidth_detail(rows) or None,
    )


def _matches(query: str, name: str) -> bool:
    """Whether the query's letters stand in the name in their order, whatever their case."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower() if not letter.isspace())
