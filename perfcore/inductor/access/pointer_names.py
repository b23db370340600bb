"""Which pointer parameters an expression is made of, whatever names they were given on the way."""

from __future__ import annotations

import ast
from collections.abc import Collection

from perfcore.inductor.access.body import Body, target_names


def parameters_in(body: Body, pointers: Collection[str], node: ast.expr) -> list[str]:
    """The pointer parameters that an expression is made of, through the names that they were given."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    waiting = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in pointers:
            found[name] = None
        for mention in _names_given(body, name):
            if mention is not None:
                waiting.extend(inner.id for inner in ast.walk(mention) if isinstance(inner, ast.Name))
    return list(found)


def _names_given(body: Body, name: str) -> list[ast.expr | None]:
    if not any(name in target_names(mention.statement) for mention in body.mentions):
        return []
    return [definition.value for definition in body.definitions.get(name, ())]
