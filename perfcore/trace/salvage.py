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

from perfcore.trace.categories import DROPPED, Categories
from perfcore.trace.chunk import GIVE_UP_AFTER, LARGEST_EVENT, SPACE, Chunk, error_byte, last_cut, value_end
from perfcore.trace.damage import Damage
from perfcore.trace.event_json import Event, decode_event, decode_events, decode_value
from perfcore.trace.mend import is_utf8, mend, mend_in_place
from perfcore.trace.positions import event_spans
from perfcore.trace.text import Text

_LOST_AT_ONCE = 100_000
"""Events lost one after the other, without any whole one, after which the rest is not searched."""

_MENDED_WITH_CARE = 100
_SINGLES = 64
_FIRST_SPAN = 4096
_LONGEST_GAP = 256
_PUNCTUATION = SPACE + b"{}[],:"
_OBJECT = re.compile(rb'\{\s*"')
_ARRAY_END = re.compile(rb'\](?=\s*(?:,\s*"|\}\s*\Z))')
_HALF_START = re.compile(rb"\{\s*\Z")
_EVENT_KEY = re.compile(rb'\{?\s*"(?:ph|name|cat|ts|pid|tid)"\s*:')
_ARGS = re.compile(rb'"args"\s*:')
_BLANK = re.compile(rb"[\x00-\x20,]*")
_OTHER_ELEMENT = re.compile(
    rb'(?:null|true|false|-?[0-9][-+.eE0-9]{0,40}|"[^"\\]{0,999}(?:\\.[^"\\]{0,999}){0,99}")(?=\s*[,\]])',
    re.DOTALL,
)

Place = Literal["array ended", "between events", "at an event", "text ended"]


def salvage(text: Text, damage: Damage) -> Generator[Chunk, None, Place]:
    """What is whole in the window, up to where the text is sound again, and where the window then stands:
    between two events of the array, as before, behind the array's `]`, or at the end of the text."""
    salvager = _Salvager(text, damage)
    place: Place = "at an event"
    while place == "at an event":
        place, stuck = yield from salvager.run()
        if stuck:
            place = yield from salvager.singles()
    if salvager.lost_before:
        yield Chunk(b"[]", text.start, [], salvager.lost_before)
    text.drop(salvager.position)
    return place


def _half_start(window: bytes) -> int:
    """Where an object may begin whose first key is not in the window yet."""
    found = _HALF_START.search(window, max(0, len(window) - _LONGEST_GAP))
    return found.start() if found else len(window)


