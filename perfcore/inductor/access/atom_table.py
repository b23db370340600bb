"""Arithmetic on linear forms: what stays linear, and atoms with a range for what does not."""

from __future__ import annotations

import math

from perfcore.inductor.access.expression import truncated_quotient
from perfcore.inductor.access.linear import WIDE, Atom, Failure, Form, Linear, add, linear, parts_of, scaled


class AtomTable:
    """The atoms of one space. Equal functions of equal operands are one atom.

    `wanted` collects, by variable, the weights at which cutting it would make more of the arithmetic linear."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.wanted: dict[int, set[int]] = {}
        self._numbers: dict[tuple[str, tuple[object, ...]], int] = {}
        self._cut_for: set[tuple[Linear, int]] = set()

    def atom(
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
        found = self._numbers.get(key)
        if found is not None:
            return found
        number = len(self.atoms)
        digits: frozenset[int] = frozenset((number,)) if digit else frozenset()
        for part in parts_of(payload):
            for atom, _ in part.terms:
                inner = self.atoms[atom]
                digits |= inner.digits
                opaque = opaque or inner.opaque or inner.kind == "symbol"
        self._numbers[key] = number
        if low > WIDE or high < -WIDE:  # it overflows wherever it is
            low, high = -WIDE, WIDE
        self.atoms.append(Atom(kind, max(low, -WIDE), min(high, WIDE), digits, opaque, payload))
        return number

    def single(self, atom: int) -> Linear:
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
        return self.single(self.atom("product", min(corners), max(corners), (a, b) if a <= b else (b, a)))

    def minimum(self, a: Linear, b: Linear) -> Linear:
        low, high = self.bounds(add(a, scaled(b, -1)))
        if high <= 0:
            return a
        if low >= 0:
            return b
        (a_low, a_high), (b_low, b_high) = self.bounds(a), self.bounds(b)
        atom = self.atom("minimum", min(a_low, b_low), min(a_high, b_high), (a, b) if a <= b else (b, a))
        return self.single(atom)

    def division(self, operation: str, a: Linear, b: Linear) -> Form:
        if b.terms:
            remainder = operation in ("%", "floormod")
            low, high = self.bounds(b)
            bound = max(abs(low), abs(high)) if remainder else max(map(abs, self.bounds(a)))
            return self.single(self.atom(operation, -bound, bound, (a, b)))
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
        return self.single(self.atom("trunc " + operation, *ends, (a, Linear(divisor))))

    def floor_quotient(self, form: Linear, divisor: int) -> Linear:
        """Whole multiples of the divisor are taken out; the rest vanishes where its range allows."""
        whole = {atom: c // divisor for atom, c in form.terms if c % divisor == 0}
        rest = Linear(form.constant % divisor, tuple(term for term in form.terms if term[1] % divisor))
        outside = linear(form.constant // divisor, whole)
        low, high = self.bounds(rest)
        if low // divisor == high // divisor:
            return Linear(outside.constant + low // divisor, outside.terms)
        self.want_cuts(rest, divisor)
        atom = self.atom("quotient", low // divisor, high // divisor, (rest, Linear(divisor)))
        return add(outside, self.single(atom))

    def floor_remainder(self, form: Linear, divisor: int) -> Linear:
        rest = Linear(form.constant % divisor, tuple(term for term in form.terms if term[1] % divisor))
        low, high = self.bounds(rest)
        if low // divisor == high // divisor:
            return Linear(rest.constant - low // divisor * divisor, rest.terms)
        self.want_cuts(rest, divisor)
        return self.single(self.atom("remainder", 0, divisor - 1, (rest, Linear(divisor))))

    def want_cuts(self, form: Linear, divisor: int) -> None:
        """Note where variables would have to be cut for a division to come out."""
        if (form, divisor) in self._cut_for:
            return
        self._cut_for.add((form, divisor))
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

    def comparison(self, operation: str, a: Linear, b: Linear) -> Linear:
        difference = add(b, scaled(a, -1))
        low, high = self.bounds(difference)
        match operation:
            case "<" | "<=":
                least = 1 if operation == "<" else 0
                if low >= least:
                    return Linear(1)
                if high < least:
                    return Linear(0)
                return self.single(self.atom("positive", 0, 1, (add(difference, Linear(1 - least)),)))
            case "==" | "!=":
                if not low <= 0 <= high:
                    return Linear(int(operation == "!="))
                if low == high:
                    return Linear(int(operation == "=="))
                zero = self.single(self.atom("zero", 0, 1, (difference,)))
                return zero if operation == "==" else add(Linear(1), scaled(zero, -1))
        raise AssertionError(operation)

    def logical(self, operation: str, forms: list[Linear]) -> Linear:
        if operation == "~":
            if self.bounds(forms[0])[0] < 0 or self.bounds(forms[0])[1] > 1:
                return self.function(operation, 0, forms)
            return add(Linear(1), scaled(forms[0], -1))
        if operation == "where":
            condition, then, otherwise = forms
            if not condition.terms:
                return then if condition.constant else otherwise
            if then == otherwise:
                return then
            (a_low, a_high), (b_low, b_high) = self._chosen_bounds(condition, then, otherwise)
            atom = self.atom("where", min(a_low, b_low), max(a_high, b_high), (condition, then, otherwise))
            return self.single(atom)
        a, b = forms
        if any(self.bounds(form)[0] < 0 or self.bounds(form)[1] > 1 for form in forms):
            return self.function(operation, 0, forms)
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

    def function(self, operation: str, value: int | float | str, forms: list[Linear]) -> Linear:
        return self.single(self.atom("call", -WIDE, WIDE, (operation, value, *forms), opaque=True))
