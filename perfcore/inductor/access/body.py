"""The records of a kernel function's body: where statements stand, what names are defined as, where memory is touched."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from perfcore.inductor.access.callees import Callees


class UnreadableError(Exception):
    """A construct that the analysis does not understand. `line` counts from the kernel's text, zero-based."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


class Place(NamedTuple):
    """Where a statement stands: its number in the body, and the blocks around it, outermost first."""

    order: int
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A loop body or a branch. `path` holds the blocks around it and itself, outermost first."""

    path: tuple[int, ...]
    loop: ast.For | None
    tested: frozenset[str]
    """The names in the tests of an if statement, in each of its branches; none in a loop."""
    group: int
    """Branches of one if statement share it: of two of them only one runs."""


@dataclass(slots=True)
class Definition:
    """One assignment to a name. `loop` is the for statement whose target the name is; `value` is None there and for
    a part of a tuple of results."""

    place: Place
    value: ast.expr | None
    line: int
    loop: ast.For | None = None
    augmented: ast.operator | None = None
    node: object = None
    """What it was found to be: filled by `index_reader`."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call that touches memory, and where its statement stands."""

    call: ast.Call
    place: Place
    line: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A statement that names a pointer without touching memory: a new name for it, or a call that it is given to."""

    statement: ast.stmt
    place: Place
    line: int


@dataclass(slots=True)
class Body:
    """What stands in a kernel's function. Lines count from the kernel's text."""

    function: ast.FunctionDef
    first_line: int
    callees: Callees
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    sites: list[Site] = field(default_factory=list)
    asserts: list[tuple[ast.expr, Place]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    loop_orders: dict[int, int] = field(default_factory=dict)
    """The number of each loop's own statement, by block."""
    ends_early: int | None = None
    """The number of the first statement after which a condition may have ended the work."""

    @property
    def parameters(self) -> frozenset[str]:
        given = self.function.args
        return frozenset(argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def called_name(call: ast.Call) -> str:
    """The last part of the called function's name: `load` of `tl.load(…)`, '' where it has none."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def target_names(statement: ast.stmt) -> list[str]:
    """The plain names that a statement assigns to."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]
