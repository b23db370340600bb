"""Block pointers and tensor descriptors as plain addresses: tl.make_block_ptr and tl.make_tensor_descriptor."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfcore.inductor.access.body import Place, called_name
from perfcore.inductor.access.loop_variables import BLOCK_NAME, OFFSET_NAME, is_looped, is_zero, loop_variable
from perfcore.inductor.access.pointer import Pointer
from perfcore.inductor.access.scopes import UnknownValueError, definition_at

if TYPE_CHECKING:
    from perfcore.inductor.access.index_reader import IndexReader

MAKERS = frozenset({"make_block_ptr", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"})


@dataclass(frozen=True, slots=True)
class BlockPointer:
    """A block pointer, or with `offsets` None a tensor descriptor, whose loads give them. `advances` are the steps
    that tl.advance takes in loops, `place` is where it was made."""

    pointer: Pointer
    shape: tuple[ast.expr, ...]
    strides: tuple[ast.expr, ...]
    block_shape: tuple[ast.expr, ...]
    offsets: tuple[ast.expr, ...] | None
    place: Place
    advances: tuple[tuple[ast.expr, ...], ...] = ()


def read_block_pointer(reader: IndexReader, call: ast.Call, place: Place) -> BlockPointer:
    """tl.make_block_ptr(base, shape, strides, offsets, block_shape, order) or
    tl.make_tensor_descriptor(base, shape, strides, block_shape). Raises UnknownValueError."""
    names = ["base", "shape", "strides", "block_shape"]
    if called_name(call) == "make_block_ptr":
        names.insert(3, "offsets")
    arguments = dict(zip(names, call.args, strict=False))
    arguments.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
    if not {*names} <= arguments.keys():
        raise UnknownValueError(f"{called_name(call)} without {', '.join({*names} - arguments.keys())}")
    base = reader.read(arguments["base"], place)
    if not isinstance(base, Pointer):
        raise UnknownValueError("a block pointer into something else than a pointer")
    parts = {name: items(arguments[name]) for name in names[1:]}
    if len({len(part) for part in parts.values()}) != 1:
        raise UnknownValueError("a block pointer whose dimensions differ in number")
    return BlockPointer(
        base, parts["shape"], parts["strides"], parts["block_shape"], parts.get("offsets"), place
    )


def block_address(
    reader: IndexReader,
    block: BlockPointer,
    place: Place,
    *,
    offsets: Sequence[ast.expr] | None = None,
    checked: Collection[int] | None = None,
) -> tuple[int, int]:
    """The (index, mask) nodes of every element that a load at `place` visits. `offsets` are those that a descriptor's
    load gives, `checked` the dimensions with a boundary check (None: all).

    Each offset is a multiple of its block, so that the elements are the offset's expression with the loop variable in
    the place of the block's start: offsets=[xoffset // 64, xoffset % 64] visits [x // 64, x % 64]."""
    starts, started = (block.offsets, block.place) if offsets is None else (tuple(offsets), place)
    if starts is None or len(starts) != len(block.shape):
        raise UnknownValueError("a descriptor without offsets")
    expressions = reader.expressions
    index, mask, zero = block.pointer.offset, expressions.integer(1), expressions.integer(0)
    for dimension, start in enumerate(starts):
        stride = reader.number(block.strides[dimension], block.place)
        if expressions.constant(stride) == 0:
            continue  # 2.5 gives what is broadcast dimensions of its own: shape 1, stride 0
        prefixes = {match[1] for name in _names(start) if (match := OFFSET_NAME.fullmatch(name))}
        if prefixes:
            position = _with_variables(reader, start, prefixes, place)
        else:
            position = _in_block(reader, block, dimension, reader.number(start, started), place)
        index = expressions.binary("+", index, expressions.binary("*", stride, position))
        if checked is None or dimension in checked:
            bound = reader.number(block.shape[dimension], block.place)
            for test in (expressions.binary("<=", zero, position), expressions.binary("<", position, bound)):
                mask = expressions.binary("&", mask, test)
    return index, mask


def _in_block(reader: IndexReader, block: BlockPointer, dimension: int, begin: int, place: Place) -> int:
    """The position in a dimension that begins at a constant: a loop variable's where the block is its block, which
    then either stands for all of it or advances with its loop. Where a variable goes along several dimensions, its
    block in the steps' expressions does as the block's start does in offsets: [R0_BLOCK // 128, R0_BLOCK % 128]."""
    size = block.block_shape[dimension]
    sizes = _blocks_in(size)
    if len(sizes) == 1 and reader.expressions.constant(begin) == 0:
        ((name, prefix),) = sizes.items()
        along = [d for d, other in enumerate(block.block_shape) if name in _blocks_in(other)]
        steps = [step[d] for step in block.advances for d in along if d < len(step) and not is_zero(step[d])]
        if is_looped(reader.body, prefix, place) and not steps:
            raise UnknownValueError("a block pointer that does not advance in its loop")
        if len(along) == 1:
            return _variable(reader, prefix, place)
        if steps:
            if len(block.advances) > 1 or dimension >= len(block.advances[0]):
                raise UnknownValueError("a block pointer that advances in several ways")
            return reader.number(
                block.advances[0][dimension], block.place, {name: _variable(reader, prefix, place)}
            )
    length = reader.number(size, block.place)
    if reader.expressions.constant(length) == 1:
        return begin
    name = f"block at {size.lineno}:{size.col_offset}"
    return reader.expressions.binary("+", begin, reader.expressions.add("var", (length,), name))


def _blocks_in(size: ast.expr) -> dict[str, str]:
    """The blocks that a size is made of, with the prefixes of their variables."""
    return {name: match[1].lower() for name in _names(size) if (match := BLOCK_NAME.fullmatch(name))}


def _with_variables(reader: IndexReader, start: ast.expr, prefixes: set[str], place: Place) -> int:
    """An offset's value with each `xoffset` in it replaced by the loop variable x."""
    instead = {f"{prefix}offset": _variable(reader, prefix, place) for prefix in prefixes}
    return reader.number(start, place, instead)


def _variable(reader: IndexReader, prefix: str, place: Place) -> int:
    name = f"{prefix}index"
    index = definition_at(reader.body, name, place)
    if index is None or loop_variable(reader.body, name, index) is None:
        raise UnknownValueError(f"a block of {prefix} where {name} is unknown")
    return reader.variable(prefix, index.place)


def items(node: ast.expr) -> tuple[ast.expr, ...]:
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(node.elts)
    raise UnknownValueError("a list that is not written out")


def _names(node: ast.expr) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
