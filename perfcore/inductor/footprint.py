"""One access at given numels → the set of elements that it touches; or a bound and the reason for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from perfcore.inductor.access_model import Access, Accesses
from perfcore.inductor.distinct import Image, count_union, image
from perfcore.inductor.images import images_of
from perfcore.inductor.index_space import (
    WIDE,
    Budget,
    Failure,
    IndexSpace,
    Linear,
    TooMuchWorkError,
    add,
    scaled,
)
from perfcore.inductor.regions import NotCountedError, region

MAX_CUTTING_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Footprint:
    """`images` is the set of elements touched, or one that holds it where `exact` is False; None where only `most`
    can be given, a number of elements that is not exceeded (None: not even that). `why` says why it is no exact
    set. `gathers`: the index was loaded."""

    images: tuple[Image, ...] | None
    exact: bool
    why: str = ""
    most: int | None = None
    gathers: bool = False
    masked: bool = False


NOTHING: Final = Footprint((), True)


class Footprints:
    """Footprints of one kernel's accesses for given numels and scalars."""

    def __init__(
        self, accesses: Accesses, numels: Mapping[str, int], scalars: Mapping[str, int], budget: Budget
    ) -> None:
        self.accesses = accesses
        self.budget = budget
        self._numels = numels
        self._scalars = scalars
        self._load_index: dict[int, int] = {}
        for load, place in enumerate(accesses.loads):
            index = accesses.accesses[place].index if place is not None else None
            if index is not None:
                self._load_index[load] = index
        self.space = self._settled({}, None)

    # -- spaces --------------------------------------------------------------------------------------------------

    def _settled(self, extents: Mapping[int, int], only: frozenset[int] | None) -> IndexSpace:
        """The space in which variables are cut wherever a division wants it and the cuts nest."""
        cuts: dict[int, list[int]] = {}
        for _ in range(MAX_CUTTING_ROUNDS):
            space = self._space(cuts, extents, only)
            wanted = {v: _chain({*cuts.get(v, ()), *places}) for v, places in space.wanted.items()}
            new = {**cuts, **wanted}
            if new == cuts:
                break
            cuts = new
        return space

    def _space(
        self, cuts: Mapping[int, Sequence[int]], extents: Mapping[int, int], only: frozenset[int] | None
    ) -> IndexSpace:
        self.budget.spend(len(self.accesses.nodes))
        return IndexSpace(
            self.accesses.nodes, self._numels, self._scalars, self._load_index, {}, cuts, extents, only
        )

    # -- one access ----------------------------------------------------------------------------------------------

    def of(self, access: Access) -> Footprint:
        if access.index is None:
            return Footprint(None, False, access.why, access.most)
        for point in access.points:
            form = self.space.forms[point]
            if isinstance(form, Failure):
                return Footprint(None, False, form.reason)
            if self.space.extents.get(point) == 0:
                return NOTHING
        form = self.space.forms[access.index]
        if isinstance(form, Failure):
            return Footprint(None, False, form.reason, self._points(access))
        if not isinstance(form, Linear):
            return Footprint(None, False, "its index is a floating-point number", self._points(access))
        try:
            if self.space.is_opaque(form):
                return self._gather(access, form)
            return self._direct(access, form)
        except NotCountedError as error:
            return self._bounded(access, form, str(error))
        except TooMuchWorkError:
            return self._bounded(access, form, "an exact count would take too long")

    def _direct(self, access: Access, form: Linear) -> Footprint:
        where = region(self.space, access.mask)
        found: list[Image] = []
        for constraints in where.alternatives:
            found.extend(images_of(self.space, form, constraints, self.budget))
        why = "" if where.sure else "its mask depends on loaded data"
        return Footprint(tuple(dict.fromkeys(found)), where.sure, why)

    def _points(self, access: Access) -> int:
        return math.prod(self.space.extents.get(point, 1) for point in access.points)

    def _bounded(self, access: Access, form: Linear, why: str) -> Footprint:
        """No more elements than points at which the index can differ, nor than places between its ends."""
        digits = self.space.digits_of(form)
        ways = math.prod(self.space.atoms[digit].high + 1 for digit in digits)
        low, high = self.space.bounds(form)
        return Footprint(None, False, why, min(ways, high - low + 1, self._points(access)))

    # -- gathers -------------------------------------------------------------------------------------------------

    def _gather(self, access: Access, form: Linear) -> Footprint:
        """A loaded index: at most one element for each different set of things that it depends on, and at most as
        many as the range that a device_assert or a clamp leaves."""
        return Footprint(None, False, "its index is loaded", self._points(access), gathers=True)


def _chain(cuts: set[int]) -> list[int]:
    """Those of the cuts, from the smallest up, that divide each other in turn."""
    chain: list[int] = []
    for cut in sorted(cuts):
        if cut % (chain[-1] if chain else 1) == 0:
            chain.append(cut)
    return chain
