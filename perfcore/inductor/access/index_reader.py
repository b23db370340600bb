"""What a kernel's names mean as index arithmetic: syntax → nodes of `Expressions`, pointers and block pointers.

Works backwards from the loads and stores, so that the arithmetic on the data itself is never looked at.
"""

from __future__ import annotations

import ast
from typing import Final

from perfcore.inductor.access.block_pointer import BlockPointer, items
from perfcore.inductor.access.body import Body, Definition, Place, called_name
from perfcore.inductor.access.call_values import Value, read_call
from perfcore.inductor.access.calls import axis
from perfcore.inductor.access.counters import Counters
from perfcore.inductor.access.expression import Expressions, TooLargeError
from perfcore.inductor.access.loop_points import Loops
from perfcore.inductor.access.loop_variables import NUMEL_NAME, loop_variable, numel_key, numel_name
from perfcore.inductor.access.pointer import Pointer
from perfcore.inductor.access.scopes import UnknownValueError, branches_before, carried, definition_at

MAX_STEPS: Final = 400_000

MAX_DEPTH: Final = 150
"""How deeply expressions and the names in them may nest (Inductor's deepest, max_pool2d's backward, has 20)."""

_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/",
    ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip

_COMPARISONS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Lt: ("<", False), ast.LtE: ("<=", False), ast.Gt: ("<", True), ast.GtE: ("<=", True),
    ast.Eq: ("==", False), ast.NotEq: ("!=", False),
}  # fmt: skip
"""The node's operation, and whether its sides change places."""


