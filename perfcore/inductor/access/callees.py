"""What the functions that a kernel calls do to the pointers that it gives them: which they read, write, or hand back.

Templates (torch/_inductor/kernel/templates/flex_attention.py.jinja: `forward_inner(arg_Q, …, out_ptr0, q, K, V, …)`) and
users' kernels give all their pointers to functions of the same text, which touch few of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal

from perfcore.inductor.access.body import UnreadableError, called_name
from perfcore.inductor.access.calls import is_module
from perfcore.inductor.access.function_text import parse_functions
from perfcore.inductor.access.model import AccessKind

Effect = Literal["read", "write", "atomic", "returned"]
Effects = dict[str, frozenset[Effect]]
"""By parameter; one that is missing is left alone."""

WRITES: Final = frozenset({"store", "scatter", "_experimental_descriptor_store", "store_tensor_descriptor"})

TOUCHING: Final = WRITES | {
    "load", "gather", "bucketize_binary_search", "_experimental_descriptor_load", "load_tensor_descriptor",
    "atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas",
}  # fmt: skip
"""Functions of triton.language and triton_helpers, and methods of descriptors, that touch memory."""

_BUILTINS: Final = frozenset({"range", "min", "max", "abs", "int", "float", "len"})
_MAX_STATEMENTS: Final = 20_000
_ALL: Final[frozenset[Effect]] = frozenset(("read", "write"))


def kind_of(name: str) -> AccessKind:
    return "atomic" if name.startswith("atomic") else "write" if name in WRITES else "read"


class Callees:
    """The functions of one kernel's text. `parse` makes their syntax trees, when they are first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._effects: dict[str, Effects | None] = {}
        self._left = _MAX_STATEMENTS

    @cached_property
    def _functions(self) -> dict[str, ast.FunctionDef]:
        if "\ndef " not in self._text.partition("\ndef ")[2]:
            return {}
        try:
            return parse_functions(self._text, 0)
        except UnreadableError:
            return {}

    def given(self, call: ast.Call) -> list[tuple[ast.expr, frozenset[Effect]]] | None:
        """Each argument of a call with what the called function does to it; None for a function of another text."""
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        function = self._functions.get(name)
        if function is None:
            return None
        if name not in self._effects:
            self._effects[name] = None  # while it is looked into: calls of itself may do anything
            self._effects[name] = self._read(function)
        effects = self._effects[name]
        names = [argument.arg for argument in function.args.args]
        pairs = [*zip(names, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
        return [(value, _ALL if effects is None else effects.get(name, frozenset())) for name, value in pairs]

    def _read(self, function: ast.FunctionDef) -> Effects | None:
        aliases = {argument.arg: frozenset((argument.arg,)) for argument in function.args.args}
        found: dict[str, set[Effect]] = {}
        statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
        self._left -= len(statements)
        if self._left < 0:
            return None
        statements.sort(key=lambda statement: statement.lineno)
        for _ in range(2):  # a second round for what a loop hands on to its next
            for statement in statements:
                self._statement(statement, aliases, found)
        return {name: frozenset(effects) for name, effects in found.items()}

    def _statement(
        self, statement: ast.stmt, aliases: dict[str, frozenset[str]], found: dict[str, set[Effect]]
    ) -> None:
        for call in _calls(statement):
            for pointer, effects in self._touched(call):
                for name in self._made_of(pointer, aliases):
                    found.setdefault(name, set()).update(effects - {"returned"})
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Return) and value is not None:
            for name in self._made_of(value, aliases):
                found.setdefault(name, set()).add("returned")
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            made_of = self._made_of(value, aliases)
            for target in targets:
                for inner in ast.walk(target):
                    if isinstance(inner, ast.Name):
                        aliases[inner.id] = aliases.get(inner.id, frozenset()) | made_of

    def _touched(self, call: ast.Call) -> Iterator[tuple[ast.expr, frozenset[Effect]]]:
        name = called_name(call)
        if name in TOUCHING:
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            pointers = [k.value for k in call.keywords if k.arg == "pointer"] or call.args[:1]
            if owner is not None and not is_module(owner):
                pointers = [owner]
            if name == "bucketize_binary_search":
                pointers = call.args
            yield from ((pointer, frozenset((kind_of(name),))) for pointer in pointers)
        elif (given := self.given(call)) is not None:
            yield from given
        elif isinstance(call.func, ast.Name) and name not in _BUILTINS:
            yield from ((argument, _ALL) for argument in call.args)

    def _made_of(self, node: ast.AST, aliases: dict[str, frozenset[str]]) -> frozenset[str]:
        """The parameters that an expression's value may point into: not those that are only loaded from."""
        if isinstance(node, ast.Name):
            return aliases.get(node.id, frozenset())
        inner: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call):
            if called_name(node) in TOUCHING:
                return frozenset()
            if (given := self.given(node)) is not None:
                inner = [value for value, effects in given if "returned" in effects or effects == _ALL]
        return frozenset().union(*(self._made_of(child, aliases) for child in inner))


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls in a statement itself, not in the statements inside of it."""
    waiting: list[ast.AST] = [
        node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt)
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(ast.iter_child_nodes(node))
