"""Where a mask holds: alternatives of linear constraints, and the boxes of digits in which they are met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.linear import Linear, add, scaled

MAX_BOXES: Final = 256
MAX_ALTERNATIVES: Final = 64
MAX_CONSTRAINTS: Final = 100

Box = dict[int, tuple[int, int]]
"""First and last value of each digit."""


class NotCountedError(Exception):
    """The exact set cannot be given; the message says why."""


class Region(NamedTuple):
    """Where a mask holds: alternatives of constraints, each a form that is not negative. `sure` is False where a
    condition was left out (it depends on data), so that the region is too large."""

    alternatives: tuple[tuple[Linear, ...], ...]
    sure: bool


EVERYWHERE: Final = Region(((),), True)
PERHAPS: Final = Region(((),), False)
NOWHERE: Final = Region((), True)


class Regions:
    """The regions of a space's masks, each worked out once."""

    def __init__(self, space: IndexSpace) -> None:
        self.space = space
        self._known: dict[tuple[int, bool], Region | None] = {}

    def of(self, mask: int | None) -> Region:
        """Raises NotCountedError where a mask has too many cases or conditions."""
        found = EVERYWHERE if mask is None else self._region(mask, True)
        if found is None:
            raise NotCountedError("its mask has too many cases")
        return found

    def _region(self, node: int, positive: bool) -> Region | None:
        key = node, positive
        if key not in self._known:
            self._known[key] = self._read(node, positive)
        return self._known[key]

    def _read(self, node: int, positive: bool) -> Region | None:
        operation, arguments, _ = self.space.nodes[node]
        if operation == "~":
            return self._region(arguments[0], not positive)
        if operation in ("&", "|"):
            a, b = (self._region(argument, positive) for argument in arguments)
            return None if a is None or b is None else _joined(a, b, both=(operation == "&") == positive)
        if operation in ("<", "<=", "==", "!="):
            return _comparison(self.space, operation, arguments, positive)
        form = self.space.forms[node]
        if not isinstance(form, Linear) or not _is_known(self.space, form) or self.space.bounds(form)[0] < 0:
            return PERHAPS
        return _kept(self.space, [(add(form, Linear(-1)) if positive else scaled(form, -1),)])


def _joined(a: Region, b: Region, *, both: bool) -> Region | None:
    if both:
        joined = [tuple(dict.fromkeys((*x, *y))) for x in a.alternatives for y in b.alternatives]
    else:
        joined = [*a.alternatives, *b.alternatives]
    found = tuple(dict.fromkeys(joined))
    if len(found) > MAX_ALTERNATIVES or any(len(constraints) > MAX_CONSTRAINTS for constraints in found):
        return None
    return Region(found, a.sure and b.sure)


def _comparison(space: IndexSpace, operation: str, arguments: tuple[int, ...], positive: bool) -> Region:
    left, right = arguments
    if operation == "<" and space.nodes[left][0] == "var" and space.nodes[left][1] == (right,):
        return EVERYWHERE if positive else NOWHERE
    a, b = space.forms[left], space.forms[right]
    if not isinstance(a, Linear) or not isinstance(b, Linear):
        return PERHAPS
    ahead = add(b, scaled(a, -1))
    if not _is_known(space, ahead):
        return PERHAPS
    behind = scaled(ahead, -1)
    one = Linear(-1)
    match (operation, positive):
        case ("<", True) | ("<=", False):
            ahead = add(ahead, one) if positive else add(behind, one)
            return _kept(space, [(ahead,)])
        case ("<=", True) | ("<", False):
            return _kept(space, [(ahead if positive else behind,)])
        case ("==", True) | ("!=", False):
            return _kept(space, [(ahead, behind)])
    return _kept(space, [(add(ahead, one),), (add(behind, one),)])


def _kept(space: IndexSpace, alternatives: list[tuple[Linear, ...]]) -> Region:
    """Without what always holds, and without alternatives that never do."""
    kept: list[tuple[Linear, ...]] = []
    for constraints in alternatives:
        bounds = [space.bounds(constraint) for constraint in constraints]
        if all(high >= 0 for _, high in bounds):
            kept.append(tuple(c for c, (low, _) in zip(constraints, bounds, strict=True) if low < 0))
    return Region(tuple(kept), True)


