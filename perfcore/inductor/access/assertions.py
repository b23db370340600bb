"""The bounds that a kernel's device_asserts give to loaded indices."""

from __future__ import annotations

from collections.abc import Sequence

from perfcore.inductor.access.expression import Node
from perfcore.inductor.access.index_reader import IndexReader
from perfcore.inductor.access.model import Assertion
from perfcore.inductor.access.scopes import UnknownValueError


def read_assertions(reader: IndexReader) -> tuple[Assertion, ...]:
    """The bounds that device_asserts give to loaded indices (codegen/triton.py, `indirect_assert`):
    `(0 <= v) & (v < n)`, or that `| ~mask`."""
    if not any(reader.expressions.nodes[node][0] == "load" for node in range(len(reader.expressions.nodes))):
        return ()
    found: list[Assertion] = []
    for condition, place in reader.body.asserts:
        try:
            node = reader.read(condition, place)
        except UnknownValueError:
            continue
        assertion = _assertion(reader.expressions.nodes, node) if isinstance(node, int) else None
        if assertion is not None:
            found.append(assertion)
    return tuple(found)


def _assertion(nodes: Sequence[Node], node: int) -> Assertion | None:
    mask: int | None = None
    operation, arguments, _ = nodes[node]
    if operation == "|":
        node, negated = arguments
        if nodes[negated][0] != "~":
            return None
        mask = nodes[negated][1][0]
        operation, arguments, _ = nodes[node]
    if operation != "&":
        return None
    below, above = nodes[arguments[0]], nodes[arguments[1]]
    if below[0] != "<=" or above[0] != "<" or below[1][1] != above[1][0]:
        return None
    return Assertion(above[1][0], below[1][0], above[1][1], mask)
