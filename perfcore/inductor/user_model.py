"""The user's own program, seen from its lines: which kernels each line became, as far as PyTorch wrote it down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from perfcore.inductor.cache_files import is_inductor_path
from perfcore.inductor.model import KernelSource, UserLine
from perfcore.inductor.path_mapping import PathMappings, mapped_paths
from perfcore.inductor.provenance import Provenance, kernel_stacks, read_provenance
from perfcore.problem import Problem

_MAX_TEXT = 4 << 20
_DEF = re.compile(r"^(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)", re.MULTILINE)

Made = tuple[UserLine, KernelSource]


@dataclass(frozen=True, slots=True)
class UserModel:
    """`made` holds, by the user file's path and zero-based line, what was made from that line."""

    made: Mapping[str, Mapping[int, tuple[Made, ...]]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function of the user's file and the kernels that its lines became. Lines are zero-based, `last` included."""

    name: str
    line: int
    last: int
    kernels: tuple[KernelSource, ...]


def user_model(kernels: Iterable[KernelSource], path_mappings: PathMappings = ()) -> UserModel:
    """Build it from wrappers' kernels, reading what lies in each wrapper's folder once. Every frame of a stack
    counts: a call in the user's model as well as the line in the layer that it leads to."""
    mappings = tuple(path_mappings)
    folders: dict[str, Provenance | None] = {}
    made: dict[str, dict[int, dict[tuple[str | None, UserLine], Made]]] = {}
    for kernel in kernels:
        folder = str(PurePath(kernel.path).parent)
        if folder not in folders:
            folders[folder] = None if is_inductor_path(kernel.path) else read_provenance(folder)
        for line in {line: None for stack in kernel_stacks(kernel, folders[folder]) for line in stack}:
            for path in mapped_paths(line.path, mappings):
                at_line = made.setdefault(_normal(path), {}).setdefault(line.line, {})
                at_line.setdefault((kernel.content_hash, line), (line, kernel))
    frozen = {
        path: {line: tuple(found.values()) for line, found in sorted(lines.items())}
        for path, lines in made.items()
    }
    problems = tuple(problem for found in folders.values() if found for problem in found.problems)
    return UserModel(frozen, problems)


def kernels_by_line(model: UserModel, path: str, text: str) -> dict[int, tuple[KernelSource, ...]]:
    """What each line of a user's file became. `text` is the file as it is now: a line whose text is no longer what
    PyTorch recorded is left out, since it may be another line by now."""
    found = model.made.get(_normal(path))
    if not found:
        return {}
    lines = re.split(r"\r\n|\r|\n", text)
    by_line: dict[int, tuple[KernelSource, ...]] = {}
    for number, made in found.items():
        now = lines[number].strip() if number < len(lines) else None
        kernels = {
            kernel.content_hash: kernel
            for line, kernel in made
            if now is not None and line.code in {None, now}
        }
        if kernels:
            by_line[number] = tuple(kernels.values())
    return by_line


def kernels_by_function(
    text: str, by_line: Mapping[int, tuple[KernelSource, ...]]
) -> tuple[UserFunction, ...]:
    """The functions (innermost, where they nest) that hold such lines, in order, each kernel once."""
    spans = _functions(text)
    inside: dict[tuple[int, int, str], dict[str | None, KernelSource]] = {}
    for number, kernels in sorted(by_line.items()):
        around = [span for span in spans if span[0] <= number <= span[1]]
        if around:
            innermost = max(around, key=lambda span: span[0])
            inside.setdefault(innermost, {}).update((kernel.content_hash, kernel) for kernel in kernels)
    return tuple(
        UserFunction(name, first, last, tuple(kernels.values()))
        for (first, last, name), kernels in sorted(inside.items())
    )


def _functions(text: str) -> list[tuple[int, int, str]]:
    """(line of `def`, last line, name) of each function; from the indentation while the text does not parse."""
    if len(text) > _MAX_TEXT:
        return []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _functions_by_indentation(text)
    return [
        (node.lineno - 1, (node.end_lineno or node.lineno) - 1, node.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _functions_by_indentation(text: str) -> list[tuple[int, int, str]]:
    lines = text.split("\n")
    indents = [len(line) - len(line.lstrip()) if line.strip() else None for line in lines]
    functions: list[tuple[int, int, str]] = []
    open_: list[tuple[int, int, str]] = []
    for number, (line, indent) in enumerate(zip(lines, indents, strict=True)):
        if indent is None:
            continue
        while open_ and indent <= open_[-1][1]:
            first, _, name = open_.pop()
            functions.append((first, number - 1, name))
        if found := _DEF.match(line):
            open_.append((number, indent, found["name"]))
    functions.extend((first, len(lines) - 1, name) for first, _, name in open_)
    return functions


def _normal(path: str) -> str:
    return str(Path(path)).replace("\\", "/")
