"""`read_inductor_file`: one generated file's text → an `InductorFile`; `Reading`: the same, a kernel at a time."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from functools import cached_property

from perfcore.counted import counted
from perfcore.inductor.comments import comment_above
from perfcore.inductor.content_hash import hash_in_path, text_hash
from perfcore.inductor.kernel_source import (
    KernelText,
    UnreadableKernelError,
    has_kernel_decorator,
    read_kernel_text,
)
from perfcore.inductor.model import FileKind, InductorFile, KernelOutline, KernelSource
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.wrapper import EmbeddedKernel, call_sites, embedded_kernels, is_wrapper
from perfcore.problem import Problem

MAX_PROBLEMS = 100

_KERNEL_NAME = re.compile(r"'kernel_name': '(\w+)'")
_DEFINITION = re.compile(r"^def (\w+)\(", re.MULTILINE)
_PATH_IN_COMMENT = re.compile(r"^# kernel path: .*\b(c[a-z2-7]{51})\.py", re.MULTILINE)


class Reading:
    """A file of which each kernel is read when it is asked for, and once: a wrapper may hold ten thousand, and only
    those on the screen cannot wait. Safe to use from several threads.

    `kind` is the file's; `outline` are its kernels' definitions in the order of the text, found without reading any.
    Raises nothing. `path` is only looked at, never opened; `text` may be what an editor holds, whole or not.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._positions = TextPositions(text)
        plain = self._positions.text
        self._definitions = embedded_kernels(plain)
        self.kind: FileKind = "other"
        if self._definitions or is_wrapper(plain):
            self.kind = "wrapper"
        elif has_kernel_decorator(plain):
            self.kind = "kernel"
            self._definitions = [EmbeddedKernel("", None, 0, 0, len(plain), plain, ended=True)]
        self._read: list[KernelSource | Problem | None] = [None] * len(self._definitions)
        self._reading = threading.Lock()

    @cached_property
    def outline(self) -> tuple[KernelOutline, ...]:
        """Each kernel's names, content hashes and place. One that turns out to be unreadable has its entry too."""
        ends = [0, *(definition.text_end for definition in self._definitions)]
        return tuple(map(self._outlined, self._definitions, ends))

    def at_line(self, line: int) -> int | None:
        """Which kernel of the outline has a zero-based line, in its text or its statement."""
        index = bisect_right(self._definitions, line, key=lambda one: self._positions.line_of(one.start)) - 1
        return index if index >= 0 and line <= self.lines(index)[1] else None

    def lines(self, index: int) -> tuple[int, int]:
        """The first and last zero-based line of a kernel's text."""
        definition = self._definitions[index]
        return self._positions.line_of(definition.text_start), self._positions.line_of(definition.text_end)

    def kernel(self, index: int) -> KernelSource | None:
        """One kernel of the outline; None where it cannot be read."""
        found = self._found(index)
        return found if isinstance(found, KernelSource) else None

    def file(self) -> InductorFile:
        """The whole file: reads the kernels that nobody has asked for yet, and the calls."""
        found = [(definition, self._found(index)) for index, definition in enumerate(self._definitions)]
        kernels = {definition.variable: one for definition, one in found if isinstance(one, KernelSource)}
        read = tuple(one for _, one in found if isinstance(one, KernelSource))
        problems = [problem for _, one in found for problem in _problems_of(one)]
        sites = call_sites(self._positions, self._definitions, kernels) if self.kind == "wrapper" else ()
        return InductorFile(self.path, self.kind, read, sites, _at_most(problems, self.path))

    def _found(self, index: int) -> KernelSource | Problem:
        with self._reading:
            found = self._read[index]
            if found is None:
                found = self._read[index] = _read_kernel(self.path, self._positions, self._definitions[index])
            return found

    def _outlined(self, definition: EmbeddedKernel, after: int) -> KernelOutline:
        """`after` is where the kernel before it ends."""
        named = _KERNEL_NAME.search(definition.text)
        defined = _DEFINITION.findall(definition.text)
        function = definition.function or (defined[-1] if defined else "")
        own_hash = None if definition.variable else hash_in_path(self.path)
        content_hash = own_hash or text_hash(definition.text)
        in_comment = _PATH_IN_COMMENT.findall(self._positions.text, after, definition.start)
        names = {definition.variable, function, *defined, *(named.groups() if named else ())}
        return KernelOutline(
            name=named[1] if named else definition.variable or function,
            def_name=function,
            content_hash=content_hash,
            names=frozenset(names - {""}),
            hashes=frozenset({content_hash, *in_comment}),
        )


