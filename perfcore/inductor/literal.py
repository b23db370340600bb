"""Reading the decorator of a generated kernel: Python literals from an `ast`, and nothing that runs."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Constructed:
    """A call that stands where a literal could: `DeviceProperties(type='cuda', cc=90)`,
    `AttrsDescriptor(divisible_by_16=(0, 1), equal_to_1=())`. It is described, never made."""

    name: str
    args: tuple[object, ...]
    keywords: tuple[tuple[str, object], ...]

    def get(self, keyword: str) -> object:
        """The keyword's value, None where it was not given."""
        return dict(self.keywords).get(keyword)


def literal(node: ast.expr, depth: int = 0) -> object:
    """The value of a literal expression, read without evaluating anything.

    Calls become `Constructed`, names and attributes their dotted text (`ReductionHint.INNER`, `__file__`), and
    whatever else a generator may write one day becomes None. Beyond 40 levels of nesting: None.
    """
    if depth > _MAX_DEPTH:
        return None
    below = depth + 1
    match node:
        case ast.Constant():
            return node.value
        case ast.Dict():
            return {
                _hashable(literal(key, below)): literal(value, below)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        case ast.List():
            return [literal(item, below) for item in node.elts]
        case ast.Tuple():
            return tuple(literal(item, below) for item in node.elts)
        case ast.Set():
            return {_hashable(literal(item, below)) for item in node.elts}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return set()
        case ast.Call():
            return Constructed(
                dotted_name(node.func) or "",
                tuple(literal(item, below) for item in node.args),
                tuple((item.arg, literal(item.value, below)) for item in node.keywords if item.arg),
            )
        case _:
            return dotted_name(node)


def dotted_name(node: ast.expr) -> str | None:
    """`triton_heuristics.pointwise` for such an expression, None for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _MAX_DEPTH:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _hashable(value: object) -> object:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
