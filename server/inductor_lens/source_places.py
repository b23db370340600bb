"""What stands at a place of an Inductor file: a kernel's definition, a call of it, the path of its own file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lsprotocol import types

from inductor_lens.text_index import Spot, utf16_length
from perfcore.inductor.model import CallSite, InductorFile, KernelSource, Span
from perfcore.inductor.read import Reading


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """`kernels` has one kernel, or the choices of a multi-kernel at its call."""

    what: Literal["definition", "call", "path"]
    kernels: tuple[KernelSource, ...]
    range: types.Range
    site: CallSite | None = None


class InductorView:
    """One Inductor file with its places looked up once: a wrapper may hold ten thousand kernels. `called(site)` and
    `first_call(kernel)` are the file's. `whole` is False where only some of the file was read."""

    def __init__(self, file: InductorFile, *, whole: bool = True) -> None:
        self.file = file
        self.whole = whole
        self.kernels = file.kernels
        self.call_sites = file.call_sites
        self.problems = file.problems
        self.called = file.called
        self.first_call = file.first_call
        self._calls: dict[str, list[CallSite]] = {}
        self._on_line: dict[int, list[SourcePlace]] = {}
        self._by_text_line = {kernel.text_line: kernel for kernel in file.kernels}
        for kernel in file.kernels:
            for place in _places_of(kernel):
                self._on_line.setdefault(place.range.start.line, []).append(place)
        for site in file.call_sites:
            for kernel in file.called(site):
                self._calls.setdefault(kernel.name, []).append(site)
            place = SourcePlace("call", file.called(site), call_name_range(site), site)
            self._on_line.setdefault(place.range.start.line, []).append(place)

    @staticmethod
    def of_one(reading: Reading, index: int) -> InductorView:
        """One kernel of a file that is being read, without its calls."""
        kernel = reading.kernel(index)
        kernels = (kernel,) if kernel is not None else ()
        return InductorView(InductorFile(reading.path, reading.kind, kernels, ()), whole=False)

    def kernel_on(self, text_line: int) -> KernelSource | None:
        """The kernel whose text begins on a line."""
        return self._by_text_line.get(text_line)

    def calls_of(self, kernel: KernelSource) -> list[CallSite]:
        """The calls that may launch a kernel, in the order of the text."""
        return self._calls.get(kernel.name, [])

    def at(self, position: types.Position) -> SourcePlace | None:
        """What stands at a position, None between the things that matter. A definition's statement is its line."""
        for place in self._on_line.get(position.line, ()):
            whole_line = place.what == "definition" and place.range.start.character == 0
            if whole_line or place.range.start.character <= position.character <= place.range.end.character:
                return place
        return None


def _places_of(kernel: KernelSource) -> Iterator[SourcePlace]:
    if is_embedded(kernel):
        yield SourcePlace("definition", (kernel,), definition_range(kernel))
    yield SourcePlace("definition", (kernel,), span_range(kernel.name_span))
    if kernel.path_span is not None:
        yield SourcePlace("path", (kernel,), span_range(kernel.path_span))


def is_embedded(kernel: KernelSource) -> bool:
    """Whether the kernel stands in a wrapper, as a text within its text."""
    return kernel.text_line > 0 or kernel.kernel_path is not None


def definition_range(kernel: KernelSource) -> types.Range:
    """Where a kernel begins: its statement in a wrapper, its `def` in a file of its own."""
    return (
        statement_range(kernel.text_line, kernel.name)
        if is_embedded(kernel)
        else span_range(kernel.name_span)
    )


def statement_range(text_line: int, name: str) -> types.Range:
    """Where the statement of a wrapper's kernel begins."""
    return types.Range(types.Position(text_line, 0), types.Position(text_line, len(name)))


def whole_range(kernel: KernelSource) -> types.Range:
    """A kernel from its beginning to the end of its text."""
    last = kernel.text.rfind("\n") + 1
    end = types.Position(kernel.text_line + kernel.text.count("\n"), utf16_length(kernel.text[last:]))
    return types.Range(definition_range(kernel).start if is_embedded(kernel) else types.Position(0, 0), end)


def call_name_range(site: CallSite) -> types.Range:
    """The kernel's name in `name.run(…)`."""
    line, column = site.span.start_line, site.span.start_column
    return types.Range(types.Position(line, column), types.Position(line, column + len(site.kernel)))


def span_range(span: Span) -> types.Range:
    """A span as LSP writes it."""
    return types.Range(
        types.Position(span.start_line, span.start_column), types.Position(span.end_line, span.end_column)
    )


def spot_range(start: Spot, end: Spot) -> types.Range:
    """Two places as LSP writes them."""
    return types.Range(types.Position(*start), types.Position(*end))
