"""One access at given numels → the set of elements that it touches; or a bound and the reason for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from perfcore.inductor.access.distinct import Image
from perfcore.inductor.access.gather import Gather
from perfcore.inductor.access.images import MAX_POINTS, images_of
from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.joined import joined_extents
from perfcore.inductor.access.linear import NO_GRID, WIDE, Budget, Failure, Linear, TooMuchWorkError, parts_of
from perfcore.inductor.access.model import Access, Accesses
from perfcore.inductor.access.regions import NotCountedError, Regions

MAX_CUTTING_ROUNDS: Final = 8
STEPS_A_NODE: Final = 20
TOO_LONG: Final = "an exact count would take too long"
FEW_POINTS: Final = 2048
"""So many points are evaluated one by one rather than looking for a better way to write an index."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """`images` is the set of elements touched, or one that holds it where `exact` is False; None where only `most`
    can be given, a number of elements that is not exceeded (None: not even that). `why` says why it is no exact
    set. `gathers`: the index was loaded; `masked`: the access is made at part of its points; `by_grid`: it goes as far
    as the launch grid does."""

    images: tuple[Image, ...] | None
    exact: bool
    why: str = ""
    most: int | None = None
    gathers: bool = False
    masked: bool = False
    by_grid: bool = False


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
        self.regions = Regions(self.space)

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
        self.budget.spend(STEPS_A_NODE * len(only or self.accesses.nodes))
        return IndexSpace(
            self.accesses.nodes,
            self._numels,
            self._scalars,
            self._load_index,
            cuts=cuts,
            extents=extents,
            only=only,
        )

    # -- one access ----------------------------------------------------------------------------------------------

    def of(self, access: Access) -> Footprint:
        if access.index is None:
            return Footprint(None, False, access.why, access.most)
        if any(self.space.extents.get(point) == 0 for point in access.points):
            return NOTHING
        form = self.space.forms[access.index]
        if isinstance(form, Failure) and form is NO_GRID:
            return self._masked_grid(access)
        if isinstance(form, Failure):
            return Footprint(None, False, form.reason)
        if not isinstance(form, Linear):
            return Footprint(None, False, "its index is a floating-point number", self.points(access))
        try:
            if self.space.is_opaque(form):
                return self._gathered(access, form)
            return self._exactly(access)
        except NotCountedError as error:
            return self._bounded(access, form, str(error))
        except (TooMuchWorkError, RecursionError):
            return self._bounded(access, form, TOO_LONG)

    def _exactly(self, access: Access) -> Footprint:
        """The set of an index that depends on no data: with cuts that suit the whole kernel, where these leave little
        to evaluate point by point; else with this access's own, or with variables joined."""
        self.regions.of(access.mask)  # a mask with too many cases has them in every space
        try:
            return self._counted(self.space, access, FEW_POINTS)
        except NotCountedError:
            pass
        own = self._own_nodes(access)
        joined = self._joined(access, own)
        if joined is not None:
            try:
                return self._counted(joined, access, MAX_POINTS)
            except NotCountedError:
                pass
        return self._counted(self._settled({}, own), access, MAX_POINTS)

    def _masked_grid(self, access: Access) -> Footprint:
        """An index that counts up with the programs, as far as its mask lets it (users' kernels and templates)."""
        own = self._own_nodes(access)
        limits: dict[int, int] = {}
        waiting = [access.mask] if access.mask is not None else []
        while waiting:
            operation, arguments, _ = self.accesses.nodes[waiting.pop()]
            if operation == "&":
                waiting.extend(arguments)
            elif operation == "<" and self.accesses.nodes[arguments[0]][:2] == ("var", ()):
                limit = self.space.forms[arguments[1]]
                if isinstance(limit, Linear) and not limit.terms:
                    limits[arguments[0]] = max(limit.constant, 0)
        if 0 in limits.values():
            return NOTHING
        try:
            found = self._counted(self._settled(limits, own), access, MAX_POINTS)
            return replace(found, by_grid=True)
        except NotCountedError as error:
            return Footprint(None, False, str(error))
        except (TooMuchWorkError, RecursionError):
            return Footprint(None, False, TOO_LONG)

    def _counted(self, space: IndexSpace, access: Access, most_points: int) -> Footprint:
        form = space.forms[access.index or 0]
        if not isinstance(form, Linear):
            raise NotCountedError(getattr(form, "reason", "its index is not linear"))
        where = (self.regions if space is self.space else Regions(space)).of(access.mask)
        found: dict[Image, None] = {}
        for constraints in where.alternatives:
            found.update(dict.fromkeys(images_of(space, form, constraints, self.budget, most_points)))
        why = "" if where.sure else "its mask depends on loaded data"
        masked = not where.sure or where.alternatives != ((),)
        return Footprint(tuple(found), where.sure, why, masked=masked)

    def _own_nodes(self, access: Access) -> frozenset[int]:
        waiting = [node for node in (access.index, access.mask) if node is not None]
        found: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting.extend(self.accesses.nodes[node][1])
        self.budget.spend(5 * len(found))
        return frozenset(found)

    def _joined(self, access: Access, own: frozenset[int]) -> IndexSpace | None:
        plain = self._space({}, {}, own)
        form = plain.forms[access.index or 0]
        if not isinstance(form, Linear):
            return None
        constraints = {c for alternative in Regions(plain).of(access.mask).alternatives for c in alternative}
        extents = joined_extents(plain, [form, *constraints])
        return None if extents is None else self._settled(extents, own)

    def steps(self, access: Access) -> dict[str, int]:
        """By how many elements the index moves from one value of each tiled loop variable to the next; {} where that
        depends on data or on the place."""
        form = self.space.forms[access.index] if access.index is not None else None
        if not isinstance(form, Linear):
            return {}
        coefficients = dict(form.terms)
        curved: set[int] = set()
        for atom in coefficients:
            if self.space.atoms[atom].kind != "digit":
                curved |= self.space.atoms[atom].digits
        steps: dict[str, int] = {}
        for variable in access.tile:
            lowest = next((atom for atom, _, size in self.space.digits.get(variable, ()) if size > 1), None)
            if lowest in curved:
                return {}
            if lowest is not None:
                steps[str(self.accesses.nodes[variable][2])] = coefficients.get(lowest, 0)
        return steps

    def points(self, access: Access) -> int | None:
        """At how many points the access runs; None where that is not known."""
        if not access.points:
            return None
        return math.prod(self.space.extents.get(point, WIDE) for point in access.points)

    def _bounded(self, access: Access, form: Linear, why: str) -> Footprint:
        """No more elements than points at which the index can differ, nor than places between its ends."""
        digits = self.space.digits_of(form)
        ways = math.prod(self.space.atoms[digit].high + 1 for digit in digits)
        low, high = self.space.bounds(form)
        return Footprint(None, False, why, min(ways, high - low + 1))

    def _gathered(self, access: Access, form: Linear) -> Footprint:
        gather = Gather(self.accesses, access, self.regions, self.budget)
        most = min((n for n in (self.points(access), gather.most(form)) if n is not None), default=None)
        why = (
            "its index is loaded from memory"
            if self._loads(form)
            else "its index depends on what is not known"
        )
        return Footprint(gather.reachable(form), False, why, most, gathers=self._loads(form))

    def _loads(self, form: Linear) -> bool:
        """Whether a load plays a part in an index."""
        waiting, seen = [form], {form}
        while waiting:
            for number, _ in waiting.pop().terms:
                atom = self.space.atoms[number]
                if atom.kind == "load":
                    return True
                new = {part for part in parts_of(atom.payload) if part not in seen}
                seen |= new
                waiting.extend(new)
        return False


def _chain(cuts: set[int]) -> list[int]:
    """Those of the cuts, from the smallest up, that divide each other in turn."""
    chain: list[int] = []
    for cut in sorted(cuts):
        if cut % (chain[-1] if chain else 1) == 0:
            chain.append(cut)
    return chain
