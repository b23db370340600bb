"""The values of an index over all points where a mask holds, as images (module `distinct`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from perfcore.inductor.access.distinct import Image, image
from perfcore.inductor.access.enumeration import Columns, NoValueError
from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.linear import Budget, Linear
from perfcore.inductor.access.regions import Box, NotCountedError, boxes

MAX_POINTS: Final = 1 << 17
"""Points at which what is not linear is evaluated one by one."""


def images_of(
    space: IndexSpace, form: Linear, constraints: Iterable[Linear], budget: Budget, most_points: int
) -> list[Image]:
    """The exact set of values of `form` where the constraints hold.

    What is not linear is evaluated one by one at up to `most_points` points, and the whole set is bounded otherwise:
    raises NotCountedError and TooMuchWorkError."""
    found: list[Image] = []
    constraints = list(constraints)
    budget.spend(10 * len(constraints))
    for box, left in boxes(space, [form], constraints):
        made = _image_in_box(space, box, left, form, budget, most_points=most_points)
        if made is not None:
            found.append(made)
    return found


def _image_in_box(
    space: IndexSpace, box: Box, left: list[Linear], form: Linear, budget: Budget, *, most_points: int
) -> Image | None:
    budget.spend(len(box) + 1)
    symbol: list[tuple[str, int]] = []
    curved: list[tuple[int, int]] = []
    straight: dict[int, int] = {}
    for atom, coefficient in form.terms:
        match space.atoms[atom].kind:
            case "digit":
                straight[atom] = coefficient
            case "symbol":
                symbol.append((str(space.atoms[atom].payload[0]), coefficient))
            case _:
                curved.append((atom, coefficient))
    offset = form.constant
    scattered: list[list[int]] = []
    for digits, atoms, conditions in _components(space, curved, left):
        part = Linear(0, tuple(sorted([*atoms, *((d, straight.pop(d)) for d in digits if d in straight)])))
        values = _values(
            space, {digit: box[digit] for digit in digits}, part, conditions, budget, most_points=most_points
        )
        if not values:
            return None
        scattered.append(values)
    strides: list[tuple[int, int]] = []
    for digit, coefficient in straight.items():
        first, last = box[digit]
        offset += coefficient * first
        strides.append((coefficient, last - first + 1))
    return image(offset, strides, scattered, tuple(symbol))


def _components(
    space: IndexSpace, curved: list[tuple[int, int]], conditions: list[Linear]
) -> list[tuple[list[int], list[tuple[int, int]], list[Linear]]]:
    """Atoms and conditions grouped by the digits that they share: the groups are independent of each other."""
    groups: list[tuple[set[int], list[tuple[int, int]], list[Linear]]] = []
    items: list[tuple[set[int], list[tuple[int, int]], list[Linear]]] = [
        *((set(space.atoms[atom].digits), [(atom, c)], []) for atom, c in curved),
        *((set(space.digits_of(condition)), [], [condition]) for condition in conditions),
    ]
    for digits, atoms, left in items:
        sharing = [group for group in groups if not group[0].isdisjoint(digits)]
        groups = [group for group in groups if group[0].isdisjoint(digits)]
        groups.append(
            (
                digits.union(*(group[0] for group in sharing)),
                [*(atom for group in sharing for atom in group[1]), *atoms],
                [*(condition for group in sharing for condition in group[2]), *left],
            )
        )
    return [(sorted(digits), atoms, left) for digits, atoms, left in groups]


def _values(
    space: IndexSpace,
    ranges: Box,
    form: Linear,
    conditions: list[Linear],
    budget: Budget,
    *,
    most_points: int,
) -> list[int]:
    """The distinct values of `form` over all points of `ranges` where every condition is not negative."""
    points = math.prod(last - first + 1 for first, last in ranges.values())
    if points > most_points:
        raise NotCountedError("its index is not linear over too many elements")
    try:
        columns = Columns(space, ranges, budget)
        values = columns.form(form)
        if conditions:
            tests = [columns.form(condition) for condition in conditions]
            values = [value for value, *test in zip(values, *tests, strict=True) if min(test) >= 0]
    except NoValueError as error:
        raise NotCountedError(str(error)) from None
    return list(set(values))
