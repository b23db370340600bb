"""Where each launch's events stand in the trace's text, and which launch stands at a place.

A launch has the place of its cpu_op and of each of its GPU kernels. Places are packed into machine integers
(line << 32 | column): a trace may hold a hundred thousand launches.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inductor_lens.text_index import CHUNK, Spot, spots
from perfcore.trace.model import Launch, Place

_NAME = re.compile(rb'"name"\s*:\s*("(?:[^"\\]|\\.)*")')
_FILE = re.compile(rb'"kernel_file"\s*:\s*("(?:[^"\\]|\\.)*")')
_BOUNDS = 6
"""Places kept of each event: its start, its name's start and end, its kernel file's start and end, its end."""


class EventRange(NamedTuple):
    """One event of a launch: `launch` is the index in `Trace.launches`, `main` False for the GPU kernels of a
    launch that also has a cpu_op. `name` is where its name stands (the whole event where that is not known),
    `file` where the path of its kernel file does."""

    launch: int
    main: bool
    start: Spot
    end: Spot
    name: tuple[Spot, Spot]
    file: tuple[Spot, Spot] | None


class LaunchPlaces:
    """The events of all launches in the order of the text."""

    def __init__(self, launches: Iterable[Launch], chunks: Iterable[bytes], text: bytes | None) -> None:
        """`chunks` is the text; `text` is the same in one piece where names are to be found in it."""
        events = sorted(_events(launches), key=lambda event: event[0].offset)
        self._launches = array("q", (launch if main else ~launch for _, launch, main in events))
        bounds = spots(chunks, _offsets((place for place, _, _ in events), text))
        self._bounds = array("Q", (line << 32 | column for line, column in bounds))
        self._starts = self._bounds[::_BOUNDS]
        self._main = {launch: index for index, launch in enumerate(self._launches) if launch >= 0}

    def at(self, line: int, column: int) -> EventRange | None:
        """The event that the place lies in, if it is a launch's."""
        index = bisect_right(self._starts, _pack(line, column)) - 1
        if index < 0 or self._bounds[_BOUNDS * index + _BOUNDS - 1] < _pack(line, column):
            return None
        return self._event(index)

    def within(self, start: Spot, end: Spot) -> Iterator[EventRange]:
        """The events that begin from `start` to `end`, and the one that `start` lies in."""
        first = bisect_right(self._starts, _pack(*start)) - 1
        first = max(first, 0)
        for index in range(first, bisect_left(self._starts, _pack(*end) + 1)):
            if self._bounds[_BOUNDS * index + _BOUNDS - 1] >= _pack(*start):
                yield self._event(index)

    def of(self, launch: int) -> EventRange | None:
        """Where the launch itself stands."""
        index = self._main.get(launch)
        return None if index is None else self._event(index)

    def of_launches(self, launches: Iterable[int]) -> Iterator[EventRange]:
        """All events of some launches, in the order of the text."""
        wanted = set(launches)
        for index, launch in enumerate(self._launches):
            if (launch if launch >= 0 else ~launch) in wanted:
                yield self._event(index)

    def with_files(self) -> Iterator[EventRange]:
        """The events that name their kernel's file."""
        for index in range(len(self._launches)):
            event = self._event(index)
            if event.file is not None:
                yield event

    def _event(self, index: int) -> EventRange:
        bounds = self._bounds[_BOUNDS * index : _BOUNDS * (index + 1)]
        start, name, name_end, file, file_end, end = map(_unpack, bounds)
        launch = self._launches[index]
        is_main = launch >= 0
        path = (file, file_end) if file != file_end else None
        return EventRange(launch if is_main else ~launch, is_main, start, end, (name, name_end), path)


def text_chunks(text: bytes) -> Iterator[bytes]:
    """A text in memory as chunks."""
    return (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))


def _events(launches: Iterable[Launch]) -> Iterator[tuple[Place, int, bool]]:
    for index, launch in enumerate(launches):
        yield launch.place, index, True
        for place in launch.gpu_places:
            if place.offset != launch.place.offset:
                yield place, index, False


def _offsets(places: Iterable[Place], text: bytes | None) -> Iterator[int]:
    """Ascending: the bounds of each event."""
    for place in places:
        start, end = place.offset, place.offset + place.length
        if text is None:
            yield from (start, start, end, end, end, end)
            continue
        event = text[start:end]
        name, name_end = _value(_NAME, event, 0) or (0, len(event))
        file, file_end = _value(_FILE, event, name_end) or (len(event), len(event))
        yield from (start, start + name, start + name_end, start + file, start + file_end, end)


def _value(key: re.Pattern[bytes], event: bytes, after: int) -> tuple[int, int] | None:
    """Where a key's string stands in an event, without its quotes."""
    found = key.search(event, after)
    return (found.start(1) + 1, found.end(1) - 1) if found else None


def _pack(line: int, column: int) -> int:
    return min(line, 0x7FFFFFFF) << 32 | min(column, 0xFFFFFFFF)


def _unpack(bound: int) -> Spot:
    return bound >> 32, bound & 0xFFFFFFFF
