"""A loaded index: the elements that it can reach at most."""

from __future__ import annotations

from perfcore.inductor.access.distinct import Image, count_union, image
from perfcore.inductor.access.images import MAX_POINTS, images_of
from perfcore.inductor.access.linear import WIDE, Budget, Linear, linear
from perfcore.inductor.access.model import Access, Accesses
from perfcore.inductor.access.regions import Regions


class Gather:
    """One access whose index depends on data, in a space with its regions."""

    def __init__(self, accesses: Accesses, access: Access, regions: Regions, budget: Budget) -> None:
        self.accesses = accesses
        self.access = access
        self.space = regions.space
        self.alternatives = regions.of(access.mask).alternatives
        self.budget = budget

    def most(self, form: Linear) -> int | None:
        """At most one element for each different set of things that the index depends on; None where these are not
        known."""
        parts = self._sources(form)
        if parts is None:
            return None
        joined: dict[int, int] = {}
        factor = 1
        for part in parts:  # side by side in one number, so that different sets are different numbers
            for atom, coefficient in part.terms:
                joined[atom] = joined.get(atom, 0) + factor * coefficient
            low, high = self.space.bounds(part)
            factor *= high - low + 1
        found: dict[Image, None] = {}
        for constraints in self.alternatives:
            found.update(dict.fromkeys(self._images(linear(0, joined), constraints)))
        return count_union(found, self.budget)[0]

    def reachable(self, form: Linear) -> tuple[Image, ...] | None:
        """All elements that the index could take if what is loaded took every value of the range that a device_assert,
        a clamp or a wrapped negative index leaves to it; None where there is no such range."""
        asserted = self._asserted()
        free: list[tuple[int, int]] = []
        known: list[tuple[int, int]] = []
        offset = form.constant
        for atom, coefficient in form.terms:
            found = self.space.atoms[atom]
            if not found.opaque:
                known.append((atom, coefficient))
                continue
            low, high = asserted.get(atom, (-WIDE, WIDE))
            low, high = max(low, found.low), min(high, found.high)
            if low <= -WIDE or high >= WIDE:
                return None
            offset += coefficient * low
            free.append((coefficient, high - low + 1))
        images: dict[Image, None] = {}
        for constraints in self.alternatives:
            for one in self._images(Linear(offset, tuple(known)), constraints):
                images[image(one.offset, [*one.strides, *free], one.scattered, one.symbol)] = None
        return tuple(images)

    def _images(self, form: Linear, constraints: tuple[Linear, ...]) -> list[Image]:
        return images_of(self.space, form, constraints, self.budget, MAX_POINTS)

    def _sources(self, form: Linear) -> list[Linear] | None:
        """Forms without data that together determine a form with data: its own linear part, the index of each load in
        it (and the mask, unless the access has it too: where it does not hold, another value is loaded), the arguments
        of each unknown function, and so on down. None where something else plays a part."""
        space = self.space
        own_mask = _conjuncts(self.accesses, self.access.mask)
        found: dict[Linear, None] = {}
        waiting = [form]
        seen: set[Linear] = set()
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            own: list[tuple[int, int]] = []
            for atom, coefficient in one.terms:
                part = space.atoms[atom]
                if not part.opaque:
                    own += [(atom, coefficient)] if part.kind != "symbol" else []
                    continue
                inner = [operand for operand in part.payload if isinstance(operand, Linear)]
                if not inner:
                    return None
                waiting.extend(inner)
                if part.kind == "load":
                    mask = self._mask_of(part.payload[0])
                    if mask is not None and not _conjuncts(self.accesses, mask) <= own_mask:
                        holds = space.forms[mask]
                        if not isinstance(holds, Linear):
                            return None
                        waiting.append(holds)
            if own:
                found[Linear(0, tuple(own))] = None
        return list(found)

    def _mask_of(self, load: object) -> int | None:
        place = self.accesses.loads[load] if isinstance(load, int) else None
        return self.accesses.accesses[place].mask if place is not None else None

    def _asserted(self) -> dict[int, tuple[int, int]]:
        """The ranges of loaded values that the kernel's device_asserts give, where the access is not made at more
        points than the assertion."""
        ranges: dict[int, tuple[int, int]] = {}
        own = _conjuncts(self.accesses, self.access.mask)
        for assertion in self.accesses.asserted:
            if not _conjuncts(self.accesses, assertion.mask) <= own:
                continue
            value, lower, upper = (
                self.space.forms[node] for node in (assertion.value, assertion.lower, assertion.upper)
            )
            if (
                not isinstance(value, Linear)
                or not isinstance(lower, Linear)
                or not isinstance(upper, Linear)
            ):
                continue
            first, last = lower.constant, upper.constant - 1
            alone = value.constant == 0 and len(value.terms) == 1 and value.terms[0][1] == 1
            if alone and not lower.terms and not upper.terms and first <= last:
                ranges[value.terms[0][0]] = first, last
        return ranges


def _conjuncts(accesses: Accesses, mask: int | None) -> frozenset[int]:
    found: set[int] = set()
    waiting = [mask] if mask is not None else []
    while waiting:
        node = waiting.pop()
        operation, arguments, _ = accesses.nodes[node]
        if operation == "&":
            waiting.extend(arguments)
        elif not (operation == "<" and accesses.nodes[arguments[0]][:2] == ("var", (arguments[1],))):
            found.add(node)
    return frozenset(found)
