"""The loop variables at a place of a kernel's body: those of its blocks, and the rounds of its loops."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from perfcore.inductor.access.body import Definition, Place, UnreadableError, called_name
from perfcore.inductor.access.loop_variables import INDEX_NAME, is_block_loop, is_single, loop_variable
from perfcore.inductor.access.scopes import UnknownValueError, are_exclusive, definition_at

if TYPE_CHECKING:
    from perfcore.inductor.access.index_reader import IndexReader


class Variables(NamedTuple):
    """The loop variables at a place: `points` all of them, the points at which a statement runs; `tile` those of which
    a block holds more than one value, so that neighbouring threads differ in them."""

    points: tuple[int, ...]
    tile: tuple[int, ...]


class Loops:
    """What runs how often in the body that a reader reads."""

    def __init__(self, reader: IndexReader) -> None:
        self.reader = reader
        definitions = reader.body.definitions
        self._loop_places = {
            id(d.loop): Place(d.place.order, d.place.path[:-1])
            for several in definitions.values()
            for d in several
            if d.loop is not None
        }
        self._index_names = [name for name in definitions if INDEX_NAME.fullmatch(name)]
        self._index_orders = sorted(d.place.order for name in self._index_names for d in definitions[name])
        self._points: dict[tuple[int, tuple[int, ...]], Variables] = {}

    def variables_at(self, place: Place) -> Variables:
        """Every loop variable at a place."""
        key = bisect_left(self._index_orders, place.order), place.path
        known = self._points.get(key)
        if known is not None:
            return known
        found: list[int] = []
        single: set[int] = set()
        for name in self._index_names:
            definition = self._visible(name, place)
            prefix = loop_variable(self.reader.body, name, definition) if definition else None
            if definition is not None and prefix is not None:
                found.append(self.reader.variable(prefix, definition.place))
                if is_single(definition):
                    single.add(found[-1])
        for block in place.path:
            loop = self.reader.body.blocks[block].loop
            if loop is not None and not is_block_loop(loop):
                found.append(self.round_of(loop))
                single.add(found[-1])
        points = tuple(dict.fromkeys(found))
        variables = self._points[key] = Variables(points, tuple(v for v in points if v not in single))
        return variables

    def all_variables(self, place: Place) -> tuple[int, ...]:
        """Every loop variable of the kernel that is not another branch's: the most points at which a value that cannot
        be followed may differ."""
        found = [
            self.reader.variable(prefix, definition.place)
            for name in self._index_names
            for definition in self.reader.body.definitions[name]
            if (prefix := loop_variable(self.reader.body, name, definition)) is not None
            and not are_exclusive(self.reader.body, definition.place.path, place.path)
        ]
        return tuple(dict.fromkeys((*found, *self.variables_at(place).points)))

    def _visible(self, name: str, place: Place) -> Definition | None:
        try:
            return definition_at(self.reader.body, name, place)
        except UnknownValueError:
            return None

    def counter(self, name: str, loop: ast.For) -> int:
        """The value of a loop's counter: start + step × round."""
        if is_block_loop(loop):
            raise UnknownValueError(f"{name} is the start of a block")
        start, _, step = self._range(loop)
        binary = self.reader.expressions.binary
        return binary("+", start, binary("*", step, self.round_of(loop)))

    def round_of(self, loop: ast.For) -> int:
        """The variable that counts a loop's rounds, of which there must be a known number."""
        start, stop, step = self._range(loop)
        binary = self.reader.expressions.binary
        rounds = binary(
            "*", self.reader.expressions.integer(-1), binary("floordiv", binary("-", start, stop), step)
        )
        return self.reader.expressions.add(
            "var", (binary("max", rounds, self.reader.zero),), f"loop at line {loop.lineno}"
        )

    def _range(self, loop: ast.For) -> tuple[int, int, int]:
        call = loop.iter
        place = self._loop_places.get(id(loop))
        known = isinstance(call, ast.Call) and called_name(call) in ("range", "static_range") and call.args
        if place is None or not known or not isinstance(call, ast.Call):
            raise UnreadableError(
                "a loop over something else than a range", self.reader.body.first_line + loop.lineno - 1
            )
        numbers = [self.reader.number(argument, place) for argument in call.args[:3]]
        start = numbers[0] if len(numbers) > 1 else self.reader.zero
        stop = numbers[1] if len(numbers) > 1 else numbers[0]
        return start, stop, numbers[2] if len(numbers) > 2 else self.reader.expressions.integer(1)
