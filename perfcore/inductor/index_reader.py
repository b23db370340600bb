"""What a kernel's names mean as index arithmetic: syntax → nodes of `Expressions`, pointers and block pointers.

Works backwards from the loads and stores, so that the arithmetic on the data itself is never looked at.

The loop variables are found by the idioms that torch/_inductor/codegen/triton.py has kept since PyTorch 2.4
(`iteration_ranges_codegen_header`): `xindex = xoffset + tl.arange(0, XBLOCK)`, `r0_index = r0_offset + r0_base` in
a loop or `tl.arange(0, R0_BLOCK)` without one, `tl.full([1], xoffset, tl.int32)`. Such a name runs over
[0, numel) in whatever way the blocks, programs, splits and loops share the work.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from perfcore.dtypes import element_size
from perfcore.inductor.expression import Expressions, TooLargeError
from perfcore.inductor.kernel_body import Body, Definition, UnreadableError, called_name

MAX_STEPS: Final = 400_000

MAX_DEPTH: Final = 150
"""How deeply expressions and the names in them may nest (Inductor's deepest, max_pool2d's backward, has 20)."""

_INDEX_NAME = re.compile(r"([xyz]|r\d*_?)index")
_OFFSET_NAME = re.compile(r"([xyz]|r\d*_?)offset")
_NUMEL_NAME = re.compile(r"([xyz]|r\d*_?)numel")
_BLOCK_NAME = re.compile(r"([XYZ]|R\d*_?)BLOCK(?:_\d+)?")

_SAME_VALUE = frozenset(
    {
        "broadcast_to", "reshape", "view", "expand_dims", "max_contiguous", "multiple_of", "max_constancy", "trans",
        "permute", "contiguous", "promote_to_tensor", "cast", "int", "constexpr", "to_tensor", "expand",
    }
)  # fmt: skip
"""Functions and methods whose first operand is the result, as far as the set of its values goes."""

_TWO_OPERANDS = {
    "minimum": "min", "maximum": "max", "min": "min", "max": "max",
    "div_floor_integer": "floordiv", "remainder_integer": "floormod",
}  # fmt: skip

_WHOLE_INTEGERS = frozenset({"int32", "int64", "uint32", "uint64", "INDEX_DTYPE", "int"})
_FLOATS = {"float32": "f32", "float64": "f64"}


class UnknownValueError(Exception):
    """A value that cannot be followed. It is no failure of itself: it may be data, or a mask."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer parameter plus an offset in elements. `element_bytes` is set where it was cast to another type."""

    parameter: str
    offset: int
    element_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class BlockPointer:
    """A block pointer or tensor descriptor: `offsets` is None in a descriptor, whose loads give them.

    `bounds` are nodes, `checked` the dimensions that a descriptor or boundary_check keeps inside them."""

    pointer: Pointer
    shape: tuple[ast.expr, ...]
    strides: tuple[ast.expr, ...]
    block_shape: tuple[ast.expr, ...]
    offsets: tuple[ast.expr, ...] | None
    advances: tuple[tuple[ast.expr, ...], ...]
    order: int
    path: tuple[int, ...]


Value = "int | Pointer | BlockPointer"


