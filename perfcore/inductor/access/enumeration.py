"""Values of index arithmetic at every point of a few digits: a column of numbers an operation."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from perfcore.inductor.access.expression import MAX_INTEGER, truncated_quotient
from perfcore.inductor.access.linear import Budget, Linear, Real

if TYPE_CHECKING:
    from perfcore.inductor.access.atom_table import AtomTable

Column = list[int]


class NoValueError(Exception):
    """A point has no value: a division by zero, or a float that is no integer's."""


class Columns:
    """`ranges` gives the first and last value of each digit; the points are their product."""

    def __init__(self, space: AtomTable, ranges: Mapping[int, tuple[int, int]], budget: Budget) -> None:
        self.space = space
        self.budget = budget
        self.points = math.prod(last - first + 1 for first, last in ranges.values())
        self._atoms: dict[int, Column] = {}
        inner = self.points
        outer = 1
        for digit, (first, last) in ranges.items():
            inner //= last - first + 1
            budget.spend(self.points)
            column = [value for value in range(first, last + 1) for _ in range(inner)]
            self._atoms[digit] = column * outer
            outer *= last - first + 1

    def form(self, form: Linear) -> Column:
        """The form's value at each point. Raises NoValueError, TooMuchWorkError."""
        total: Column | None = None
        for atom, coefficient in form.terms:
            column = self.atom(atom)
            self.budget.spend(self.points)
            if total is None:
                constant = form.constant
                total = [constant + coefficient * value for value in column]
            else:
                total = [so_far + coefficient * value for so_far, value in zip(total, column, strict=True)]
        return [form.constant] * self.points if total is None else total

    def atom(self, number: int) -> Column:
        column = self._atoms.get(number)
        if column is None:
            atom = self.space.atoms[number]
            if atom.opaque or atom.kind in ("digit", "symbol"):
                raise NoValueError(f"the value of a {atom.kind} is not known")
            column = self._atoms[number] = self.function(atom.kind, atom.payload)
        return column

    def function(self, kind: str, payload: tuple[object, ...]) -> Column:
        """The column of an atom's function of its payload."""
        self.budget.spend(self.points)
        if kind == "whole":
            operand = payload[0]
            return [_whole(value) for value in self.real(operand)] if isinstance(operand, Real) else []
        columns = [self.form(part) for part in payload if isinstance(part, Linear)]
        if kind in _TWO:
            try:
                values = list(map(_TWO[kind], columns[0], columns[1]))
            except ZeroDivisionError:
                raise NoValueError("an index is divided by zero") from None
            if kind == "product" and values and not -MAX_INTEGER <= min(values) <= max(values) <= MAX_INTEGER:
                raise NoValueError("an index does not fit in 64 bits")
            return values
        if kind == "positive":
            return [int(value > 0) for value in columns[0]]
        if kind == "zero":
            return [int(value == 0) for value in columns[0]]
        if kind == "where":
            return [a if c else b for c, a, b in zip(*columns, strict=True)]
        raise NoValueError(f"no value for {kind}")

    def real(self, operand: Real | Linear) -> list[float]:
        """Floats as the GPU has them: single precision unless a double takes part (Triton's promotion)."""
        self.budget.spend(self.points)
        if isinstance(operand, Linear):
            return [float(value) for value in self.form(operand)]
        if operand.operation == "float":
            return [operand.value] * self.points
        columns = [self.real(inner) for inner in operand.operands]
        double = is_double(operand)
        match operand.operation:
            case "f64":
                return columns[0]
            case "f32":
                values = columns[0]
            case "floor" | "ceil" | "trunc":
                rounded = getattr(math, operand.operation)
                values = [float(rounded(value)) for value in columns[0]]
            case operation:
                try:
                    values = list(map(_REAL[operation], columns[0], columns[1]))
                except ZeroDivisionError:
                    raise NoValueError("a position is divided by zero") from None
        return values if double else [_single(value) for value in values]


def is_double(operand: Real | Linear) -> bool:
    if isinstance(operand, Linear):
        return False
    return operand.operation == "f64" or (
        operand.operation != "f32" and any(is_double(inner) for inner in operand.operands)
    )


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        raise NoValueError("a position does not fit in single precision") from None


def _whole(value: float) -> int:
    try:
        return int(value)
    except (ValueError, OverflowError):
        raise NoValueError("a position is not finite") from None


def _truncated_remainder(a: int, b: int) -> int:
    return a - b * truncated_quotient(a, b)


_TWO: dict[str, Callable[[int, int], int]] = {
    "quotient": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "//": truncated_quotient,
    "%": _truncated_remainder,
    "trunc //": truncated_quotient,
    "trunc %": _truncated_remainder,
    "product": lambda a, b: a * b,
    "minimum": min,
}

_REAL: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "min": min,
    "max": max,
}
