"""Paths that can be followed: the kernel's own file in traces and wrappers, the user's files in comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from inductor_lens.documents import Document, uri_of
from inductor_lens.features.navigation import own_files, target_uri
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session
from inductor_lens.source_places import InductorView, span_range, spot_range
from inductor_lens.text_index import line_breaks, utf16_length
from perfcore.inductor.path_mapping import mapped_paths

_USER_FILE = re.compile(
    r"^[ \t]*#[ \t]*(?:File|Original path): (?P<path>[^\n\r]+?):(?P<line>\d{1,9})(?= in |,|[ \t]*$)",
    re.MULTILINE,
)
"""Of a graph's node (torch/fx/graph.py) and of a user's own Triton kernel (torch/_inductor/codegen/wrapper.py)."""


def document_links(session: Session, document: Document) -> list[types.DocumentLink]:
    """The links of a document whose targets are on this machine. Looks at the disk: not for the event loop."""
    if (loaded := session.trace_of(document)) is not None:
        return list(_in_trace(session, loaded))
    view = session.source_view(document)
    if view is None:
        return []
    return [*_kernel_paths(session, view), *_user_files(session, document.text())]


def _in_trace(session: Session, loaded: LoadedTrace) -> Iterator[types.DocumentLink]:
    if loaded.places is None:
        return
    targets = {
        row.id: f"{target_uri(session, row.places[0])}#L{row.places[0].line + 1}"
        for row in loaded.report.rows
        if row.places
    }
    for event in loaded.places.with_files():
        found = loaded.row_at(event)
        if found is not None and event.file is not None and found[1].id in targets:
            yield types.DocumentLink(spot_range(*event.file), targets[found[1].id])


def _kernel_paths(session: Session, view: InductorView) -> Iterator[types.DocumentLink]:
    for kernel in view.kernels:
        own = own_files(session, (kernel,)) if kernel.path_span is not None else []
        if own and kernel.path_span is not None:
            yield types.DocumentLink(span_range(kernel.path_span), target_uri(session, own[0]))


def _user_files(session: Session, text: str) -> Iterator[types.DocumentLink]:
    """The user's own files in comments, with a line."""
    exists: dict[str, str | None] = {}
    line, counted = 0, 0
    for found in _USER_FILE.finditer(text):
        start, path = found.start("path"), found["path"]
        line += line_breaks(text[counted:start])
        counted = start
        if path not in exists:
            mapped = mapped_paths(path, session.settings.path_mappings)
            exists[path] = next((place for place in mapped if Path(place).is_file()), None)
        if (target := exists[path]) is not None:
            begin = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
            column, end = utf16_length(text[begin:start]), utf16_length(text[begin : found.end("line")])
            where = types.Range(types.Position(line, column), types.Position(line, end))
            yield types.DocumentLink(where, f"{uri_of(target)}#L{found['line']}")
