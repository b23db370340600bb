"""Linear forms over atoms, and what else a node may be once numbers are put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

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

    size: int = 1
    """How many operations it is made of, shared ones counted wherever they stand."""


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


def is_too_wide(form: Linear) -> bool:
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


def parts_of(payload: Iterable[object]) -> list[Linear]:
    return [part for part in payload if isinstance(part, Linear)]


def linear_parts(operand: Real | Linear) -> list[Linear]:
    if isinstance(operand, Linear):
        return [operand]
    return [part for inner in operand.operands for part in linear_parts(inner)]
