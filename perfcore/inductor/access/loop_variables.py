"""Inductor's idioms for the loop variables, which it has kept since PyTorch 2.4.

torch/_inductor/codegen/triton.py (`iteration_ranges_codegen_header`, `codegen_range_tree`) writes
`xindex = xoffset + tl.arange(0, XBLOCK)`, `r0_index = r0_offset + r0_base` in a loop or `tl.arange(0, R0_BLOCK)` without
one, `tl.full([1], xoffset, tl.int32)` for blocks of one. Such a name runs over [0, numel) in whatever way the programs,
blocks, splits and loops share the work.
"""

from __future__ import annotations

import ast
import re

from perfcore.inductor.access.body import Body, Definition, Place, called_name
from perfcore.inductor.access.scopes import definition_at

INDEX_NAME = re.compile(r"([xyz]|r\d*_?)index")
OFFSET_NAME = re.compile(r"([xyz]|r\d*_?)offset")
NUMEL_NAME = re.compile(r"([xyz]|r\d*_?)numel")
BRANCH_NUMEL = re.compile(r"(?:[xyz]|r\d*_?)numel_\d+")
BLOCK_NAME = re.compile(r"([XYZ]|R\d*_?)BLOCK(?:_\d+)?")


def numel_key(prefix: str) -> str:
    """x, y, z, r0_, r1_ …; up to PyTorch 2.6 the only reduction dimension was called r."""
    return "r0_" if prefix == "r" else prefix


def loop_variable(body: Body, name: str, definition: Definition) -> str | None:
    """The prefix (x, r0_ …) where the definition is one of Inductor's index idioms, else None."""
    match = INDEX_NAME.fullmatch(name)
    if match is None or definition.value is None or definition.augmented is not None:
        return None
    prefix = match[1]
    value = bare(definition.value)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        block = bare(value.right)
        known = _is_start(body, bare(value.left), prefix, definition.place) and (
            _is_arange(block, prefix) or _is_base(body, block, prefix, definition.place)
        )
    elif isinstance(value, ast.Call) and called_name(value) == "full" and len(value.args) > 1:
        known = _is_start(body, value.args[1], prefix, definition.place)
    else:
        known = _is_arange(value, prefix) and not is_looped(body, prefix, definition.place)
    return prefix if known else None


def numel_name(body: Body, prefix: str, place: Place) -> str:
    """What a loop variable's numel is called: `xnumel`; where a combo kernel's branch has none, the `xnumel_0` that its
    mask compares with (`xmask = xindex < xnumel_0`, symbolic sizes)."""
    name = f"{prefix}numel"
    if name in body.parameters or definition_at(body, name, Place(place.order + 1, place.path)) is not None:
        return name
    for mask in body.definitions.get(f"{prefix}mask", ()):
        test = mask.value
        if mask.place.path == place.path and mask.place.order > place.order and isinstance(test, ast.Compare):
            bound = test.comparators[0]
            if isinstance(bound, ast.Name) and BRANCH_NUMEL.fullmatch(bound.id):
                return bound.id
    return name


def is_single(definition: Definition) -> bool:
    """Whether an index has blocks of one element: tl.full([1], xoffset), or XBLOCK a constant 1."""
    return isinstance(definition.value, ast.Call) and called_name(definition.value) == "full"


def is_looped(body: Body, prefix: str, place: Place) -> bool:
    """Whether a loop around the place goes through the blocks of a variable."""
    return any(
        d.loop is not None and d.place.path == place.path[: len(d.place.path)]
        for d in body.definitions.get(f"{prefix}offset", ())
    )


def is_block_loop(loop: ast.For) -> bool:
    """Whether a loop only goes through the blocks of a variable, so that its own rounds do not count."""
    steps = loop.iter.args[2:3] if isinstance(loop.iter, ast.Call) else []
    return bool(steps) and isinstance(steps[0], ast.Name) and bool(BLOCK_NAME.fullmatch(steps[0].id))


def bare(node: ast.expr) -> ast.expr:
    """An expression without the views and casts around it."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
            continue
        name = called_name(node) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name == "to" and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Call) and name == "reshape" and node.args:
            node = node.args[0]  # PyTorch 2.0: tl.reshape(tl.arange(0, XBLOCK), [XBLOCK, 1])
        else:
            return node


def is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False


def _is_start(body: Body, node: ast.expr, prefix: str, place: Place) -> bool:
    """Whether this is `xoffset`, and that a program's or round's first element: a multiple of the block."""
    if not (isinstance(node, ast.Name) and node.id == f"{prefix}offset"):
        return False
    offset = definition_at(body, node.id, place)
    if offset is None:
        return False
    if offset.loop is not None:
        return _is_whole_loop(offset.loop, prefix)
    value = offset.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return _is_block(value.right, prefix) or _is_block(value.left, prefix)
    return False


def _is_whole_loop(loop: ast.For, prefix: str) -> bool:
    """range(0, r0_numel, R0_BLOCK), or a cooperative reduction's range(rsplit_start, rsplit_end, R0_BLOCK), whose
    programs share out the whole."""
    arguments = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    if len(arguments) != 3 or not _is_block(arguments[2], prefix):
        return False
    start, stop = arguments[:2]
    if isinstance(start, ast.Name):
        return start.id == "rsplit_start" and isinstance(stop, ast.Name) and stop.id == "rsplit_end"
    numel = stop.id if isinstance(stop, ast.Name) else ""
    if BRANCH_NUMEL.fullmatch(numel):
        numel = numel.rpartition("_")[0]
    return is_zero(start) and numel in (f"{prefix}numel", "rnumel")


def _is_base(body: Body, node: ast.expr, prefix: str, place: Place) -> bool:
    if not (isinstance(node, ast.Name) and node.id == f"{prefix}base"):
        return False
    base = definition_at(body, node.id, place)
    return base is not None and base.value is not None and _is_arange(bare(base.value), prefix)


def _is_arange(node: ast.expr, prefix: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and called_name(node) == "arange"
        and len(node.args) == 2
        and is_zero(node.args[0])
        and _is_block(node.args[1], prefix)
    )


def _is_block(node: ast.expr, prefix: str) -> bool:
    """XBLOCK, R0_BLOCK, a combo kernel's R0_BLOCK_1; a mixed-order reduction's program takes RSPLIT_SIZE rows."""
    if not isinstance(node, ast.Name):
        return False
    match = BLOCK_NAME.fullmatch(node.id)
    return (match is not None and match[1].lower() == prefix) or node.id == "RSPLIT_SIZE"
