"""From a launch to its kernel's source and back: definition, references, implementation."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from inductor_lens.documents import Document, path_of, uri_of
from inductor_lens.features.graphs import call_locations
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session
from inductor_lens.source_places import span_range, spot_range
from perfcore.inductor.model import KernelSource
from perfcore.report import ReportRow


def definition(session: Session, document: Document, position: types.Position) -> list[types.LocationLink]:
    """A launch leads to its kernel in every file that has it; a call to the kernel in the same wrapper; the path
    over a kernel to that file."""
    if (loaded := session.trace_of(document)) is not None:
        found = loaded.at(position)
        if found is None:
            return []
        return [kernel_link(session, kernel, spot_range(*found.event.name)) for kernel in found.row.places]
    view = session.view_at(document, position)
    place = view.at(position) if view is not None else None
    if place is None:
        return []
    if place.what == "path":
        return [kernel_link(session, kernel, place.range) for kernel in own_files(session, place.kernels)]
    return [kernel_link(session, kernel, place.range) for kernel in place.kernels]


def implementation(
    session: Session, document: Document, position: types.Position
) -> list[types.LocationLink]:
    """A kernel in a wrapper, or a call of it, leads to the kernel's own file."""
    view = session.view_at(document, position)
    place = view.at(position) if view is not None else None
    if place is None:
        return []
    return [kernel_link(session, kernel, place.range) for kernel in own_files(session, place.kernels)]


def references(
    session: Session, document: Document, position: types.Position, *, with_declaration: bool
) -> list[types.Location]:
    """A kernel's calls in the wrappers that are known, and its launches in the active trace; from a launch, the others
    of its row. Reads files: not for the event loop."""
    if (loaded := session.trace_of(document)) is not None:
        found = loaded.at(position)
        return launch_locations(loaded, found.row) if found is not None else []
    view = session.source_view(document)
    place = view.at(position) if view is not None else None
    if place is None:
        return []
    locations = [location(session, kernel) for kernel in place.kernels] if with_declaration else []
    locations += call_locations(session, place.kernels)
    if session.active is not None:
        for kernel in place.kernels:
            for row in session.rows_of(kernel):
                locations += launch_locations(session.active, row)
    return locations


def launch_locations(loaded: LoadedTrace, row: ReportRow, most: int | None = None) -> list[types.Location]:
    """The places of a row's launches in time order, `most` of them at the most; none until they are counted."""
    if loaded.places is None:
        return []
    events = (loaded.places.of(index) for index in loaded.launch_indices(row)[:most])
    return [types.Location(loaded.uri, spot_range(event.start, event.end)) for event in events if event]


def own_files(session: Session, kernels: Sequence[KernelSource]) -> list[KernelSource]:
    """The kernels as they stand in files of their own."""
    found = (session.sources.of_kernel(kernel) for kernel in kernels)
    return [kernel for own in found for kernel in own]


def kernel_link(session: Session, kernel: KernelSource, origin: types.Range) -> types.LocationLink:
    target = span_range(kernel.name_span)
    return types.LocationLink(target_uri(session, kernel), target, target, origin)


def location(session: Session, kernel: KernelSource) -> types.Location:
    """Where a kernel's name stands."""
    return types.Location(target_uri(session, kernel), span_range(kernel.name_span))


def target_uri(session: Session, kernel: KernelSource) -> str:
    """The document's own spelling where it is open."""
    document = session.documents.at_path(kernel.path)
    if document is not None:
        return document.uri
    return kernel.path if path_of(kernel.path) or "://" in kernel.path else uri_of(kernel.path)
