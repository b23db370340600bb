"""A kernel's statements as if its parts shared nothing: what branches or calls have in common stands in each of them.

Since PyTorch 2.14 a foreach kernel's branches only choose (`xnumel = 35; foreach_arg0 = in_ptr2`) and one body after them
works for all, and a combo kernel's branches may call `@triton.jit(noinline=True)` functions of the same text
(torch/_inductor/codegen/triton_combo_kernel.py, `_codegen_shared_branches`, `_codegen_noinline_sub_kernels`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from perfcore.inductor.access.loop_variables import BLOCK_NAME, NUMEL_NAME

MAX_COPIED: Final = 10_000
"""Statements that copies may add up to; a kernel that shares more stays as it is."""

_MAX_CALLS_WITHIN_CALLS: Final = 3


def unfold(
    function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef], pointers: Collection[str]
) -> None:
    """Put helpers' bodies in the place of their calls, and what follows a choice among pointers into its branches."""
    unfolding = _Unfolding(helpers, pointers)
    if helpers:
        function.body = unfolding.with_bodies(function.body, 0)
    function.body = unfolding.with_tails(function.body)


class _Unfolding:
    def __init__(self, helpers: Mapping[str, ast.FunctionDef], pointers: Collection[str]) -> None:
        self.helpers = {name: helper for name, helper in helpers.items() if not _returns(helper)}
        self.pointers = pointers
        self.left = MAX_COPIED
        self.calls = 0

    # -- helpers -------------------------------------------------------------------------------------------------

    def with_bodies(self, statements: list[ast.stmt], depth: int) -> list[ast.stmt]:
        return [new for statement in statements for new in self._with_body(statement, depth)]

    def _with_body(self, statement: ast.stmt, depth: int) -> list[ast.stmt]:
        if isinstance(statement, ast.If | ast.For):
            statement.body = self.with_bodies(statement.body, depth)
            statement.orelse = self.with_bodies(statement.orelse, depth)
            return [statement]
        call = statement.value if isinstance(statement, ast.Expr) else None
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        helper = self.helpers.get(name)
        if helper is None or not isinstance(call, ast.Call) or depth >= _MAX_CALLS_WITHIN_CALLS:
            return [statement]
        given = _given(call, helper)
        self.left -= len(helper.body)
        if given is None or self.left < 0:
            return [statement]
        self.calls += 1
        renamed = _Renamed({p: f"{p} of call {self.calls}" for p in given if not _is_idiom(p)})
        body = [renamed.visit(inner) for inner in copy.deepcopy(helper.body)]
        return [*renamed.assignments(given, call), *self.with_bodies(body, depth + 1)]

    # -- what follows a choice -----------------------------------------------------------------------------------

    def with_tails(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The first choice among pointers at the top, with a copy of what follows it in each branch."""
        for place, statement in enumerate(statements):
            if isinstance(statement, ast.If) and statement.orelse:
                tail = statements[place + 1 :]
                branches = [branch for _, branch in alternatives(statement)]
                if tail and self._chooses_pointers(branches):
                    self.left -= len(tail) * len(branches)
                    if self.left < 0:
                        break
                    for branch in branches:
                        branch.extend(copy.deepcopy(tail))
                    return statements[: place + 1]
        return statements

    def _chooses_pointers(self, branches: list[list[ast.stmt]]) -> bool:
        """Whether each branch, the last else among them, does nothing but name a pointer and other values."""
        return all(
            all(isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) for s in branch)
            and any(isinstance(s, ast.Assign) and _name(s.value) in self.pointers for s in branch)
            for branch in branches
        )


def alternatives(statement: ast.If) -> Iterator[tuple[ast.expr | None, list[ast.stmt]]]:
    """The tests and branches of if … elif … else; the last has no test and may be empty."""
    while True:
        yield statement.test, statement.body
        otherwise = statement.orelse
        if len(otherwise) == 1 and isinstance(otherwise[0], ast.If):
            statement = otherwise[0]
        else:
            yield None, otherwise
            return


class _Renamed(ast.NodeTransformer):
    """A helper's parameters under names that no other call has."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def assignments(self, given: Mapping[str, ast.expr], call: ast.Call) -> list[ast.stmt]:
        return [
            ast.copy_location(
                ast.Assign(
                    [ast.copy_location(ast.Name(self.names.get(name, name), ast.Store()), call)], value
                ),
                call,
            )
            for name, value in given.items()
        ]


def _given(call: ast.Call, helper: ast.FunctionDef) -> dict[str, ast.expr] | None:
    """The arguments by parameter; None where they do not fit."""
    names = [argument.arg for argument in helper.args.args]
    given = dict(zip(names, call.args, strict=False))
    given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
    fits = len(call.args) <= len(names) and given.keys() == {*names}
    return given if fits and not any(isinstance(value, ast.Starred) for value in call.args) else None


def _is_idiom(name: str) -> bool:
    """A name by which Inductor's loop variables are known."""
    return bool(NUMEL_NAME.fullmatch(name) or BLOCK_NAME.fullmatch(name))


def _returns(helper: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(helper))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