class IndexReader:
    """Reads one kernel's body. `pointers` are the pointer parameters, `constants` the scalars that Triton
    specialised away (`triton_meta['constants']`), by name."""

    def __init__(self, body: Body, pointers: frozenset[str], constants: dict[str, int]) -> None:
        self.body = body
        self.expressions = Expressions()
        self.pointers = pointers
        self.constants = constants
        self.sites = {id(site.call): number for number, site in enumerate(body.sites)}
        self._depth = 0
        self._steps = 0
        self._renamed: dict[str, str] = {}
        self._zero = self.expressions.integer(0)

    # -- names ---------------------------------------------------------------------------------------------------

    def definition(self, name: str, order: int, path: tuple[int, ...]) -> Definition | None:
        """The definition of `name` that is in force at `order` in the block `path`; None for a parameter or an
        unknown name. Raises UnknownValueError where several may be in force."""
        for definition in reversed(self.body.definitions.get(name, ())):
            if definition.order >= order:
                continue
            where = definition.path
            if where == path[: len(where)]:
                return definition
            if not self._exclusive(where, path):
                raise UnknownValueError(f"{name} is assigned in a loop or branch that has ended")
        return None

    def _exclusive(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Whether two blocks are branches of one if statement, so that never both run."""
        blocks = self.body.blocks
        for a, b in zip(one, other, strict=False):
            if a != b:
                return blocks[a].group == blocks[b].group and blocks[a].loop is None
        return False

    def carried(self, name: str, found: Definition, path: tuple[int, ...]) -> list[Definition]:
        """The definitions of `name` in loops around `path` that `found` stands outside of: in a second round
        they are in force instead of `found`."""
        loops = [block for block in path[len(found.path) :] if self.body.blocks[block].loop is not None]
        if not loops:
            return []
        return [d for d in self.body.definitions[name] if d is not found and not set(loops).isdisjoint(d.path)]

    def name(self, name: str, order: int, path: tuple[int, ...]) -> int | Pointer | BlockPointer:
        definition = self.definition(name, order, path)
        if definition is None:
            return self.parameter(name)
        carried = self.carried(name, definition, path)
        if carried:
            return self._carried_value(name, definition, carried, order, path)
        if definition.node is None:
            definition.node = self._defined(name, definition)
        return definition.node  # type: ignore[return-value]

    def parameter(self, name: str) -> int | Pointer:
        if name in self.pointers:
            return Pointer(name, self._zero)
        if name in self.constants:
            return self.expressions.integer(self.constants[name])
        if match := _NUMEL_NAME.fullmatch(name):
            return self.expressions.add("numel", (), numel_prefix(match[1]))
        if name in self.body.parameters:
            return self.expressions.add("scalar", (), name)
        raise UnknownValueError(f"{name} is not defined in the kernel")

    def _defined(self, name: str, definition: Definition) -> int | Pointer | BlockPointer:
        prefix = self.loop_variable(name, definition)
        if prefix is not None:
            return self.variable(prefix, definition.order, definition.path)
        if definition.loop is not None:
            return self._loop_target(name, definition)
        if definition.value is None:
            raise UnknownValueError(f"{name} is one of several results")
        if definition.augmented is not None:
            before = self.name(name, definition.order, definition.path)
            value = self.read(definition.value, definition.order, definition.path)
            return self._arithmetic(definition.augmented, before, value)
        value = self.read(definition.value, definition.order, definition.path)
        match = _NUMEL_NAME.fullmatch(name)
        if match and not definition.path and isinstance(value, int) and self.expressions.constant(value) is not None:
            # A launch's own numel may be asked for; without one, the constant in the body holds.
            return self.expressions.add("numel", (value,), numel_prefix(match[1]))
        return value

    def _carried_value(
        self, name: str, first: Definition, later: list[Definition], order: int, path: tuple[int, ...]
    ) -> int | Pointer | BlockPointer:
        """A name that a loop moves on: a block pointer that advances, or the row index of a mixed-order reduction
        (`xindex += XBLOCK` up to the end of the program's rows)."""
        prefix = self.loop_variable(name, first)
        if prefix is not None and all(isinstance(d.augmented, ast.Add) for d in later):
            return self.variable(prefix, first.order, first.path)
        value = self._defined(name, first)
        if isinstance(value, BlockPointer):
            advances: list[tuple[ast.expr, ...]] = []
            for definition in later:
                call = definition.value
                if not (isinstance(call, ast.Call) and called_name(call) == "advance" and len(call.args) == 2):
                    raise UnknownValueError(f"{name} changes in a loop")
                advances.append(_items(call.args[1]))
            return BlockPointer(
                value.pointer, value.shape, value.strides, value.block_shape, value.offsets,
                tuple(advances), value.order, value.path,
            )  # fmt: skip
        raise UnknownValueError(f"{name} changes in a loop")

    # -- loop variables ------------------------------------------------------------------------------------------

    def loop_variable(self, name: str, definition: Definition) -> str | None:
        """The prefix (x, r0_ …) where the definition is one of Inductor's index idioms, else None."""
        match = _INDEX_NAME.fullmatch(name)
        if match is None or definition.value is None or definition.augmented is not None:
            return None
        prefix = match[1]
        value = _bare(definition.value)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            left, right = _bare(value.left), _bare(value.right)
            known = (
                isinstance(left, ast.Name)
                and left.id == f"{prefix}offset"
                and self._is_block_start(prefix, definition)
                and (_is_arange(right, prefix) or self._is_base(right, prefix, definition))
            )
        elif isinstance(value, ast.Call) and called_name(value) == "full" and len(value.args) > 1:
            start = value.args[1]
            known = (
                isinstance(start, ast.Name)
                and start.id == f"{prefix}offset"
                and self._is_block_start(prefix, definition)
            )
        else:
            known = _is_arange(value, prefix) and not self._is_looped(prefix, definition)
        return prefix if known else None

    def _is_base(self, node: ast.expr, prefix: str, use: Definition) -> bool:
        if not (isinstance(node, ast.Name) and node.id == f"{prefix}base"):
            return False
        base = self.definition(node.id, use.order, use.path)
        return base is not None and base.value is not None and _is_arange(_bare(base.value), prefix)

    def _is_block_start(self, prefix: str, use: Definition) -> bool:
        """Whether `xoffset` is a program's or loop round's first element: a multiple of the block."""
        offset = self.definition(f"{prefix}offset", use.order, use.path)
        if offset is None:
            return False
        if offset.loop is not None:
            step = offset.loop.iter.args[2:3] if isinstance(offset.loop.iter, ast.Call) else []
            return bool(step) and _is_block(step[0], prefix)
        value = offset.value
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
            return _is_block(value.right, prefix) or _is_block(value.left, prefix)
        return False

    def _is_looped(self, prefix: str, use: Definition) -> bool:
        offset = self.body.definitions.get(f"{prefix}offset", ())
        return any(d.loop is not None and d.path == use.path[: len(d.path)] for d in offset)

    def variable(self, prefix: str, order: int, path: tuple[int, ...]) -> int:
        """The loop variable's node, its extent being whatever `xnumel` is where it is defined."""
        extent = self.name(f"{prefix}numel", order + 1, path)
        if not isinstance(extent, int):
            raise UnknownValueError(f"{prefix}numel is no number")
        return self.expressions.add("var", (extent,), numel_prefix(prefix))

    def variables_at(self, order: int, path: tuple[int, ...]) -> tuple[int, ...]:
        """Every loop variable that is defined at a place: the points at which its statement runs."""
        found: list[int] = []
        for name, definitions in self.body.definitions.items():
            if _INDEX_NAME.fullmatch(name):
                for definition in reversed(definitions):
                    if definition.order < order and definition.path == path[: len(definition.path)]:
                        prefix = self.loop_variable(name, definition)
                        if prefix is not None:
                            found.append(self.variable(prefix, definition.order, definition.path))
                        break
        for block in path:
            loop = self.body.blocks[block].loop
            if loop is not None and isinstance(loop.target, ast.Name) and not self._is_block_loop(loop):
                target = self.definition(loop.target.id, order, path)
                if target is not None:
                    value = self._loop_target(loop.target.id, target)
                    found.append(value)
        return tuple(dict.fromkeys(found))

    def _is_block_loop(self, loop: ast.For) -> bool:
        """Whether a loop only shares out the work of loop variables, so that its own rounds do not count."""
        steps = loop.iter.args[2:3] if isinstance(loop.iter, ast.Call) else []
        return bool(steps) and isinstance(steps[0], ast.Name) and bool(_BLOCK_NAME.fullmatch(steps[0].id))

    def _loop_target(self, name: str, definition: Definition) -> int:
        """The value of a loop's counter: start + step × round, for loops of a known number of rounds."""
        loop = definition.loop
        assert loop is not None
        call = loop.iter
        if not (isinstance(call, ast.Call) and called_name(call) in ("range", "static_range")) or not call.args:
            raise UnreadableError("a loop over something else than a range", definition.line)
        if self._is_block_loop(loop):
            raise UnknownValueError(f"{name} is the start of a block")
        outside = definition.path[:-1]
        numbers = [self._number(argument, definition.order, outside) for argument in call.args[:3]]
        start = numbers[0] if len(numbers) > 1 else self._zero
        stop = numbers[1] if len(numbers) > 1 else numbers[0]
        one = self.expressions.integer(1)
        step = numbers[2] if len(numbers) > 2 else one
        binary = self.expressions.binary
        rounds = binary("max", binary("floordiv", binary("-", binary("+", binary("-", stop, start), step), one), step), self._zero)  # fmt: skip
        counter = self.expressions.add("var", (rounds,), f"{name}@{definition.line}")
        return binary("+", start, binary("*", step, counter))

    def _number(self, node: ast.expr, order: int, path: tuple[int, ...]) -> int:
        value = self.read(node, order, path)
        if not isinstance(value, int):
            raise UnknownValueError("a pointer where a number is needed")
        return value

    # -- expressions ---------------------------------------------------------------------------------------------

    def read(self, node: ast.expr, order: int, path: tuple[int, ...]) -> int | Pointer | BlockPointer:
        """What an expression is at a place. Raises UnknownValueError, UnreadableError, TooLargeError."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooLargeError("its index arithmetic is larger than any that Inductor writes")
        if self._depth >= MAX_DEPTH:
            raise UnknownValueError(f"arithmetic that nests deeper than {MAX_DEPTH}")
        self._depth += 1
        try:
            match node:
                case ast.Name(id=name):
                    return self.name(self._renamed.get(name, name), order, path)
                case ast.Constant(value=value):
                    return self._constant(value)
                case ast.BinOp(left=left, op=operator, right=right):
                    return self._arithmetic(operator, self.read(left, order, path), self.read(right, order, path))
                case ast.UnaryOp(op=unary, operand=operand):
                    return self._unary(unary, self._number(operand, order, path))
                case ast.Compare(left=left, ops=operators, comparators=others):
                    return self._comparison(left, operators, others, order, path)
                case ast.BoolOp(op=boolean, values=values):
                    joined = "&" if isinstance(boolean, ast.And) else "|"
                    result = self._number(values[0], order, path)
                    for value in values[1:]:
                        result = self.expressions.binary(joined, result, self._number(value, order, path))
                    return result
                case ast.Subscript(value=value):
                    return self.read(value, order, path)
                case ast.IfExp(test=test, body=then, orelse=otherwise):
                    return self._choice(test, then, otherwise, order, path)
                case ast.Call():
                    return self._call(node, order, path)
            raise UnknownValueError(f"a {type(node).__name__.lower()}")
        finally:
            self._depth -= 1

    def _constant(self, value: object) -> int:
        if isinstance(value, bool | int):
            return self.expressions.integer(int(value))
        if isinstance(value, float):
            return self.expressions.add("float", (), value)
        raise UnknownValueError(f"the constant {str(value)[:40]}")

    def _arithmetic(
        self, operator: ast.operator, left: int | Pointer | BlockPointer, right: int | Pointer | BlockPointer
    ) -> int | Pointer | BlockPointer:
        if isinstance(operator, ast.Add) and isinstance(left, int) and isinstance(right, Pointer):
            left, right = right, left
        if isinstance(left, Pointer) and isinstance(right, int):
            if isinstance(operator, ast.Add | ast.Sub):
                sign = "+" if isinstance(operator, ast.Add) else "-"
                return Pointer(left.parameter, self.expressions.binary(sign, left.offset, right), left.element_bytes)
            raise UnknownValueError("arithmetic on a pointer")
        if not isinstance(left, int) or not isinstance(right, int):
            raise UnknownValueError("arithmetic on a pointer")
        operation = _OPERATIONS.get(type(operator))
        if operation is None:
            name = type(operator).__name__
            return self.expressions.add("call", (left, right), name)
        return self.expressions.binary(operation, left, right)

    def _unary(self, operator: ast.unaryop, operand: int) -> int:
        match operator:
            case ast.USub():
                return self.expressions.binary("*", self.expressions.integer(-1), operand)
            case ast.UAdd():
                return operand
        return self.expressions.negated(operand)

    def _comparison(
        self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr], order: int, path: tuple[int, ...]
    ) -> int:
        sides = [self._number(side, order, path) for side in (left, *others)]
        result: int | None = None
        for operator, a, b in zip(operators, sides[:-1], sides[1:], strict=True):
            match operator:
                case ast.Lt():
                    part = self.expressions.binary("<", a, b)
                case ast.LtE():
                    part = self.expressions.binary("<=", a, b)
                case ast.Gt():
                    part = self.expressions.binary("<", b, a)
                case ast.GtE():
                    part = self.expressions.binary("<=", b, a)
                case ast.Eq():
                    part = self.expressions.binary("==", a, b)
                case ast.NotEq():
                    part = self.expressions.binary("!=", a, b)
                case _:
                    raise UnknownValueError(f"the comparison {type(operator).__name__}")
            result = part if result is None else self.expressions.binary("&", result, part)
        assert result is not None
        return result

    def _choice(
        self, test: ast.expr, then: ast.expr, otherwise: ast.expr, order: int, path: tuple[int, ...]
    ) -> int | Pointer | BlockPointer:
        try:
            condition = self._number(test, order, path)
        except UnknownValueError:
            condition = self.expressions.add("call", (), "condition")
        known = self.expressions.constant(condition)
        if known is not None:
            return self.read(then if known else otherwise, order, path)
        a, b = self._number(then, order, path), self._number(otherwise, order, path)
        return self.expressions.add("where", (condition, a, b))

    def _call(self, call: ast.Call, order: int, path: tuple[int, ...]) -> int | Pointer | BlockPointer:
        name = called_name(call)
        site = self.sites.get(id(call))
        if site is not None:
            return self.expressions.add("load", (), site)
        if name in ("make_block_ptr", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"):
            return self._block_pointer(call, order, path)
        if name == "program_id":
            axis = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else 0
            return self.expressions.add("var", (), f"program {axis}")
        if name == "num_programs":
            return self.expressions.add("call", (), "num_programs")
        if name == "arange" and len(call.args) == 2:
            return self._arange(call, order, path)
        if name == "full" and len(call.args) > 1:
            return self.read(call.args[1], order, path)
        if name in ("zeros", "zeros_like"):
            return self._zero
        if name == "float" and len(call.args) == 1 and isinstance(call.args[0], ast.Constant):
            return self._float(call.args[0].value)
        operands = _operands(call)
        if name == "to" and len(operands) > 1:
            return self._cast(operands[0], operands[1], order, path)
        if name in _SAME_VALUE and operands:
            return self.read(operands[0], order, path)
        numbers = [self._number(operand, order, path) for operand in operands if not _is_annotation(operand)]
        if name in _TWO_OPERANDS and len(numbers) == 2:
            return self.expressions.binary(_TWO_OPERANDS[name], numbers[0], numbers[1])
        if name == "where" and len(numbers) == 3:
            known = self.expressions.constant(numbers[0])
            if known is not None:
                return numbers[1] if known else numbers[2]
            return self.expressions.add("where", tuple(numbers))
        if name == "cdiv" and len(numbers) == 2:
            a, b = numbers
            above = self.expressions.binary("-", self.expressions.binary("+", a, b), self.expressions.integer(1))
            return self.expressions.binary("floordiv", above, b)
        if name == "floor" and len(numbers) == 1:
            return self.expressions.add("floor", tuple(numbers))
        return self.expressions.add("call", tuple(numbers), name or f"call at {call.lineno}:{call.col_offset}")

    def _float(self, value: object) -> int:
        try:
            return self.expressions.add("float", (), float(str(value)))
        except ValueError:
            raise UnknownValueError("float of a text") from None

    def _cast(
        self, operand: ast.expr, dtype: ast.expr, order: int, path: tuple[int, ...]
    ) -> int | Pointer | BlockPointer:
        value = self.read(operand, order, path)
        if isinstance(value, Pointer):
            if isinstance(dtype, ast.Call) and called_name(dtype) == "pointer_type" and dtype.args:
                return Pointer(value.parameter, value.offset, element_size(_last_name(dtype.args[0])))
            return value
        if not isinstance(value, int):
            raise UnknownValueError("a cast of a block pointer")
        name = _last_name(dtype)
        if name in _WHOLE_INTEGERS:
            return self.expressions.add("whole", (value,)) if self._is_float(value) else value
        if name in _FLOATS:
            return self.expressions.add(_FLOATS[name], (value,))
        return self.expressions.add("call", (value,), f"to {name}")

    def _is_float(self, node: int) -> bool:
        operation, arguments, _ = self.expressions.nodes[node]
        if operation in ("float", "f32", "f64", "/", "floor"):
            return True
        if operation in ("+", "-", "*", "min", "max"):
            return any(self._is_float(argument) for argument in arguments)
        return operation in ("call", "load", "where")

    def _arange(self, call: ast.Call, order: int, path: tuple[int, ...]) -> int:
        start, stop = (self._number(argument, order, path) for argument in call.args)
        length = self.expressions.binary("-", stop, start)
        counter = self.expressions.add("var", (length,), f"arange {call.lineno}:{call.col_offset}")
        return self.expressions.binary("+", start, counter)

    # -- block pointers ------------------------------------------------------------------------------------------

    def _block_pointer(self, call: ast.Call, order: int, path: tuple[int, ...]) -> BlockPointer:
        """tl.make_block_ptr(base, shape, strides, offsets, block_shape, order) and
        tl.make_tensor_descriptor(base, shape, strides, block_shape)."""
        descriptor = called_name(call) != "make_block_ptr"
        names = ["base", "shape", "strides"] + (["block_shape"] if descriptor else ["offsets", "block_shape"])
        arguments = dict(zip(names, call.args, strict=False))
        arguments.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
        if not {*names} <= arguments.keys():
            raise UnknownValueError(f"{called_name(call)} without {', '.join({*names} - arguments.keys())}")
        base = self.read(arguments["base"], order, path)
        if not isinstance(base, Pointer):
            raise UnknownValueError("a block pointer into something else than a pointer")
        parts = {name: _items(arguments[name]) for name in names[1:]}
        if len({len(part) for part in parts.values()}) != 1:
            raise UnknownValueError("a block pointer whose dimensions differ in number")
        return BlockPointer(
            base, parts["shape"], parts["strides"], parts["block_shape"], parts.get("offsets"), (), order, path
        )

    def block_address(
        self, block: BlockPointer, offsets: Sequence[ast.expr] | None, checked: Sequence[int] | None,
        order: int, path: tuple[int, ...],
    ) -> tuple[int, int]:  # fmt: skip
        """The (index, mask) of every element that a block pointer visits. `offsets` are those of a descriptor's
        load, `checked` the dimensions with a boundary check (None: all).

        Each dimension's offset is a multiple of its block, so the block's elements are the offset's expression
        with the loop variable in the place of the offset: offsets=[xoffset // 64, xoffset % 64] visits
        [x // 64, x % 64]."""
        own = offsets is None
        at_order, at_path = (block.order, block.path) if own else (order, path)
        starts = block.offsets if own else tuple(offsets or ())
        if starts is None or len(starts) != len(block.shape):
            raise UnknownValueError("a descriptor without offsets")
        binary = self.expressions.binary
        index, mask = block.pointer.offset, self.expressions.integer(1)
        for dimension, (start, stride, size, extent) in enumerate(
            zip(starts, block.strides, block.block_shape, block.shape, strict=True)
        ):
            place = self._block_dimension(block, dimension, start, size, order, path, (at_order, at_path))
            step = self._number(stride, block.order, block.path)
            index = binary("+", index, binary("*", step, place))
            if checked is None or dimension in checked:
                bound = self._number(extent, block.order, block.path)
                mask = binary("&", mask, binary("&", binary("<=", self._zero, place), binary("<", place, bound)))
        return index, mask

    def _block_dimension(
        self, block: BlockPointer, dimension: int, start: ast.expr, size: ast.expr,
        order: int, path: tuple[int, ...], at: tuple[int, tuple[int, ...]],
    ) -> int:  # fmt: skip
        prefixes = {match[1] for name in _names(start) if (match := _OFFSET_NAME.fullmatch(name))}
        if prefixes:
            return self._with_variables(start, prefixes, order, path)
        begin = self._number(start, *at)
        blocks = {match[1].lower() for name in _names(size) if (match := _BLOCK_NAME.fullmatch(name))}
        if len(blocks) == 1 and self.expressions.constant(begin) == 0:
            prefix = blocks.pop()
            advanced = any(not _is_zero(step[dimension]) for step in block.advances if dimension < len(step))
            index = self.definition(f"{prefix}index", order, path)
            if index is None or self.loop_variable(f"{prefix}index", index) is None:
                raise UnknownValueError(f"a block of {prefix} where {prefix}index is unknown")
            if self._is_looped(prefix, index) and not advanced:
                raise UnknownValueError("a block pointer that does not advance in its loop")
            return self.variable(prefix, index.order, index.path)
        length = self._number(size, block.order, block.path)
        if self.expressions.constant(length) == 1:
            return begin
        counter = self.expressions.add("var", (length,), f"block {start.lineno}:{start.col_offset}")
        return self.expressions.binary("+", begin, counter)

    def _with_variables(self, start: ast.expr, prefixes: set[str], order: int, path: tuple[int, ...]) -> int:
        """An offset's value with each `xoffset` in it replaced by the loop variable x."""
        for prefix in prefixes:
            index = self.definition(f"{prefix}index", order, path)
            if index is None or self.loop_variable(f"{prefix}index", index) is None:
                raise UnknownValueError(f"{prefix}offset without an {prefix}index")
            self._renamed[f"{prefix}offset"] = f"{prefix}index"
        try:
            return self._number(start, order, path)
        finally:
            self._renamed.clear()


_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/",
    ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip


def numel_prefix(prefix: str) -> str:
    """x, y, z, r0_, r1_ …; up to PyTorch 2.6 the only reduction dimension was called r."""
    return "r0_" if prefix == "r" else prefix


def _bare(node: ast.expr) -> ast.expr:
    """An expression without the views and casts around it."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and called_name(node) == "to" and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return node


def _is_arange(node: ast.expr, prefix: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and called_name(node) == "arange"
        and len(node.args) == 2
        and _is_zero(node.args[0])
        and _is_block(node.args[1], prefix)
    )


def _is_block(node: ast.expr, prefix: str) -> bool:
    """XBLOCK, R0_BLOCK, a combo kernel's R0_BLOCK_1; a mixed-order reduction's program takes RSPLIT_SIZE rows."""
    if not isinstance(node, ast.Name):
        return False
    match = _BLOCK_NAME.fullmatch(node.id)
    return (match is not None and match[1].lower() == prefix) or node.id == "RSPLIT_SIZE"


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False


def _items(node: ast.expr) -> tuple[ast.expr, ...]:
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(node.elts)
    raise UnknownValueError("a list that is not written out")


def _operands(call: ast.Call) -> list[ast.expr]:
    """The arguments, a method's object first."""
    function = call.func
    if isinstance(function, ast.Attribute) and not _is_module(function.value):
        return [function.value, *call.args]
    return list(call.args)


def _is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES


_MODULES = frozenset({"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch"})


def _is_annotation(node: ast.expr) -> bool:
    """An argument that is no operand: a dtype, a shape, an axis given by keyword."""
    return isinstance(node, ast.List | ast.Tuple | ast.Attribute) or (
        isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
    )


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.expr) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}

