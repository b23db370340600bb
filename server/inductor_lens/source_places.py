"""What stands at a place of an Inductor file: a kernel's definition, a call of it, the path of its own file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lsprotocol import types

from inductor_lens.text_index import Spot
from perfcore.inductor.model import CallSite, InductorFile, KernelSource, Span


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """`kernels` has one kernel, or the choices of a multi-kernel at its call."""

    what: Literal["definition", "call", "path"]
    kernels: tuple[KernelSource, ...]
    range: types.Range
    site: CallSite | None = None


def place_at(file: InductorFile, position: types.Position) -> SourcePlace | None:
    """What stands at a position, None between the things that matter."""
    here = (position.line, position.character)
    for kernel in file.kernels:
        if in_span(kernel.name_span, here) or (is_embedded(kernel) and position.line == kernel.text_line):
            return SourcePlace("definition", (kernel,), definition_range(kernel))
        if kernel.path_span is not None and in_span(kernel.path_span, here):
            return SourcePlace("path", (kernel,), span_range(kernel.path_span))
    for site in file.call_sites:
        if site.span.start_line != position.line:
            continue
        name = call_name_range(site)
        if name.start.character <= position.character <= name.end.character:
            return SourcePlace("call", kernels_called(file, site), name, site)
    return None


def kernels_called(file: InductorFile, site: CallSite) -> tuple[KernelSource, ...]:
    """The kernels of the file that a call site may launch."""
    return file.called(site)


def is_embedded(kernel: KernelSource) -> bool:
    """Whether the kernel stands in a wrapper, as a text within its text."""
    return kernel.text_line > 0 or kernel.kernel_path is not None


def definition_range(kernel: KernelSource) -> types.Range:
    """Where a kernel begins: its statement in a wrapper, its `def` in a file of its own."""
    if not is_embedded(kernel):
        return span_range(kernel.name_span)
    line = kernel.text_line
    return types.Range(types.Position(line, 0), types.Position(line, len(kernel.name)))


def whole_range(kernel: KernelSource) -> types.Range:
    """A kernel from its beginning to the end of its text."""
    lines = kernel.text.split("\n")
    end = types.Position(kernel.text_line + len(lines) - 1, len(lines[-1]))
    return types.Range(definition_range(kernel).start if is_embedded(kernel) else types.Position(0, 0), end)


def call_name_range(site: CallSite) -> types.Range:
    """The kernel's name in `name.run(…)`."""
    line, column = site.span.start_line, site.span.start_column
    return types.Range(types.Position(line, column), types.Position(line, column + len(site.kernel)))


def in_span(span: Span, here: Spot) -> bool:
    """Whether a place lies in a span or at its end."""
    return (span.start_line, span.start_column) <= here <= (span.end_line, span.end_column)


def span_range(span: Span) -> types.Range:
    """A span as LSP writes it."""
    return types.Range(
        types.Position(span.start_line, span.start_column), types.Position(span.end_line, span.end_column)
    )


def spot_range(start: Spot, end: Spot) -> types.Range:
    """Two places as LSP writes them."""
    return types.Range(types.Position(*start), types.Position(*end))
