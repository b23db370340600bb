"""Which assignment to a name is in force at a place of a kernel's body."""

from __future__ import annotations

from perfcore.inductor.access.body import Body, Definition, Place


class UnknownValueError(Exception):
    """A value that cannot be followed. It is no failure of itself: it may be data, or a mask."""


def definition_at(body: Body, name: str, place: Place) -> Definition | None:
    """The last definition of `name` before `place`; None for a parameter or an unknown name.

    Raises UnknownValueError where that is in a loop or branch which has ended."""
    for definition in reversed(body.definitions.get(name, ())):
        order, path = definition.place
        if order < place.order and not are_exclusive(body, path, place.path):
            if path != place.path[: len(path)]:
                raise UnknownValueError(f"{name} is assigned in a loop or branch that has ended")
            return definition
    return None


def branches_before(body: Body, name: str, place: Place) -> tuple[Definition, Definition] | None:
    """The two definitions of `name` in the branches of an if statement that has ended before `place`."""
    before = [d for d in body.definitions.get(name, ()) if d.place.order < place.order]
    if len(before) < 2:
        return None
    first, last = before[-2:]
    outside = last.place.path[:-1]
    ended = first.place.path[:-1] == outside == place.path[: len(outside)]
    return (first, last) if ended and are_exclusive(body, first.place.path, last.place.path) else None


def are_exclusive(body: Body, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two blocks are branches of one if statement, so that never both run."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return body.blocks[a].group == body.blocks[b].group and body.blocks[a].loop is None
    return False


def carried(body: Body, name: str, found: Definition, place: Place) -> list[Definition]:
    """The definitions of `name` in the loops around `place` that `found` stands outside of: in a second round they
    are in force instead of `found`."""
    inside = place.path[len(found.place.path) :]
    loops = {block for block in inside if body.blocks[block].loop is not None}
    if not loops:
        return []
    return [d for d in body.definitions[name] if d is not found and not loops.isdisjoint(d.place.path)]