class _Salvager:
    """`position` is where it stands in the window; `lost_before` counts events lost since the last chunk."""

    def __init__(self, text: Text, damage: Damage) -> None:
        self.position = 0
        self.lost_before = 0
        self._text = text
        self._damage = damage
        self._window = b""
        self._mended_window = b""
        self._categories = Categories()
        self._barren = 0
        self._after_event = False

    @property
    def _mended(self) -> bytes:
        """The window, mended in place."""
        if self._window is not self._text.window:
            self._window, self._mended_window = self._text.window, mend_in_place(self._text.window)
        return self._mended_window

    def run(self) -> Generator[Chunk, None, tuple[Place, bool]]:
        """All events up to the last cut, or up to one that does not decode; True when stuck at that."""
        start = self.position
        end = len(self._mended) if self._text.ended else last_cut(self._mended, len(self._mended))
        place: Place = "between events"
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

    def singles(self) -> Generator[Chunk, None, Place]:
        """Event by event, until one was lost and the next is found, or for a while."""
        for _ in range(_SINGLES):
            position = self._next_element()
            first = self._mended[position : position + 1]
            if not first:
                self._damage.cut(self._offset(position))
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
                if self._is_stray(position):
                    return self._find_event(position)
                self._lose(position)
                return self._find_event(position + 1)
            end, event = found
            yield self._chunk(position, end, [event])
            self.position = end
            self._after_event = True
        return "at an event"

    def _next_element(self) -> int:
        """Stand at the next byte that is neither white space nor a comma, past elements that are no objects."""
        commas = 0
        while True:
            window = self._text.window
            blank = _BLANK.match(window, self.position)
            if blank and blank.end() > self.position:
                commas += blank[0].count(b",")
                self.position = blank.end()
            other = _OTHER_ELEMENT.match(window, self.position)
            if other:
                self.lost_before += 1
                self.position = other.end()
                commas = 0
            elif self.position < len(window) or not self._grow():
                self._check_commas(commas)
                return self.position

    def _check_commas(self, commas: int) -> None:
        """Between two events there is one comma, before the array's end none."""
        expected = self._after_event and self._text.window[self.position : self.position + 1] == b"{"
        if commas != expected and self.position < len(self._text.window):
            self._damage.mend(self._offset(self.position), [f"a {'stray' if commas else 'missing'} comma"])
        self._after_event = False

    def _find_event(self, start: int) -> Place:
        """Look for the next event from `start` on, and stand there."""
        if start == self.position:  # no object begins here
            if _EVENT_KEY.match(self._mended, start):
                self._lose(start)
            else:
                self._damage.mend(self._offset(start), ["stray text between events"])
        while True:
            cut = None
            window = self._text.window
            for match in _OBJECT.finditer(window, start):
                found = self._event_at(match.start())
                if isinstance(found, tuple) and found[1].ph:
                    self.position = match.start()
                    return "at an event"
                if found == "cut" and cut is None:
                    cut = match.start()
                elif found == "broken" and _EVENT_KEY.match(window, match.start()):
                    self._lose(match.start())
                    if self.lost_before > _LOST_AT_ONCE:
                        return self._give_up(match.start())
            if cut is not None and len(window) - cut > LARGEST_EVENT:
                self._lose(cut)
                start = cut + 1
                continue
            self.position = max(start, _half_start(window)) if cut is None else cut
            self._barren += self.position
            if self._barren > GIVE_UP_AFTER:
                return self._give_up(self.position)
            if not self._grow():
                return self._last_end(start) if cut is None else self._cut()
            start = 0

    def _last_end(self, start: int) -> Place:
        """No event follows: find the array's `]`, behind which nothing but keys may stand."""
        window = self._text.window
        for match in _ARRAY_END.finditer(window, start):
            try:
                decode_value(b'{"":0' + window[match.start() + 1 :])
            except (msgspec.DecodeError, RecursionError):
                continue
            self.position = match.start() + 1
            return "array ended"
        return self._end()

    def _any_event_from(self, start: int) -> bool:
        for match in _OBJECT.finditer(self._text.window, start):
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

    def _is_stray(self, position: int) -> bool:
        """Whether nothing but brackets and the like stands between here and the next object."""
        following = _OBJECT.search(self._text.window, position)
        return (
            following is not None
            and following.start() > position
            and not (self._text.window[position : following.start()].strip(_PUNCTUATION))
        )

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
        commas = original.count(b",") - max(0, len(events) - 1)
        for number, (first, end) in enumerate(event_spans(body, len(events))):
            text = original[first:end]
            commas -= text.count(b",")
            if text == body[first:end]:
                continue
            offset = self._offset(start + first - 1)
            event = decode_event(text) if is_utf8(text) else None
            kinds: list[str] | None = None
            if event is None and self._is_dropped(events[number]) and self._damage.mended > _MENDED_WITH_CARE:
                event, kinds = events[number], []
            elif event is None:
                text, kinds = mend(text)
                event = decode_event(text)
            if event is None:
                self._damage.lose(offset)
            elif kinds is not None:
                self._damage.mend(offset, kinds)
            events[number] = event or Event()
        if commas > 0:
            self._damage.mend(self._offset(start), ["a stray comma"])

    def _is_dropped(self, event: Event) -> bool:
        return event.ph == "X" and self._categories[event.cat] == DROPPED

    def _grow(self) -> bool:
        """Forget what is behind and double what is ahead; False, and nothing changed, at the end of the text."""
        length = len(self._text.window)
        if not self._text.more():
            return False
        self._text.drop(self.position)
        ahead = length - self.position
        self.position = 0
        while len(self._text.window) <= 2 * ahead and self._text.more():
            pass
        return True

    def _lose(self, position: int) -> None:
        self._damage.lose(self._offset(position))
        self.lost_before += 1

    def _cut(self) -> Place:
        """The event at `position` is not finished when the text ends."""
        self.lost_before += 1
        place = self._end()
        self._damage.cut(self._offset(self.position))
        return place

    def _give_up(self, position: int) -> Place:
        self._damage.give_up(self._offset(position))
        self._text.stop()
        return self._end()

    def _end(self) -> Place:
        self.position = len(self._text.window)
        return "text ended"

    def _offset(self, position: int) -> int:
        return self._text.start + position
