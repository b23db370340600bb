"""`read_inductor_file`: one generated file's text → an `InductorFile`."""

from __future__ import annotations

from perfcore.inductor.comments import comment_above
from perfcore.inductor.content_hash import hash_in_path, text_hash
from perfcore.inductor.kernel_source import (
    KernelText,
    UnreadableKernelError,
    has_kernel_decorator,
    read_kernel_text,
)
from perfcore.inductor.model import InductorFile, KernelSource
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.wrapper import EmbeddedKernel, call_sites, embedded_kernels, is_wrapper
from perfcore.problem import Problem

MAX_PROBLEMS = 100


def read_inductor_file(path: str, text: str) -> InductorFile:
    """Everything that a generated file of any PyTorch version says of its kernels. Raises nothing.

    `text` may be what an editor holds, whole or not; `path` is only looked at, never opened.
    """
    positions = TextPositions(text)
    definitions = embedded_kernels(positions.text)
    if definitions or is_wrapper(positions.text):
        return _read_wrapper(path, positions, definitions)
    if has_kernel_decorator(positions.text):
        return _read_single_kernel(path, positions)
    return InductorFile(path, "other", (), ())


def _read_single_kernel(path: str, positions: TextPositions) -> InductorFile:
    text = positions.text
    whole = EmbeddedKernel("", None, 0, 0, len(text), text, ended=True)
    kernel = _read_kernel(path, positions, whole)
    if isinstance(kernel, Problem):
        return InductorFile(path, "kernel", (), (), (kernel,))
    return InductorFile(path, "kernel", (kernel,), ())


def _read_wrapper(path: str, positions: TextPositions, definitions: list[EmbeddedKernel]) -> InductorFile:
    kernels: dict[str, KernelSource] = {}
    problems: list[Problem] = []
    read: list[KernelSource] = []
    for definition in definitions:
        kernel = _read_kernel(path, positions, definition)
        if isinstance(kernel, Problem):
            problems.append(kernel)
            continue
        read.append(kernel)
        kernels[definition.variable] = kernel
        problems.extend(kernel.problems)
    sites = call_sites(positions, definitions, kernels)
    return InductorFile(path, "wrapper", tuple(read), sites, _at_most(problems, path))


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
    more = Problem("kernel-unreadable", "warning", f"{rest} more kernels cannot be read.", path)
    return (*problems[:MAX_PROBLEMS], more)
