"""Events out of text that is not JSON: damage costs the events that it touches, never their neighbours.

The clean path never comes here. What can be mended in place is mended (`mend`); then events are taken a run
at a time, and where one does not decode, the next is looked for. Outside of the damage no string can hold a
bare `{"`, so each `{"` there begins an object, and one with a phase is the next event.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Literal

import msgspec

from perfcore.trace.chunk import LARGEST_EVENT, SPACE, Chunk, error_byte, last_cut, value_end
from perfcore.trace.damage import Damage
from perfcore.trace.event_json import Event, decode_event, decode_events, decode_value
from perfcore.trace.mend import mend, mend_in_place
from perfcore.trace.positions import event_spans
from perfcore.trace.text import Text

GIVE_UP_AFTER = 256 * 1024 * 1024
"""Bytes without any event, after which the rest of a text is not searched: it is a bomb, not a trace."""

_SINGLES = 64
_FIRST_SPAN = 4096
_LONGEST_GAP = 256
_OBJECT = re.compile(rb'\{\s*"')
_EVENT_KEY = re.compile(rb'\{?\s*"(?:ph|name|cat|ts|pid|tid)"\s*:')
_ARGS = re.compile(rb'"args"\s*:')
_OTHER_ELEMENT = re.compile(
    rb'(?:null|true|false|-?[0-9][-+.eE0-9]*|"(?:[^"\\]|\\.)*")(?=\s*[,\]])', re.DOTALL
)

_Place = Literal["array ended", "between events", "at an event", "text ended"]


def salvage(text: Text, damage: Damage) -> Generator[Chunk, None, bool]:
    """What is whole in the window, up to where the text is sound again.

    Before and after, the window stands between two events of the array. True when it stands behind the
    array's `]` instead.
    """
    said, start = damage.lost + damage.mended, text.start
    salvager = _Salvager(text, damage)
    place: _Place = "at an event"
    while place == "at an event":
        place, stuck = yield from salvager.run()
        if stuck:
            place = yield from salvager.singles()
    if salvager.lost_before:
        yield Chunk(b"[]", text.start, [], salvager.lost_before)
    text.drop(salvager.position)
    if damage.lost + damage.mended == said and damage.cut_at is None:
        damage.mend(start, ["what stands between events"])
    return place == "array ended"


class _Salvager:
    """`position` is where it stands in the window; `lost_before` counts events lost since the last chunk."""

    def __init__(self, text: Text, damage: Damage) -> None:
        self.position = 0
        self.lost_before = 0
        self._text = text
        self._damage = damage
        self._mended = mend_in_place(text.window)
        self._barren = 0

    def run(self) -> Generator[Chunk, None, tuple[_Place, bool]]:
        """All events up to the last cut, or up to one that does not decode; True when stuck at that."""
        start = self.position
        end = len(self._mended) if self._text.ended else last_cut(self._mended, len(self._mended))
        place: _Place = "between events"
        stuck = False
        events = self._decode(start, end)
        if isinstance(events, Exception):
            whole = value_end(events, b"[" + self._mended[start:end] + b"]")
            byte = error_byte(events)
            if whole is not None:
                place, end = "array ended", start + whole - 2
            else:
                place, stuck = "at an event", True
                end = start if byte is None else last_cut(self._mended, start + byte - 1)
            events = self._decode(start, end)
        if isinstance(events, Exception):
            return "at an event", True
        yield self._chunk(start, end, events)
        self.position = end + (self._mended[end : end + 1] in (b",", b"]"))
        return place, stuck

    def singles(self) -> Generator[Chunk, None, _Place]:
        """Event by event, until one was lost and the next is found, or for a while."""
        for _ in range(_SINGLES):
            position = self._next_element()
            first = self._mended[position : position + 1]
            if not first:
                return "text ended"
            if first == b"]":
                self.position += 1
                return "array ended"
            if first != b"{":
                return self._find_event(position)
            found = self._event_at(position)
            if found == "cut" and not self._any_event_from(position + 1):
                if len(self._mended) - position < LARGEST_EVENT and self._grow():
                    continue
                if self._text.ended:
                    return self._cut()
            if not isinstance(found, tuple) or not self._is_whole(*found):
                self._lose(position)
                return self._find_event(position + 1)
            end, event = found
            yield self._chunk(position, end, [event])
            self.position = end
        return "at an event"

    def _next_element(self) -> int:
        """Stand at the next byte that is neither white space nor a comma, past elements that are no objects."""
        while True:
            rest = self._mended[self.position : self.position + _LONGEST_GAP]
            blank = len(rest) - len(rest.lstrip(SPACE + b","))
            if blank:
                self.position += blank
            elif not rest:
                if not self._grow():
                    return self.position
            elif other := _OTHER_ELEMENT.match(self._mended, self.position):
                self.lost_before += 1
                self.position = other.end()
            else:
                return self.position

    def _find_event(self, start: int) -> _Place:
        """Look for the next event from `start` on, and stand there."""
        if start == self.position:  # no object begins here
            if _EVENT_KEY.match(self._mended, start):
                self._lose(start)
            else:
                self._damage.mend(self._offset(start), ["stray text between events"])
        while True:
            cut = None
            for match in _OBJECT.finditer(self._mended, start):
                found = self._event_at(match.start())
                if isinstance(found, tuple) and found[1].ph:
                    self.position = match.start()
                    return "at an event"
                if found == "cut" and cut is None:
                    cut = match.start()
                elif found == "broken" and _EVENT_KEY.match(self._mended, match.start()):
                    self._lose(match.start())
            if cut is not None and len(self._mended) - cut > LARGEST_EVENT:
                self._lose(cut)
                start = cut + 1
                continue
            self.position = max(start, len(self._mended) - _LONGEST_GAP) if cut is None else cut
            self._barren += self.position
            if self._barren > GIVE_UP_AFTER:
                self._damage.give_up(self._offset(self.position))
                self._text.stop()
            if not self._grow():
                return self._end() if cut is None else self._cut()
            start = 0

    def _any_event_from(self, start: int) -> bool:
        for match in _OBJECT.finditer(self._mended, start):
            found = self._event_at(match.start())
            if isinstance(found, tuple) and found[1].ph:
                return True
        return False

    def _event_at(self, position: int) -> tuple[int, Event] | Literal["cut", "broken"]:
        """Where the event ends that begins here, and the event; "cut" when the window ends before it does."""
        span = _FIRST_SPAN
        while True:
            piece = self._mended[position : position + span]
            try:
                end = position + len(decode_value(piece))
                break
            except (msgspec.DecodeError, RecursionError) as error:
                length = value_end(error, piece)
                if length is not None:
                    end = position + length
                    break
                byte = error_byte(error)
                if isinstance(error, RecursionError) or (byte is not None and byte < len(piece)):
                    return "broken"
            if position + span >= len(self._mended):
                return "cut"
            span *= 4
        event = decode_event(self._mended[position:end])
        return "broken" if event is None else (end, event)

    def _is_whole(self, end: int, event: Event) -> bool:
        """Whether an object that ends here is a whole event: not if its arguments follow, as they do when a
        damaged byte became its `}`."""
        after = self._mended[end : end + _LONGEST_GAP].lstrip(SPACE)
        if after[:1] in b",]{}" or bytes(event.args):
            return True
        following = _OBJECT.search(self._mended, end)
        return not _ARGS.search(self._mended, end, following.end() if following else len(self._mended))

    def _decode(self, start: int, end: int) -> list[Event] | Exception:
        if end < start:
            return ValueError("no cut")
        try:
            return decode_events(b"[" + self._mended[start:end] + b"]")
        except (msgspec.DecodeError, RecursionError) as error:
            return error

    def _chunk(self, start: int, end: int, events: list[Event]) -> Chunk:
        body = b"[" + self._mended[start:end] + b"]"
        self._mend_events(body, start, events)
        lost, self.lost_before = self.lost_before, 0
        self._barren = 0
        return Chunk(body, self._text.start + start - 1, events, lost)

    def _mend_events(self, body: bytes, start: int, events: list[Event]) -> None:
        """Put those events right that only look right in the text that was mended in place."""
        original = b"[" + self._text.window[start : start + len(body) - 2] + b"]"
        if original == body:
            return
        for number, (first, end) in enumerate(event_spans(body, len(events))):
            if original[first:end] != body[first:end]:
                text, kinds = mend(original[first:end])
                event = decode_event(text)
                if event is None:
                    self._damage.lose(self._offset(start + first - 1))
                elif kinds:
                    self._damage.mend(self._offset(start + first - 1), kinds)
                events[number] = event or Event()

    def _grow(self) -> bool:
        """Forget what is behind and double what is ahead; False at the end of the text."""
        self._text.drop(self.position)
        self.position = 0
        length = len(self._text.window)
        while len(self._text.window) <= 2 * length and self._text.more():
            pass
        self._mended = mend_in_place(self._text.window)
        return len(self._mended) > length

    def _lose(self, position: int) -> None:
        self._damage.lose(self._offset(position))
        self.lost_before += 1

    def _cut(self) -> _Place:
        """The event at `position` is not finished when the text ends."""
        self.lost_before += 1
        place = self._end()
        self._damage.cut(self._offset(self.position))
        return place

    def _end(self) -> _Place:
        self.position = len(self._text.window)
        return "text ended"

    def _offset(self, position: int) -> int:
        return self._text.start + position