def _is_known(space: IndexSpace, form: Linear) -> bool:
    return not any(space.atoms[atom].opaque or space.atoms[atom].kind == "symbol" for atom, _ in form.terms)


def boxes(
    space: IndexSpace, forms: Iterable[Linear], constraints: Iterable[Linear]
) -> list[tuple[Box, list[Linear]]]:
    """The points of the digits that `forms` and `constraints` depend on, as boxes in which all constraints hold that
    are linear in digits, each with the constraints that are left over."""
    constraints = list(constraints)
    digits: set[int] = set()
    for form in (*forms, *constraints):
        digits |= space.digits_of(form)
    start: Box = {digit: (0, space.atoms[digit].high) for digit in sorted(digits)}
    done: list[tuple[Box, list[Linear]]] = [(start, [])]
    for constraint in (*_within_extents(space, digits), *constraints):
        done = [
            (box, left)
            for before, waiting in done
            for box, left in _restricted(space, before, waiting, constraint)
        ]
        if len(done) > MAX_BOXES:
            raise NotCountedError("its mask cuts the index space into too many parts")
    return done


def _within_extents(space: IndexSpace, digits: set[int]) -> Iterator[Linear]:
    """A variable whose size is no multiple of its highest cut does not reach all values of its digits."""
    variables = {variable for digit in digits if isinstance(variable := space.atoms[digit].payload[0], int)}
    for variable in sorted(variables):
        extent = space.extents[variable]
        form = Linear(
            extent - 1,
            tuple(sorted((atom, -weight) for atom, weight, _ in space.digits[variable] if atom in digits)),
        )
        if space.bounds(form)[0] < 0:
            yield form


def _restricted(
    space: IndexSpace, box: Box, waiting: list[Linear], constraint: Linear
) -> list[tuple[Box, list[Linear]]]:
    if any(space.atoms[atom].kind != "digit" for atom, _ in constraint.terms):
        return [(box, [*waiting, constraint])]
    parts = _split(box, constraint, MAX_BOXES)
    if parts is None:
        return [(box, [*waiting, constraint])]
    return [(part, waiting) for part in parts]


def _split(box: Box, constraint: Linear, most: int) -> list[Box] | None:
    """The parts of a box where constant + Σ coefficient·digit >= 0; None where that takes more than `most`."""
    constant = constraint.constant
    free: list[tuple[int, int]] = []
    for digit, coefficient in constraint.terms:
        first, last = box[digit]
        if first == last:
            constant += coefficient * first
        else:
            free.append((digit, coefficient))
    low = high = constant
    for digit, coefficient in free:
        ends = coefficient * box[digit][0], coefficient * box[digit][1]
        low += min(ends)
        high += max(ends)
    if low >= 0:
        return [box]
    if high < 0:
        return []
    digit, coefficient = max(free, key=lambda term: abs(term[1]))
    first, last = box[digit]
    ends = coefficient * first, coefficient * last
    rest_low, rest_high = low - min(ends), high - max(ends)
    if coefficient > 0:
        sure_from, maybe_from = -(rest_low // coefficient), -(rest_high // coefficient)
        sure = (max(first, sure_from), last)
        maybe = range(max(first, maybe_from), min(last, sure_from - 1) + 1)
    else:
        sure_to, maybe_to = rest_low // -coefficient, rest_high // -coefficient
        sure = (first, min(last, sure_to))
        maybe = range(max(first, sure_to + 1), min(last, maybe_to) + 1)
    parts = [{**box, digit: sure}] if sure[0] <= sure[1] else []
    if len(maybe) > most:
        return None
    for value in maybe:
        inner = _split({**box, digit: (value, value)}, constraint, most - len(parts))
        if inner is None:
            return None
        parts.extend(inner)
        if len(parts) > most:
            return None
    return parts
