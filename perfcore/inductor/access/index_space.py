"""Index arithmetic with numbers in it: each node as a linear form over digits of the loop variables.

A loop variable x of [0, n) that is divided by 64 and 192 is written in the mixed radix x = d0 + 64·d1 + 192·d2, so
that x // 64 % 3 is the digit d1 and nearly every index becomes linear in independent digits. What does not (a
clamp, an odd quotient, a loaded index) stays an atom with a range.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from perfcore.inductor.access.expression import ROUNDING, Node, truncated_quotient

WIDE: Final = 1 << 80
"""Beyond the range of any index: an atom whose values are not known lies in [-WIDE, WIDE]."""


class TooMuchWorkError(Exception):
    """An exact answer would take longer than an editor may wait."""


class Budget:
    """Steps that may still be spent on one kernel."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooMuchWorkError


class Linear(NamedTuple):
    """constant + Σ coefficient·atom, terms in the order of their atoms and none of them zero."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A value that has no number: a numel or scalar is missing, or a division by zero."""

    reason: str


NO_GRID: Final = Failure("the launch grid is not known")
TOO_WIDE: Final = Failure("an index does not fit in 64 bits")


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point value on the way from one index to another (an upsampling's scaled position)."""

    operation: str
    operands: tuple[Real | Linear, ...]
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Atom:
    """`digit` (payload: its variable's node, its weight), or a function of its payload that is not linear.

    `digits` are the digits that it depends on. `opaque`: its values are not known (a load, an unknown function),
    only what they depend on. A `symbol` is one unknown number."""

    kind: str
    low: int
    high: int
    digits: frozenset[int]
    opaque: bool
    payload: tuple[object, ...]


Form = Linear | Real | Failure


class IndexSpace:
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
        self.nodes = nodes
        self.atoms: list[Atom] = []
        self.forms: list[Form] = []
        self.digits: dict[int, tuple[tuple[int, int, int], ...]] = {}
        """Of each variable's node: (atom, weight, size) from the lowest digit up."""
        self.extents: dict[int, int] = {}
        self.wanted: dict[int, set[int]] = {}
        self._numels = numels
        self._scalars = scalars
        self._load_index = load_index
        self._cuts = cuts
        self._given_extents = extents
        self._index: dict[tuple[str, tuple[object, ...]], int] = {}
        unused = Failure("not needed")
        for number, (operation, arguments, value) in enumerate(nodes):
            needed = only is None or number in only
            form = self._form(number, operation, arguments, value) if needed else unused
            self.forms.append(TOO_WIDE if isinstance(form, Linear) and _is_too_wide(form) else form)

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
                return self._division(operation, forms[0], forms[1])
            case "min":
                return self.minimum(forms[0], forms[1])
            case "max":
                return scaled(self.minimum(scaled(forms[0], -1), scaled(forms[1], -1)), -1)
            case "<" | "<=" | "==" | "!=":
                return self._comparison(operation, forms[0], forms[1])
            case "&" | "|" | "~" | "where":
                return self._logical(operation, forms)
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
        return self._function(operation, value, forms)

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
            atom = self._atom("digit", 0, max(size - 1, 0), (number, weight), digit=True)
            digits.append((atom, weight, size))
        self.digits[number] = tuple(digits)
        return linear(0, {atom: weight for atom, weight, size in digits if size > 1})

    def _symbol(self, name: str) -> Linear:
        return self._single(self._atom("symbol", -WIDE, WIDE, (name,)))

    def _load(self, load: int) -> Linear:
        index = self._load_index.get(load)
        form = self.forms[index] if index is not None and index < len(self.forms) else None
        operands = (form,) if isinstance(form, Linear) else ()
        return self._single(self._atom("load", -WIDE, WIDE, (load, *operands), opaque=True))

    def _function(self, operation: str, value: int | float | str, forms: list[Linear]) -> Linear:
        return self._single(self._atom("call", -WIDE, WIDE, (operation, value, *forms), opaque=True))

    # -- atoms ---------------------------------------------------------------------------------------------------

    def _atom(
        self,
        kind: str,
        low: int,
        high: int,
        payload: tuple[object, ...],
        *,
        opaque: bool = False,
        digit: bool = False,
    ) -> int:
        key = (kind, payload)
        found = self._index.get(key)
        if found is not None:
            return found
        number = len(self.atoms)
        digits: frozenset[int] = frozenset((number,)) if digit else frozenset()
        for part in _parts(payload):
            for atom, _ in part.terms:
                inner = self.atoms[atom]
                digits |= inner.digits
                opaque = opaque or inner.opaque or inner.kind == "symbol"
        self._index[key] = number
        self.atoms.append(Atom(kind, max(low, -WIDE), min(high, WIDE), digits, opaque, payload))
        return number

    def _single(self, atom: int) -> Linear:
        low, high = self.atoms[atom].low, self.atoms[atom].high
        return Linear(low) if low == high else Linear(0, ((atom, 1),))

    def bounds(self, form: Linear) -> tuple[int, int]:
        low = high = form.constant
        for atom, coefficient in form.terms:
            found = self.atoms[atom]
            if coefficient > 0:
                low += coefficient * found.low
                high += coefficient * found.high
            else:
                low += coefficient * found.high
                high += coefficient * found.low
        return low, high

    def is_opaque(self, form: Linear) -> bool:
        return any(self.atoms[atom].opaque for atom, _ in form.terms)

    def digits_of(self, form: Linear) -> frozenset[int]:
        return frozenset().union(*(self.atoms[atom].digits for atom, _ in form.terms))

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def product(self, a: Linear, b: Linear) -> Linear:
        if not a.terms:
            return scaled(b, a.constant)
        if not b.terms:
            return scaled(a, b.constant)
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        corners = (a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high)
        return self._single(self._atom("product", min(corners), max(corners), (a, b) if a <= b else (b, a)))

    def minimum(self, a: Linear, b: Linear) -> Linear:
        low, high = self.bounds(add(a, scaled(b, -1)))
        if high <= 0:
            return a
        if low >= 0:
            return b
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        atom = self._atom("minimum", min(a_low, b_low), min(a_high, b_high), (a, b) if a <= b else (b, a))
        return self._single(atom)

    def _division(self, operation: str, a: Linear, b: Linear) -> Form:
        if b.terms:
            remainder = operation in ("%", "floormod")
            low, high = self.bounds(b)
            bound = max(abs(low), abs(high)) if remainder else max(map(abs, self.bounds(a)))
            return self._single(self._atom(operation, -bound, bound, (a, b)))
        divisor = b.constant
        if divisor == 0:
            return Failure("an index is divided by zero")
        low, high = self.bounds(a)
        if operation in ("//", "%") and (low < 0 or divisor < 0):
            if operation == "//" and divisor < 0:
                a, divisor = scaled(a, -1), -divisor
                low, high = -high, -low
            divisor = abs(divisor)
            if low < 0:
                return self._truncated(operation, a, divisor, low, high)
        if divisor < 0:
            quotient = self.floor_quotient(scaled(a, -1), -divisor)
            if operation in ("//", "floordiv"):
                return quotient
            return add(a, scaled(quotient, -divisor))
        if operation in ("//", "floordiv"):
            return self.floor_quotient(a, divisor)
        return self.floor_remainder(a, divisor)

    def _truncated(self, operation: str, a: Linear, divisor: int, low: int, high: int) -> Linear:
        """Division towards zero of what may be negative."""
        if high <= 0:
            quotient = scaled(self.floor_quotient(scaled(a, -1), divisor), -1)
            return quotient if operation == "//" else add(a, scaled(quotient, -divisor))
        if operation == "//":
            ends = truncated_quotient(low, divisor), truncated_quotient(high, divisor)
        else:
            ends = max(low, 1 - divisor), min(high, divisor - 1)
        return self._single(self._atom("trunc " + operation, *ends, (a, Linear(divisor))))

    def floor_quotient(self, form: Linear, divisor: int) -> Linear:
        """Whole multiples of the divisor are taken out; the rest vanishes where its range allows."""
        whole = {atom: c // divisor for atom, c in form.terms if c % divisor == 0}
        rest = Linear(form.constant % divisor, tuple(term for term in form.terms if term[1] % divisor))
        outside = linear(form.constant // divisor, whole)
        low, high = self.bounds(rest)
        if low // divisor == high // divisor:
            return Linear(outside.constant + low // divisor, outside.terms)
        self.want_cuts(rest, divisor)
        atom = self._atom("quotient", low // divisor, high // divisor, (rest, Linear(divisor)))
        return add(outside, self._single(atom))

    def floor_remainder(self, form: Linear, divisor: int) -> Linear:
        rest = Linear(form.constant % divisor, tuple(term for term in form.terms if term[1] % divisor))
        low, high = self.bounds(rest)
        if low // divisor == high // divisor:
            return Linear(rest.constant - low // divisor * divisor, rest.terms)
        self.want_cuts(rest, divisor)
        return self._single(self._atom("remainder", 0, divisor - 1, (rest, Linear(divisor))))

    def want_cuts(self, form: Linear, divisor: int) -> None:
        """Note where variables would have to be cut for a division to come out."""
        for number, coefficient in form.terms:
            atom = self.atoms[number]
            unit = divisor // math.gcd(divisor, coefficient)
            if atom.kind == "digit":
                variable, weight = atom.payload
                if 1 < unit <= atom.high and isinstance(variable, int) and isinstance(weight, int):
                    self.wanted.setdefault(variable, set()).add(weight * unit)
            elif atom.kind == "quotient":
                inner, by = atom.payload
                if isinstance(inner, Linear) and isinstance(by, Linear):
                    self.want_cuts(inner, by.constant * unit)
            elif atom.kind == "remainder" and isinstance(atom.payload[0], Linear):
                self.want_cuts(atom.payload[0], unit)

    def _comparison(self, operation: str, a: Linear, b: Linear) -> Linear:
        difference = add(b, scaled(a, -1))
        low, high = self.bounds(difference)
        match operation:
            case "<" | "<=":
                least = 1 if operation == "<" else 0
                if low >= least:
                    return Linear(1)
                if high < least:
                    return Linear(0)
                return self._single(self._atom("positive", 0, 1, (add(difference, Linear(1 - least)),)))
            case "==" | "!=":
                if not low <= 0 <= high:
                    return Linear(int(operation == "!="))
                if low == high:
                    return Linear(int(operation == "=="))
                zero = self._single(self._atom("zero", 0, 1, (difference,)))
                return zero if operation == "==" else add(Linear(1), scaled(zero, -1))
        raise AssertionError(operation)

    def _logical(self, operation: str, forms: list[Linear]) -> Linear:
        if operation == "~":
            if self.bounds(forms[0])[0] < 0 or self.bounds(forms[0])[1] > 1:
                return self._function(operation, 0, forms)
            return add(Linear(1), scaled(forms[0], -1))
        if operation == "where":
            condition, then, otherwise = forms
            if not condition.terms:
                return then if condition.constant else otherwise
            if then == otherwise:
                return then
            (a_low, a_high), (b_low, b_high) = self._chosen_bounds(condition, then, otherwise)
            atom = self._atom("where", min(a_low, b_low), max(a_high, b_high), (condition, then, otherwise))
            return self._single(atom)
        a, b = forms
        if any(self.bounds(form)[0] < 0 or self.bounds(form)[1] > 1 for form in forms):
            return self._function(operation, 0, forms)
        if operation == "&":
            return self.product(a, b) if a != b else a
        return add(
            Linear(1), scaled(self.product(add(Linear(1), scaled(a, -1)), add(Linear(1), scaled(b, -1))), -1)
        )

    def _chosen_bounds(
        self, condition: Linear, then: Linear, otherwise: Linear
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """The bounds of both choices, tightened where the condition is about the same value: in
        where(t < 0, t + n, t), how Inductor wraps a negative index, the first is below n and the second not negative."""
        bounds = [self.bounds(then), self.bounds(otherwise)]
        atom = self.atoms[condition.terms[0][0]]
        tested = atom.payload[0]
        if (
            condition.constant
            or len(condition.terms) > 1
            or atom.kind != "positive"
            or not isinstance(tested, Linear)
        ):
            return bounds[0], bounds[1]
        low, high = self.bounds(tested)
        ranges = (max(low, 1), high), (low, min(high, 0))
        for place, (choice, (first, last)) in enumerate(zip((then, otherwise), ranges, strict=True)):
            for sign in (1, -1):
                rest = add(choice, scaled(tested, -sign))
                if not rest.terms:
                    ends = rest.constant + sign * first, rest.constant + sign * last
                    bounds[place] = min(ends), max(ends)
        return bounds[0], bounds[1]

    # -- floating point ------------------------------------------------------------------------------------------

    def _real(self, operation: str, operands: tuple[Real | Linear, ...], value: int | float | str) -> Form:
        """Floats matter only on their way back to an integer."""
        if operation == "whole":
            return self._rounded(operands[0])
        if operation == "float":
            return Real("float", (), float(value))
        if operation in ("f32", "f64", "+", "-", "*", "/", "min", "max") or operation in ROUNDING:
            return Real(operation, operands)
        linear_parts = [part for operand in operands for part in _linear_parts(operand)]
        return self._function(operation, value, linear_parts)

    def _rounded(self, operand: Real | Linear) -> Linear:
        if isinstance(operand, Linear):
            return operand
        parts = tuple(_linear_parts(operand))
        low, high = -WIDE, WIDE
        if not any(self.is_opaque(part) for part in parts):
            values = self.values_of(("whole", (operand, *parts)), 4096)
            if values:
                low, high = min(values), max(values)
        return self._single(self._atom("whole", low, high, (operand, *parts)))

    def values_of(self, what: tuple[str, tuple[object, ...]], most: int) -> list[int] | None:
        """All values of a function of few digits, None where there are more than `most` points."""
        # Not at the top: the evaluation needs this module's records.
        from perfcore.inductor.access.enumeration import Columns, NoValueError

        digits = sorted(frozenset().union(*(self.digits_of(part) for part in _parts(what[1]))))
        points = math.prod(self.atoms[digit].high + 1 for digit in digits)
        if points > most:
            return None
        ranges = {digit: (0, self.atoms[digit].high) for digit in digits}
        try:
            return Columns(self, ranges, Budget(50 * most)).function(*what)
        except (NoValueError, TooMuchWorkError):
            return None


def _is_too_wide(form: Linear) -> bool:
    return abs(form.constant) > WIDE or any(abs(coefficient) > WIDE for _, coefficient in form.terms)


def linear(constant: int, coefficients: Mapping[int, int]) -> Linear:
    return Linear(constant, tuple(sorted((atom, c) for atom, c in coefficients.items() if c)))


def add(a: Linear, b: Linear) -> Linear:
    if not b.terms:
        return Linear(a.constant + b.constant, a.terms)
    if not a.terms:
        return Linear(a.constant + b.constant, b.terms)
    coefficients = dict(a.terms)
    for atom, coefficient in b.terms:
        coefficients[atom] = coefficients.get(atom, 0) + coefficient
    return linear(a.constant + b.constant, coefficients)


def scaled(form: Linear, factor: int) -> Linear:
    if factor == 1:
        return form
    if factor == 0:
        return Linear(0)
    return Linear(form.constant * factor, tuple((atom, c * factor) for atom, c in form.terms))


def _parts(payload: Iterable[object]) -> list[Linear]:
    return [part for part in payload if isinstance(part, Linear)]


def _linear_parts(operand: Real | Linear) -> list[Linear]:
    if isinstance(operand, Linear):
        return [operand]
    return [part for inner in operand.operands for part in _linear_parts(inner)]
