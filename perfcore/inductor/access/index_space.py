"""Index arithmetic with numbers in it: each node as a linear form over digits of the loop variables.

A loop variable x of [0, n) that is divided by 64 and 192 is written in the mixed radix x = d0 + 64·d1 + 192·d2, so
that x // 64 % 3 is the digit d1 and nearly every index becomes linear in independent digits. What does not (a
clamp, an odd quotient, a loaded index) stays an atom with a range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from perfcore.inductor.access.atom_table import AtomTable
from perfcore.inductor.access.enumeration import Columns, NoValueError
from perfcore.inductor.access.expression import ROUNDING, Node
from perfcore.inductor.access.linear import (
    NO_GRID,
    TOO_WIDE,
    WIDE,
    Budget,
    Failure,
    Form,
    Linear,
    Real,
    TooMuchWorkError,
    add,
    is_too_wide,
    linear,
    linear_parts,
    parts_of,
    scaled,
)

MAX_REAL_SIZE: Final = 100
"""Operations of a float's arithmetic (Inductor's longest, a bicubic upsampling's position, has some ten)."""


class IndexSpace(AtomTable):
    """All nodes of a kernel for given numels. `cuts` are the weights at which variables are cut into digits;
    after construction `wanted` holds those that would make more of the arithmetic linear.

    `extents` overrides the sizes of variables (by node), `load_index` gives the index node of a load node's value, and
    `only` the nodes that are looked at."""

    def __init__(
        self,
        nodes: Sequence[Node],
        numels: Mapping[str, int],
        scalars: Mapping[str, int],
        load_index: Mapping[int, int],
        *,
        cuts: Mapping[int, Sequence[int]],
        extents: Mapping[int, int],
        only: frozenset[int] | None = None,
    ) -> None:
        super().__init__()
        self.nodes = nodes
        self.forms: list[Form] = []
        self.digits: dict[int, tuple[tuple[int, int, int], ...]] = {}
        """Of each variable's node: (atom, weight, size) from the lowest digit up."""
        self.extents: dict[int, int] = {}
        self._numels = numels
        self._scalars = scalars
        self._load_index = load_index
        self._cuts = cuts
        self._given_extents = extents
        unused = Failure("not needed")
        for number, (operation, arguments, value) in enumerate(nodes):
            needed = only is None or number in only
            form = self._form(number, operation, arguments, value) if needed else unused
            self.forms.append(TOO_WIDE if isinstance(form, Linear) and is_too_wide(form) else form)

    # -- forms ---------------------------------------------------------------------------------------------------

    def _form(
        self, number: int, operation: str, arguments: tuple[int, ...], value: int | float | str
    ) -> Form:
        if operation == "int":
            return Linear(int(value))
        if operation == "var":
            return self._variable(number, arguments)
        forms: list[Linear] = []
        reals = False
        operands = [self.forms[argument] for argument in arguments]
        for operand in operands:
            if isinstance(operand, Failure):
                return operand
            if isinstance(operand, Real):
                reals = True
            else:
                forms.append(operand)
        if reals or operation in ("float", "f32", "f64", "/") or operation in ROUNDING:
            return self._real(operation, tuple(operands), value)  # type: ignore[arg-type]
        match operation:
            case "+":
                return add(forms[0], forms[1])
            case "-":
                return add(forms[0], scaled(forms[1], -1))
            case "*":
                return self.product(forms[0], forms[1])
            case "//" | "%" | "floordiv" | "floormod":
                return self.division(operation, forms[0], forms[1])
            case "min":
                return self.minimum(forms[0], forms[1])
            case "max":
                return scaled(self.minimum(scaled(forms[0], -1), scaled(forms[1], -1)), -1)
            case "<" | "<=" | "==" | "!=":
                return self.comparison(operation, forms[0], forms[1])
            case "&" | "|" | "~" | "where":
                return self.logical(operation, forms)
            case "whole":
                return forms[0]
            case "numel":
                given = self._numels.get(str(value))
                if given is not None:
                    return Linear(given)
                return forms[0] if forms else Failure(f"the numel of {value} is not known")
            case "scalar":
                known = self._scalars.get(str(value))
                return Linear(known) if known is not None else self._symbol(str(value))
            case "load":
                return self._load(int(value))
        return self.function(operation, value, forms)

    def _variable(self, number: int, arguments: tuple[int, ...]) -> Form:
        extent = self._given_extents.get(number)
        if extent is None:
            if not arguments:
                return NO_GRID
            form = self.forms[arguments[0]]
            if isinstance(form, Failure):
                return form
            if isinstance(form, Real) or form.terms:
                return Failure("a loop's length is not known")
            extent = max(form.constant, 0)
        self.extents[number] = extent
        weights = [1, *(cut for cut in self._cuts.get(number, ()) if cut < extent)]
        digits: list[tuple[int, int, int]] = []
        for place, weight in enumerate(weights):
            above = weights[place + 1] if place + 1 < len(weights) else None
            size = above // weight if above else -(-extent // weight)
            atom = self.atom("digit", 0, max(size - 1, 0), (number, weight), digit=True)
            digits.append((atom, weight, size))
        self.digits[number] = tuple(digits)
        return linear(0, {atom: weight for atom, weight, size in digits if size > 1})

    def _symbol(self, name: str) -> Linear:
        return self.single(self.atom("symbol", -WIDE, WIDE, (name,)))

    def _load(self, load: int) -> Linear:
        index = self._load_index.get(load)
        form = self.forms[index] if index is not None and index < len(self.forms) else None
        operands = (form,) if isinstance(form, Linear) else ()
        return self.single(self.atom("load", -WIDE, WIDE, (load, *operands), opaque=True))

    # -- floating point ------------------------------------------------------------------------------------------

    def _real(self, operation: str, operands: tuple[Real | Linear, ...], value: int | float | str) -> Form:
        """Floats matter only on their way back to an integer."""
        if operation == "whole":
            return self._rounded(operands[0])
        if operation == "float":
            return Real("float", (), float(value))
        if operation in ("f32", "f64", "+", "-", "*", "/", "min", "max") or operation in ROUNDING:
            size = 1 + sum(operand.size for operand in operands if isinstance(operand, Real))
            if size <= MAX_REAL_SIZE:
                return Real(operation, operands, size=size)
        parts = dict.fromkeys(part for operand in operands for part in linear_parts(operand))
        # The floats themselves tell functions of the same integers apart: x < 0.3 is not x < 0.7.
        return self.single(self.atom("call", -WIDE, WIDE, (operation, value, *operands, *parts), opaque=True))

    def _rounded(self, operand: Real | Linear) -> Linear:
        if isinstance(operand, Linear):
            return operand
        parts = tuple(linear_parts(operand))
        low, high = -WIDE, WIDE
        if not any(self.is_opaque(part) for part in parts):
            values = self.values_of(("whole", (operand, *parts)), 4096)
            if values:
                low, high = min(values), max(values)
        return self.single(self.atom("whole", low, high, (operand, *parts)))

    def values_of(self, what: tuple[str, tuple[object, ...]], most: int) -> list[int] | None:
        """All values of a function of few digits, None where there are more than `most` points."""
        digits = sorted(frozenset().union(*(self.digits_of(part) for part in parts_of(what[1]))))
        points = math.prod(self.atoms[digit].high + 1 for digit in digits)
        if points > most:
            return None
        ranges = {digit: (0, self.atoms[digit].high) for digit in digits}
        try:
            return Columns(self, ranges, Budget(50 * most)).function(*what)
        except (NoValueError, TooMuchWorkError):
            return None