def read_inductor_file(path: str, text: str) -> InductorFile:
    """Everything that a generated file of any PyTorch version says of its kernels. Raises nothing.

    `text` may be what an editor holds, whole or not; `path` is only looked at, never opened.
    """
    return Reading(path, text).file()


def _problems_of(found: KernelSource | Problem) -> tuple[Problem, ...]:
    return found.problems if isinstance(found, KernelSource) else (found,)


def _read_kernel(path: str, positions: TextPositions, definition: EmbeddedKernel) -> KernelSource | Problem:
    try:
        found = read_kernel_text(definition.text, definition.function)
    except UnreadableKernelError as error:
        index = min(definition.text_start + error.index, len(positions.text))
        name = definition.variable or "This kernel"
        return Problem(
            "kernel-unreadable",
            "warning",
            f"{name} cannot be read at line {positions.line_of(index) + 1}: {error}. It is left out.",
            path,
            positions.byte_offset(index),
        )
    return _kernel_source(path, positions, definition, found)


def _kernel_source(
    path: str, positions: TextPositions, definition: EmbeddedKernel, found: KernelText
) -> KernelSource:
    comment = comment_above(positions, positions.line_of(definition.start)) if definition.variable else None
    kernel_path = comment.kernel_path if comment else None
    path_span = None
    if comment and kernel_path:
        path_span = positions.span(comment.path_start, comment.path_start + len(kernel_path))
    named = None if definition.variable else hash_in_path(path)
    written = text_hash(definition.text)
    name_start = _index_in_file(positions, definition, found.name_start)
    return KernelSource(
        name=found.kernel_name or definition.variable or found.def_name,
        def_name=found.def_name,
        path=path,
        category=found.category,
        decorator=found.decorator,
        params=found.params,
        signature=found.signature,
        size_hints=found.size_hints,
        numels=found.numels,
        original_aten=comment.original_aten if comment else None,
        source_nodes=comment.source_nodes if comment else (),
        inductor_meta=found.inductor_meta,
        triton_meta=found.triton_meta,
        kernel_path=kernel_path,
        content_hash=named or written,
        graph_nodes=comment.graph_nodes if comment else (),
        user_lines=comment.user_lines if comment else (),
        edited=named is not None and named != written,
        text=definition.text,
        variable=definition.variable or None,
        text_line=positions.line_of(definition.text_start),
        def_span=positions.span(
            _index_in_file(positions, definition, found.def_start),
            _index_in_file(positions, definition, found.def_end),
        ),
        name_span=positions.span(name_start, name_start + len(found.def_name)),
        path_span=path_span,
        problems=() if definition.ended else (_unended(path, positions, definition),),
    )


def _index_in_file(positions: TextPositions, definition: EmbeddedKernel, index: int) -> int:
    """Lines of the kernel's text are lines of the file; only an escape can make a line of the file longer."""
    if len(definition.text) == definition.text_end - definition.text_start:
        return definition.text_start + index
    line = definition.text.count("\n", 0, index)
    if line == 0:
        return definition.text_start + index
    column = index - definition.text.rfind("\n", 0, index) - 1
    return positions.line_start(positions.line_of(definition.text_start) + line) + column


def _unended(path: str, positions: TextPositions, definition: EmbeddedKernel) -> Problem:
    return Problem(
        "kernel-unreadable",
        "warning",
        f"The text of {definition.variable} does not end: its closing quotes are missing.",
        path,
        positions.byte_offset(definition.start),
    )


def _at_most(problems: list[Problem], path: str) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    rest = len(problems) - MAX_PROBLEMS
    more = Problem("kernel-unreadable", "warning", f"{counted(rest, 'more kernel')} cannot be read.", path)
    return (*problems[:MAX_PROBLEMS], more)
