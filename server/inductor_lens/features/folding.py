"""A wrapper's kernels fold away, each with the comment over it, so that its calls can be read."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.session import Session
from inductor_lens.source_places import is_embedded
from perfcore.inductor.model import KernelSource


def folding_ranges(session: Session, document: Document) -> list[types.FoldingRange]:
    """One range for each kernel's statement and one for the comment over it."""
    view = session.source_view(document)
    if view is None:
        return []
    return [fold for kernel in view.kernels if is_embedded(kernel) for fold in _of_kernel(kernel)]


def _of_kernel(kernel: KernelSource) -> Iterator[types.FoldingRange]:
    first = kernel.text_line
    if kernel.path_span is not None and kernel.path_span.start_line < first - 1:
        yield types.FoldingRange(kernel.path_span.start_line, first - 1, kind=types.FoldingRangeKind.Comment)
    last = first + kernel.text.count("\n")
    if last > first:
        yield types.FoldingRange(
            first, last, kind=types.FoldingRangeKind.Region, collapsed_text=f"{kernel.name} …"
        )
