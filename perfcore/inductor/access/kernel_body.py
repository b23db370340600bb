"""A kernel function's statements in order: what each name is defined as, and where memory is touched.

Only the shape of the body is read here, once; what an index means is worked out on demand (`index_reader`).
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from perfcore.inductor.access.body import (
    Block,
    Body,
    Definition,
    Mention,
    Place,
    Site,
    UnreadableError,
    called_name,
    target_names,
)
from perfcore.inductor.access.callees import TOUCHING, Callees
from perfcore.inductor.access.function_text import function_text, parse_functions
from perfcore.inductor.access.unfolded import alternatives, unfold

MAX_STATEMENTS: Final = 100_000
MAX_BLOCK_DEPTH: Final = 40

_TOUCH = re.compile(rf"\b(?:{'|'.join(sorted(TOUCHING))})\s*\(")
_NEWLINE = re.compile(r"\n")


def read_body(text: str, name: str, pointers: frozenset[str]) -> Body:
    """The body of the function `name` in a kernel's text. Raises UnreadableError."""
    source, first_line, called = function_text(text, name)
    functions = parse_functions(source, first_line)
    function = functions.get(name)
    if function is None:
        raise UnreadableError("no function was found", first_line)
    unfold(function, {helper: functions[helper] for helper in called if helper in functions}, pointers)
    body = Body(function, first_line, Callees(text))
    lines = _lines_of(source)
    walk = _Walk(body, lines(_TOUCH))
    walk.block(function.body, ())
    names, seen = pointers, pointers
    while names:
        new = walk.mentions(names, lines(_word(names)))
        names = frozenset(name for mention in new for name in target_names(mention.statement)) - seen
        seen |= names
        body.mentions.extend(new)
    return body


def _lines_of(source: str) -> Callable[[re.Pattern[str]], dict[int, int]]:
    """A search for the one-based lines that match a pattern, and how often each does."""
    starts = [0, *(found.end() for found in _NEWLINE.finditer(source))]

    def search(pattern: re.Pattern[str]) -> dict[int, int]:
        return Counter(bisect_right(starts, found.start()) for found in pattern.finditer(source))

    return search


