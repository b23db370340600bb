"""Index arithmetic as a table of shared nodes: what a kernel's addresses and masks are made of.

A node is `(operation, arguments, value)`; arguments are indices of earlier nodes, so the table is acyclic and in
an order in which it can be evaluated. Equal expressions are one node. Integer semantics are Triton's: `//` and
`%` truncate towards zero, `floordiv` and `floormod` are triton_helpers.div_floor_integer and remainder_integer.
"""

from __future__ import annotations

from typing import Final

Node = tuple[str, tuple[int, ...], "int | float | str"]

MAX_NODES: Final = 20_000
MAX_INTEGER: Final = 1 << 63

ROUNDING: Final = frozenset({"floor", "ceil", "trunc"})
BOOLEAN: Final = frozenset({"<", "<=", "==", "!=", "&", "|", "~"})


class TooLargeError(Exception):
    """The expressions of a kernel are larger than any that Inductor writes, or a constant needs over 64 bits."""


class Expressions:
    """The table while it is built. Every method gives the index of a node.

    Leaves: `int` and `float` constants, `var` (a loop variable: value its prefix, argument its scope), `numel`
    (value the prefix), `scalar` (value the parameter), `pid` (value the axis), `load` (value the access), and
    `unknown`. Inner nodes: + - * // % floordiv floormod min max < <= == != & | ~ where, the casts `f32`, `f64` and
    `whole` (to an integer, towards zero), `/`, floor ceil trunc of a float, and `call`, any other function of its arguments (value its name).
    """

    __slots__ = ("_index", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}

    def add(self, operation: str, arguments: tuple[int, ...] = (), value: int | float | str = 0) -> int:
        node = (operation, arguments, value)
        found = self._index.get(node)
        if found is not None:
            return found
        if len(self.nodes) >= MAX_NODES:
            raise TooLargeError(f"its index arithmetic has more than {MAX_NODES} operations")
        self._index[node] = len(self.nodes)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def integer(self, value: int) -> int:
        if not -MAX_INTEGER <= value < MAX_INTEGER:
            raise TooLargeError("a constant does not fit in 64 bits")
        return self.add("int", (), value)

    def constant(self, node: int) -> int | None:
        operation, _, value = self.nodes[node]
        return value if operation == "int" and isinstance(value, int) else None

    def binary(self, operation: str, left: int, right: int) -> int:
        """An arithmetic or comparison node, folded where both sides are constants and the result is defined."""
        a, b = self.constant(left), self.constant(right)
        if a is not None and b is not None:
            folded = fold(operation, a, b)
            if folded is not None:
                return self.integer(folded)
        elif a is not None or b is not None:
            same = self._without_effect(operation, (left, a), (right, b))
            if same is not None:
                return same
        elif operation == "+":
            found = self._as_min_or_max(left, right)
            if found is not None:
                return found
        return self.add(operation, (left, right))

    def _without_effect(
        self, operation: str, left: tuple[int, int | None], right: tuple[int, int | None]
    ) -> int | None:
        """The other operand of x + 0, x * 1, mask & True and their like."""
        (a, a_value), (b, b_value) = left, right
        neutral = {"+": 0, "-": 0, "*": 1, "//": 1, "floordiv": 1}.get(operation)
        if neutral is not None and b_value == neutral:
            return a
        if a_value == neutral and operation in ("+", "*"):
            return b
        if operation == "&" and a_value == 1 and self.nodes[b][0] in BOOLEAN:
            return b
        if operation == "&" and b_value == 1 and self.nodes[a][0] in BOOLEAN:
            return a
        return None

    def negated(self, condition: int) -> int:
        value = self.constant(condition)
        if value is not None:
            return self.integer(int(not value))
        return self.add("~", (condition,))

    def _as_min_or_max(self, left: int, right: int) -> int | None:
        """`a*(a >= b) + b*(b > a)` is max(a, b) and `a*(a <= b) + b*(b < a)` is min(a, b): how Inductor prints
        sympy's Max and Min (torch/_inductor/codegen/triton.py, `_print_min_max_helper`)."""
        first, second = self.nodes[left], self.nodes[right]
        if first[0] != "*" or second[0] != "*":
            return None
        a, a_test = first[1]
        b, b_test = second[1]
        wanted = (("<=", (b, a)), ("<", (a, b))), (("<=", (a, b)), ("<", (b, a)))
        tests = self.nodes[a_test][:2], self.nodes[b_test][:2]
        if tests == wanted[0]:
            return self.binary("max", a, b)
        return self.binary("min", a, b) if tests == wanted[1] else None


def fold(operation: str, a: int, b: int) -> int | None:
    """The value of an operation on two integers, None where it has none (a division by zero) or is no such."""
    match operation:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case "==":
            return int(a == b)
        case "!=":
            return int(a != b)
        case "&":
            return a & b
        case "|":
            return a | b
    if b == 0:
        return None
    match operation:
        case "floordiv":
            return a // b
        case "floormod":
            return a % b
        case "//":
            return truncated_quotient(a, b)
        case "%":
            return a - b * truncated_quotient(a, b)
    return None


def truncated_quotient(a: int, b: int) -> int:
    """C's integer division, which Triton's `//` is."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient
