"""What a call in index arithmetic is: a load, a cast, a minimum, a counter, or an unknown function of its operands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfcore.dtypes import element_size
from perfcore.inductor.access.block_pointer import MAKERS, BlockPointer, read_block_pointer
from perfcore.inductor.access.body import Place, called_name
from perfcore.inductor.access.calls import (
    FLOATS,
    MOVES_AXES,
    SAME_VALUE,
    TWO_OPERANDS,
    WHOLE_INTEGERS,
    is_annotation,
    is_elementwise,
    last_name,
    operands_of,
)
from perfcore.inductor.access.expression import ROUNDING, Expressions
from perfcore.inductor.access.pointer import Pointer
from perfcore.inductor.access.scopes import UnknownValueError

if TYPE_CHECKING:
    from perfcore.inductor.access.index_reader import IndexReader

Value = int | Pointer | BlockPointer
"""A node, or a pointer."""


def read_call(reader: IndexReader, call: ast.Call, place: Place) -> Value:
    """What a call is at a place. Raises UnknownValueError, UnreadableError, TooLargeError."""
    name = called_name(call)
    site = reader.sites.get(id(call))
    if site is not None:
        return reader.expressions.add("load", (), site)
    if name in MAKERS:
        return read_block_pointer(reader, call, place)
    operands = operands_of(call)
    if name == "to" and len(operands) > 1:
        return _cast(reader, operands[0], operands[1], place)
    if name in SAME_VALUE and operands:
        value = reader.read(operands[0], place)
        if not isinstance(value, int) or name not in MOVES_AXES or not reader.counters.has_counter(value):
            return value
        return reader.expressions.add("call", (value,), f"{name} at {call.lineno}:{call.col_offset}")
    if name == "full" and len(operands) > 1:
        return reader.read(operands[1], place)
    if name in ("zeros", "zeros_like"):
        return reader.zero
    if name == "program_id":
        return reader.expressions.add("var", (), f"program {ast.unparse(call)}")
    if name == "float" and len(operands) == 1 and isinstance(operands[0], ast.Constant):
        return _float(reader.expressions, operands[0].value)
    numbers = tuple(reader.number(operand, place) for operand in operands if not is_annotation(operand))
    where = f"{call.lineno}:{call.col_offset}"
    if name == "arange" and len(numbers) == 2:
        start, stop = numbers
        length = stop if start == reader.zero else reader.expressions.binary("-", stop, start)
        return reader.expressions.binary(
            "+", start, reader.expressions.add("var", (length,), f"arange {where}")
        )
    reduces = name in ("max", "min") and isinstance(call.func, ast.Attribute) and not is_elementwise(call)
    found = None if reduces else _function(reader, name, numbers)
    if found is not None:
        return found
    if not is_elementwise(call):
        # Its value may be another at each point, and is whatever it is.
        return reader.expressions.add("call", reader.loops.variables_at(place).points, f"{name} at {where}")
    return reader.expressions.add("call", numbers, name)


def _function(reader: IndexReader, name: str, numbers: tuple[int, ...]) -> int | None:
    """The functions that are arithmetic on indices; None for any other."""
    expressions = reader.expressions
    if name in TWO_OPERANDS and len(numbers) == 2:
        if TWO_OPERANDS[name] == "min" and reader.counters.is_unbounded(numbers[0]):
            most = expressions.binary("+", numbers[1], expressions.integer(1))
            return expressions.add("var", (most,), f"clamped {numbers[0]}")
        return expressions.binary(TWO_OPERANDS[name], *numbers)
    if name == "where" and len(numbers) == 3:
        known = expressions.constant(numbers[0])
        return expressions.add("where", numbers) if known is None else numbers[1 if known else 2]
    if name == "cdiv" and len(numbers) == 2:
        above = expressions.binary("-", expressions.binary("+", *numbers), expressions.integer(1))
        return expressions.binary("floordiv", above, numbers[1])
    if name == "abs" and len(numbers) == 1:
        return expressions.binary(
            "max", numbers[0], expressions.binary("*", expressions.integer(-1), numbers[0])
        )
    if name in ROUNDING and len(numbers) == 1:
        return expressions.add(name, numbers)
    return None


def _float(expressions: Expressions, value: object) -> int:
    try:
        return expressions.add("float", (), float(str(value)))
    except ValueError:
        raise UnknownValueError("float of a text") from None


def _cast(reader: IndexReader, operand: ast.expr, dtype: ast.expr, place: Place) -> Value:
    value = reader.read(operand, place)
    if isinstance(value, Pointer):
        if isinstance(dtype, ast.Call) and called_name(dtype) == "pointer_type" and dtype.args:
            return Pointer(value.parameter, value.offset, element_size(last_name(dtype.args[0])))
        return value
    if not isinstance(value, int):
        raise UnknownValueError("a cast of a block pointer")
    name = last_name(dtype)
    if name in WHOLE_INTEGERS:
        return reader.expressions.add("whole", (value,)) if _is_float(reader, value) else value
    if name in FLOATS:
        return reader.expressions.add(FLOATS[name], (value,))
    return reader.expressions.add("call", (value,), f"to {name}")


def _is_float(reader: IndexReader, node: int) -> bool:
    """Whether a value may be a float. Remembered: arithmetic shares its parts."""
    known = reader.floats.get(node)
    if known is None:
        operation, arguments, _ = reader.expressions.nodes[node]
        if operation in ("+", "-", "*", "min", "max"):
            known = any(_is_float(reader, argument) for argument in arguments)
        else:
            known = (
                operation in ("float", "f32", "f64", "/", "call", "load", "where") or operation in ROUNDING
            )
        reader.floats[node] = known
    return known
