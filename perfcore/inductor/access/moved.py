"""Accesses and numels → what is moved: distinct elements read and written a pointer, and bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from perfcore.inductor.access.distinct import count_union
from perfcore.inductor.access.footprint import TOO_LONG, Footprint, Footprints
from perfcore.inductor.access.linear import Budget, TooMuchWorkError
from perfcore.inductor.access.model import Access, Accesses, Moved, Traffic
from perfcore.inductor.access.notes import access_notes
from perfcore.inductor.access.same_index import SameIndex

STEPS: Final = 3_000_000


def moved(
    accesses: Accesses,
    numels: Mapping[str, int],
    *,
    scalars: Mapping[str, int] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Moved:
    """What a launch with these numels moves.

    `numels` by prefix (x, y, z, r0_, r1_); those that stand as constants in the body need not be given, and give way
    where they are. `scalars` are other integer parameters (`ks0`) by name, `shapes` the sizes of tensors by pointer
    parameter, which bound what a gather can reach.
    """
    budget = Budget(STEPS)
    try:
        footprints = Footprints(accesses, numels, scalars or {}, budget)
    except (TooMuchWorkError, RecursionError):
        pointers = [(p, size) for p, size in accesses.pointers if p not in accesses.workspaces]
        return Moved(
            tuple(Traffic(p, size, None, None, False, False, TOO_LONG) for p, size in pointers), None, False
        )
    by_pointer: dict[str, list[tuple[Access, Footprint]]] = {}
    for access in accesses.accesses:
        by_pointer.setdefault(access.pointer, []).append((access, footprints.of(access)))
    same = SameIndex(accesses)
    traffic = tuple(
        _traffic(
            pointer, size, by_pointer.get(pointer, []), (shapes or {}).get(pointer), same=same, budget=budget
        )
        for pointer, size in accesses.pointers
        if pointer not in accesses.workspaces
    )
    counted = [one.bytes_moved for one in traffic]
    notes = access_notes(footprints, by_pointer, traffic, shapes or {})
    return Moved(
        traffic,
        None if any(count is None for count in counted) else sum(count or 0 for count in counted),
        all(one.read_exact and one.written_exact for one in traffic),
        notes,
    )


def _traffic(
    pointer: str,
    size: int | None,
    touched: list[tuple[Access, Footprint]],
    shape: tuple[int, ...] | None,
    *,
    same: SameIndex,
    budget: Budget,
) -> Traffic:
    elements = math.prod(shape) if shape is not None else None
    element_bytes = next((access.element_bytes for access, _ in touched if access.element_bytes), size)
    read, read_exact, why_read = _count(
        [(a, f) for a, f in touched if a.kind != "write"], elements, same, budget
    )
    written, written_exact, why_written = _count(
        [(a, f) for a, f in touched if a.kind != "read"], elements, same, budget
    )
    return Traffic(pointer, element_bytes, read, written, read_exact, written_exact, why_read or why_written)


def _count(
    touched: list[tuple[Access, Footprint]], elements: int | None, same: SameIndex, budget: Budget
) -> tuple[int | None, bool, str]:
    """(distinct elements, whether that is exact, why not). The least of the bounds that hold, where it is none."""
    footprints = [footprint for _, footprint in touched]
    whole = [image for one in footprints if one.images is not None for image in one.images]
    if all(one.exact for one in footprints):
        count, exact = count_union(whole, budget)
        if exact:
            return count, True, ""
        return min(count, elements or count), False, TOO_LONG
    why = next(one.why for one in footprints if not one.exact)
    bounds = [elements] if elements is not None else []
    if all(one.images is not None for one in footprints):
        bounds.append(count_union(whole, budget)[0])
    rough: dict[tuple[object, ...], int] = {}
    for access, one in touched:
        if one.most is not None:
            key = same.key(access)
            rough[key] = max(one.most, rough.get(key, 0))
    fine = [one for one in footprints if one.most is None]
    if all(one.images is not None for one in fine):
        known = [image for one in fine if one.images is not None for image in one.images]
        bounds.append(count_union(known, budget)[0] + sum(rough.values()))
    return min(bounds, default=None), False, why
