"""Variables that matter only through one sum: r + 8146·x under a division by 700 is one variable of [0, 44·8146).

A split reduction flattens its rows and splits them anew, so that no cut of r or x alone makes the index linear. But
the set of addresses depends on the sum's values only, and these are often all the numbers of a range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.linear import Linear


def joined_extents(space: IndexSpace, forms: Iterable[Linear]) -> dict[int, int] | None:
    """New sizes of variables (by node) under which `forms` take the same values: one variable of a sum stands for the
    whole sum and the others for nothing. None where no sum is everywhere in the place of its variables.

    `space` must be one without cuts, where each variable is one digit."""
    leaves = [dict(leaf.terms) for form in forms for leaf in _leaves(space, form)]
    for candidate in leaves:
        if len(candidate) > 1 and all(_is_multiple(leaf, candidate) for leaf in leaves):
            extents = _as_one(space, candidate)
            if extents is not None:
                return extents
    return None


def _leaves(space: IndexSpace, form: Linear) -> Iterator[Linear]:
    """The linear parts over digits that a form is made of, outside and inside of its atoms."""
    waiting = [form]
    seen: set[Linear] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        digits = tuple(term for term in one.terms if space.atoms[term[0]].kind == "digit")
        if digits:
            yield Linear(0, digits)
        for atom, _ in one.terms:
            waiting.extend(part for part in space.atoms[atom].payload if isinstance(part, Linear))


def _is_multiple(leaf: dict[int, int], candidate: dict[int, int]) -> bool:
    """Whether the leaf has the candidate's digits not at all, or all of them in the same proportion."""
    shared = [digit for digit in candidate if digit in leaf]
    if not shared:
        return True
    if len(shared) < len(candidate):
        return False
    first = shared[0]
    return all(leaf[digit] * candidate[first] == leaf[first] * candidate[digit] for digit in shared)


def _as_one(space: IndexSpace, candidate: dict[int, int]) -> dict[int, int] | None:
    """The sizes, where the candidate's values are all multiples of its smallest coefficient up to its largest value."""
    if min(candidate.values()) < 0:
        return None
    ordered = sorted(candidate.items(), key=lambda term: term[1])
    pivot, unit = ordered[0]
    reach = 0
    for digit, coefficient in ordered:
        times, rest = divmod(coefficient, unit)
        if rest or times > reach + 1:
            return None
        reach += times * space.atoms[digit].high
    variables = {digit: space.atoms[digit].payload[0] for digit in candidate}
    extents = {variable: 1 for variable in variables.values() if isinstance(variable, int)}
    chosen = variables[pivot]
    if not isinstance(chosen, int):
        return None
    extents[chosen] = reach + 1
    return extents