def _word(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")


class _Walk:
    """One pass over the statements. `touching` says how often a line (one-based, in the function) touches memory."""

    def __init__(self, body: Body, touching: Mapping[int, int]) -> None:
        self.body = body
        self.touching = touching
        self.order = 0
        self.others: list[tuple[ast.stmt, Place]] = []

    def line(self, node: ast.stmt | ast.expr) -> int:
        return self.body.first_line + node.lineno - 1

    def block(self, statements: list[ast.stmt], path: tuple[int, ...]) -> None:
        for statement in statements:
            self.order += 1
            if self.order > MAX_STATEMENTS:
                raise UnreadableError(
                    "more statements than any kernel that Inductor writes", self.line(statement)
                )
            match statement:
                case ast.Assign():
                    self.touches(statement, path)
                    for target in statement.targets:
                        self.define(target, statement.value, path)
                case ast.AnnAssign(target=target, value=value):
                    self.touches(statement, path)
                    self.define(target, value, path)
                case ast.AugAssign(target=target, value=value, op=operator):
                    self.touches(statement, path)
                    self.define(target, value, path, augmented=operator)
                case ast.Expr(value=value):
                    self.expression(statement, value, path)
                case ast.For():
                    self.loop(statement, path)
                case ast.If():
                    self.branches(statement, path)
                case ast.Return() | ast.Break() | ast.Continue():
                    self.ends_early(path)
                case ast.Pass() | ast.Import() | ast.ImportFrom():
                    pass
                case _:
                    if self.touched(statement):
                        kind = type(statement).__name__.lower()
                        raise UnreadableError(
                            f"memory is touched inside a {kind} statement, which no known kernel has",
                            self.line(statement),
                        )

    def ends_early(self, path: tuple[int, ...]) -> None:
        """What follows may not be done by all programs; a template's test for empty operands aside."""
        tested = self.body.blocks[path[-1]].tested if path else frozenset()
        whole = bool(tested) and all(name.isupper() for name in tested)
        if path and not whole and self.body.ends_early is None:
            loops = [block for block in path if self.body.blocks[block].loop is not None]
            self.body.ends_early = self.body.loop_orders[loops[0]] if loops else self.order

    def enter(
        self, path: tuple[int, ...], statement: ast.For | ast.If, tested: frozenset[str]
    ) -> tuple[int, ...]:
        if len(path) >= MAX_BLOCK_DEPTH:
            raise UnreadableError("nested deeper than any kernel that Inductor writes", self.line(statement))
        inner = (*path, len(self.body.blocks))
        loop = statement if isinstance(statement, ast.For) else None
        self.body.blocks.append(Block(inner, loop, tested, id(statement)))
        return inner

    def branches(self, statement: ast.If, path: tuple[int, ...]) -> None:
        """The branches side by side, however many an elif adds; those that a constant of the body
        (`EVEN_K: tl.constexpr = True`) rules out are left out."""
        possible: list[tuple[ast.expr | None, list[ast.stmt]]] = []
        for test, branch in alternatives(statement):
            alive = None if test is None else self.constant(test)
            if alive is not False:
                possible.append((None if alive else test, branch))
            if alive:
                break
        tests = [test for test, _ in possible if test is not None]
        tested = frozenset(n.id for test in tests for n in ast.walk(test) if isinstance(n, ast.Name))
        for _, branch in possible:
            self.block(branch, self.enter(path, statement, tested) if tests else path)

    def constant(self, test: ast.expr) -> bool | None:
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if isinstance(test, ast.Name):
            definitions = self.body.definitions.get(test.id, [])
            value = definitions[0].value if len(definitions) == 1 and not definitions[0].place.path else None
            return bool(value.value) if isinstance(value, ast.Constant) else None
        return None

    def loop(self, statement: ast.For, path: tuple[int, ...]) -> None:
        if self.touches_in(statement.iter):
            raise UnreadableError("a loop's bounds are loaded from memory", self.line(statement))
        inner = self.enter(path, statement, frozenset())
        self.body.loop_orders[inner[-1]] = self.order
        if isinstance(statement.target, ast.Name):
            definition = Definition(Place(self.order, inner), None, self.line(statement), loop=statement)
            self.body.definitions.setdefault(statement.target.id, []).append(definition)
        self.block(statement.body, inner)
        self.block(statement.orelse, path)

    def define(
        self,
        target: ast.expr,
        value: ast.expr | None,
        path: tuple[int, ...],
        augmented: ast.operator | None = None,
    ) -> None:
        if isinstance(target, ast.Name):
            definition = Definition(Place(self.order, path), value, self.line(target), augmented=augmented)
            self.body.definitions.setdefault(target.id, []).append(definition)
        elif isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            parts: list[ast.expr | None] = (
                [*values] if len(values) == len(target.elts) else [None] * len(target.elts)
            )
            for element, part in zip(target.elts, parts, strict=True):
                self.define(element, part, path)

    def expression(self, statement: ast.Expr, value: ast.expr, path: tuple[int, ...]) -> None:
        self.touches(statement, path)
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "device_assert"
            and value.args
        ):
            self.body.asserts.append((value.args[0], Place(self.order, path)))

    def touched(self, node: ast.stmt | ast.expr) -> bool:
        return _stands_on(node, self.touching)

    def mentions(self, names: Collection[str], lines: Mapping[int, int]) -> list[Mention]:
        """The statements that touch no memory on the lines on which the names stand."""
        return [
            Mention(statement, place, self.line(statement))
            for statement, place in self.others
            if _stands_on(statement, lines) and not _names_another(statement, names)
        ]

    def touches(self, statement: ast.stmt, path: tuple[int, ...]) -> None:
        """Note the statement, and every call in it that touches memory, inner calls before outer ones."""
        if not self.touched(statement):
            self.others.append((statement, Place(self.order, path)))
            return
        found = self.only_touch(statement) or self.touches_in(statement)
        self.body.sites.extend(
            Site(call, Place(self.order, path), self.line(call)) for call in reversed(found)
        )

    def only_touch(self, statement: ast.stmt) -> list[ast.Call]:
        """The call of `tmp0 = tl.load(…).to(tl.float32)[None, :]` or `tl.store(…)`, where the line has no other."""
        if statement.lineno != statement.end_lineno or self.touching[statement.lineno] != 1:
            return []
        node = getattr(statement, "value", None)
        while True:
            if isinstance(node, ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call):
                if called_name(node) in TOUCHING:
                    return [node]
                if not isinstance(node.func, ast.Attribute):
                    return []
                node = node.func.value
            else:
                return []

    def touches_in(self, node: ast.AST) -> list[ast.Call]:
        return [
            inner
            for inner in ast.walk(node)
            if isinstance(inner, ast.Call) and called_name(inner) in TOUCHING
        ]


def _names_another(statement: ast.stmt, names: Collection[str]) -> bool:
    """Whether a statement only gives a name to something else: the arguments of one call stand on one line."""
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Name) and value.id not in names


def _stands_on(node: ast.stmt | ast.expr, lines: Mapping[int, int]) -> bool:
    first, last = node.lineno, node.end_lineno or node.lineno
    if first == last:
        return first in lines
    return any(line in lines for line in range(first, last + 1))
