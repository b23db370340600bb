"""What a call in a kernel's text is: its operands, and which functions leave values, points and types as they are."""

from __future__ import annotations

import ast
from typing import Final

from perfcore.inductor.access.body import called_name

SAME_VALUE = frozenset(
    {
        "broadcast_to", "reshape", "view", "expand_dims", "max_contiguous", "multiple_of", "max_constancy",
        "promote_to_tensor", "cast", "int", "constexpr", "to_tensor", "expand",
    }
)  # fmt: skip
"""Functions and methods whose first operand is the result, as far as the set of its values goes."""

MOVES_AXES = frozenset({"reshape", "view", "expand_dims"})

ELEMENTWISE: Final = frozenset(
    {
        "exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "sqrt_rn", "erf", "sigmoid", "fma", "umulhi", "div_rn",
        "abs", "clamp", "fdiv", "num_programs", "bitcast", "isnan", "signbit",
    }
)  # fmt: skip

TWO_OPERANDS = {
    "minimum": "min", "maximum": "max", "min": "min", "max": "max",
    "div_floor_integer": "floordiv", "remainder_integer": "floormod",
}  # fmt: skip

WHOLE_INTEGERS = frozenset({"int32", "int64", "uint32", "uint64", "INDEX_DTYPE", "int"})
FLOATS = {"float32": "f32", "float64": "f64"}
MODULES = frozenset({"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch"})


def operands_of(call: ast.Call) -> list[ast.expr]:
    """The arguments, a method's object first."""
    function = call.func
    if isinstance(function, ast.Attribute) and not is_module(function.value):
        return [function.value, *call.args]
    return call.args


def is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def is_elementwise(call: ast.Call) -> bool:
    """Whether a function's result at a point depends on its operands at that point only."""
    function = call.func
    if isinstance(function, ast.Attribute) and last_name(function.value) in ("libdevice", "tl_math", "math"):
        return True
    return called_name(call) in ELEMENTWISE


def is_annotation(node: ast.expr) -> bool:
    """An argument that is no operand: a dtype, a shape, nothing."""
    return isinstance(node, ast.List | ast.Tuple | ast.Attribute) or (
        isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
    )


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def axis(index: ast.expr) -> int:
    """Which axis from the last one `[:, None]` puts a vector along: 1; 0 for `[None, :]` and `[:]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for axis, part in enumerate(reversed(parts)):
        if isinstance(part, ast.Slice):
            return axis
    return 0