class IndexReader:
    """Reads one kernel's body. `pointers` are the pointer parameters, `constants` the scalars that Triton specialised
    away (`triton_meta['constants']`), by name."""

    def __init__(self, body: Body, pointers: frozenset[str], constants: dict[str, int]) -> None:
        self.body = body
        self.expressions = Expressions()
        self.pointers = pointers
        self.parameters = body.parameters
        self.constants = constants
        self.sites = {id(site.call): number for number, site in enumerate(body.sites)}
        self._depth = 0
        self._steps = 0
        self._instead: dict[str, int] = {}
        self.counters = Counters(self.expressions)
        self.floats: dict[int, bool] = {}
        self.zero = self.expressions.integer(0)
        self.loops = Loops(self)

    # -- names ---------------------------------------------------------------------------------------------------

    def name(self, name: str, place: Place) -> Value:
        try:
            definition = definition_at(self.body, name, place)
        except UnknownValueError:
            branches = branches_before(self.body, name, place)
            if branches is None or self._defined(name, branches[0]) != self._defined(name, branches[1]):
                raise
            return self._defined(name, branches[0])
        if definition is None:
            return self.parameter(name)
        later = carried(self.body, name, definition, place)
        return self._carried(name, definition, later, place) if later else self._defined(name, definition)

    def parameter(self, name: str) -> int | Pointer:
        if name in self.pointers:
            return Pointer(name, self.zero)
        if name in self.constants:
            return self.expressions.integer(self.constants[name])
        if match := NUMEL_NAME.fullmatch(name):
            return self.expressions.add("numel", (), numel_key(match[1]))
        if name in self.parameters:
            return self.expressions.add("scalar", (), name)
        raise UnknownValueError(f"{name} is not defined in the kernel")

    def _defined(self, name: str, definition: Definition) -> Value:
        """What a definition makes of a name, worked out once."""
        if definition.node is None:
            definition.node = self._read_definition(name, definition)
        node = definition.node
        assert isinstance(node, int | Pointer | BlockPointer)
        return node

    def _read_definition(self, name: str, definition: Definition) -> Value:
        prefix = loop_variable(self.body, name, definition)
        if prefix is not None:
            return self.variable(prefix, definition.place)
        if definition.loop is not None:
            return self.loops.counter(name, definition.loop)
        if definition.value is None:
            raise UnknownValueError(f"{name} is one of several results")
        value = self.read(definition.value, definition.place)
        if definition.augmented is not None:
            return self._arithmetic(definition.augmented, self.name(name, definition.place), value)
        match = NUMEL_NAME.fullmatch(name)
        if (
            match
            and not definition.place.path
            and isinstance(value, int)
            and self.expressions.constant(value) is not None
        ):
            # The launch's own numel holds where it is given; without one, the constant in the body does.
            return self.expressions.add("numel", (value,), numel_key(match[1]))
        return value

    def _carried(self, name: str, first: Definition, later: list[Definition], place: Place) -> Value:
        """A name that a loop moves on: the row index of a mixed-order reduction (`xindex += XBLOCK` up to the end of
        the program's rows), a block pointer that advances, a template's pointer into its operand."""
        prefix = loop_variable(self.body, name, first)
        if prefix is not None and all(isinstance(d.augmented, ast.Add) for d in later):
            return self.variable(prefix, first.place)
        value = self._defined(name, first)
        if isinstance(value, BlockPointer):
            steps = [d.value for d in later]
            if all(
                isinstance(s, ast.Call) and called_name(s) == "advance" and len(s.args) == 2 for s in steps
            ):
                advances = tuple(items(step.args[1]) for step in steps if isinstance(step, ast.Call))
                return BlockPointer(
                    value.pointer, value.shape, value.strides, value.block_shape, value.offsets, value.place, advances
                )  # fmt: skip
        if isinstance(value, Pointer) and len(later) == 1 and place.order <= later[0].place.order:
            return self._moved_on(name, value, later[0])
        raise UnknownValueError(f"{name} changes in a loop")

    def _moved_on(self, name: str, start: Pointer, step: Definition) -> Pointer:
        """`A += BLOCK_K * stride_ak` at the end of a loop: start + step × round (the templates' inner loop)."""
        loop = self.body.blocks[step.place.path[-1]].loop
        if loop is None or step.value is None or not isinstance(step.augmented, ast.Add):
            raise UnknownValueError(f"{name} changes in a loop")
        by = self.number(step.value, Place(step.place.order, step.place.path[:-1]))
        binary = self.expressions.binary
        offset = binary("+", start.offset, binary("*", by, self.loops.round_of(loop)))
        return Pointer(start.parameter, offset, start.element_bytes)

    # -- loop variables ------------------------------------------------------------------------------------------

    def variable(self, prefix: str, place: Place) -> int:
        """A loop variable's node, its extent being what `xnumel` is where it is defined."""
        extent = self.name(numel_name(self.body, prefix, place), Place(place.order + 1, place.path))
        if not isinstance(extent, int):
            raise UnknownValueError(f"{prefix}numel is no number")
        return self.expressions.add("var", (extent,), numel_key(prefix))

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self, node: ast.expr, place: Place, instead: dict[str, int] | None = None) -> int:
        """The node of an expression that is no pointer; `instead` holds nodes that names in it stand for."""
        if instead:
            self._instead = instead
        try:
            value = self.read(node, place)
        finally:
            if instead:
                self._instead = {}
        if not isinstance(value, int):
            raise UnknownValueError("a pointer where a number is needed")
        return value

    def read(self, node: ast.expr, place: Place) -> Value:
        """What an expression is at a place. Raises UnknownValueError, UnreadableError, TooLargeError."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooLargeError("its index arithmetic is larger than any that Inductor writes")
        if self._depth >= MAX_DEPTH:
            raise UnknownValueError(f"arithmetic that nests deeper than {MAX_DEPTH}")
        self._depth += 1
        try:
            if isinstance(node, ast.Name):
                instead = self._instead.get(node.id)
                return self.name(node.id, place) if instead is None else instead
            if isinstance(node, ast.Constant):
                return self._constant(node.value)
            if isinstance(node, ast.BinOp):
                return self._arithmetic(node.op, self.read(node.left, place), self.read(node.right, place))
            if isinstance(node, ast.Call):
                return read_call(self, node, place)
            if isinstance(node, ast.Subscript):
                value = self.read(node.value, place)
                return self.counters.along(value, axis(node.slice)) if isinstance(value, int) else value
            return self._rarer(node, place)
        finally:
            self._depth -= 1

    def _rarer(self, node: ast.expr, place: Place) -> Value:
        if isinstance(node, ast.Compare):
            return self._comparison(node, place)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node.op, self.number(node.operand, place))
        if isinstance(node, ast.BoolOp):
            joined = "&" if isinstance(node.op, ast.And) else "|"
            result = self.number(node.values[0], place)
            for value in node.values[1:]:
                result = self.expressions.binary(joined, result, self.number(value, place))
            return result
        if isinstance(node, ast.IfExp):
            return self._choice(node, place)
        raise UnknownValueError(f"a {type(node).__name__.lower()}")

    def _constant(self, value: object) -> int:
        if isinstance(value, bool | int):
            return self.expressions.integer(int(value))
        if isinstance(value, float):
            return self.expressions.add("float", (), value)
        raise UnknownValueError("a text or nothing where a number is needed")

    def _arithmetic(self, operator: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(operator, ast.Add) and isinstance(left, int) and isinstance(right, Pointer):
            left, right = right, left
        if isinstance(left, Pointer) and isinstance(right, int) and isinstance(operator, ast.Add | ast.Sub):
            sign = "+" if isinstance(operator, ast.Add) else "-"
            return Pointer(
                left.parameter, self.expressions.binary(sign, left.offset, right), left.element_bytes
            )
        if not isinstance(left, int) or not isinstance(right, int):
            raise UnknownValueError("arithmetic on a pointer")
        operation = _OPERATIONS.get(type(operator))
        if operation is None:
            return self.expressions.add("call", (left, right), type(operator).__name__)
        if operation == "+":
            shared = self.counters.shared_out(left, right)
            if shared is not None:
                return shared
        elif operation == "%" and self.counters.is_unbounded(left):
            return self.expressions.add("var", (right,), f"remainder of {left}")
        return self.expressions.binary(operation, left, right)

    def _unary(self, operator: ast.unaryop, operand: int) -> int:
        if isinstance(operator, ast.USub):
            return self.expressions.binary("*", self.expressions.integer(-1), operand)
        return operand if isinstance(operator, ast.UAdd) else self.expressions.negated(operand)

    def _comparison(self, node: ast.Compare, place: Place) -> int:
        sides = [self.number(side, place) for side in (node.left, *node.comparators)]
        result: int | None = None
        for operator, left, right in zip(node.ops, sides[:-1], sides[1:], strict=True):
            operation, turned = _COMPARISONS.get(type(operator), ("", False))
            if not operation:
                raise UnknownValueError(f"the comparison {type(operator).__name__}")
            part = self.expressions.binary(operation, *((right, left) if turned else (left, right)))
            result = part if result is None else self.expressions.binary("&", result, part)
        return self.zero if result is None else result

    def _choice(self, node: ast.IfExp, place: Place) -> Value:
        try:
            condition = self.number(node.test, place)
        except UnknownValueError:
            condition = self.expressions.add("call", (), "condition")
        known = self.expressions.constant(condition)
        if known is not None:
            return self.read(node.body if known else node.orelse, place)
        return self.expressions.add(
            "where", (condition, self.number(node.body, place), self.number(node.orelse, place))
        )
