"""A trace file → `Trace`: the only way in. Bounded memory for a file of any size; it never raises on content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perfcore.problem import Problem
from perfcore.trace import about
from perfcore.trace.chunks import event_chunks
from perfcore.trace.damage import Damage
from perfcore.trace.events import TraceEvents
from perfcore.trace.keep import EventKeeper
from perfcore.trace.launches import link
from perfcore.trace.model import Launch, Trace
from perfcore.trace.outline import NotAnObject, begins_with_event, find_events, read_keys
from perfcore.trace.recognise import no_gpu_kernels, not_a_trace
from perfcore.trace.stored import StoredTrace
from perfcore.trace.text import Text

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WEAK_LINKS = {"linked-by-order", "ambiguous-link", "kernel-name-differs"}
_ENDS_BELIEVED = 1000
"""A `]` is believed to be a damaged byte in the middle of the events so many times without an event between."""

_OBJECT = re.compile(rb'\{\s*"')


@dataclass(slots=True)
class TraceFile:
    """One file, read but not linked: what `link` needs, and what the file says about itself (`keys`)."""

    events: TraceEvents
    event_count: int = 0
    op_count: int = 0
    flow_count: int = 0
    saw_shapes: bool = False
    keys: dict[str, Any] = field(default_factory=dict)
    text_bytes: int = 0
    complete: bool = True
    problems: list[Problem] = field(default_factory=list)


def read_trace(
    path: str | os.PathLike[str],
    *,
    data: bytes | str | None = None,
    progress: Progress | None = None,
    cancelled: Cancel | None = None,
    captures: Sequence[Trace] = (),
) -> Trace:
    """Read a Chrome trace of torch.profiler (plain or gzip, object or array form) and find its launches.

    `data` is read instead of the file, for a document open in an editor. `progress(done, total)` is called
    with bytes of the file as stored, `cancelled()` is polled, both after every 128 KiB of text. `captures`
    are traces recorded while the graphs were captured that this trace replays.
    Raises `Cancelled`; everything that is wrong with the file is in the trace's `problems`.
    """
    file = read_events(path, data=data, progress=progress, cancelled=cancelled, keep_flows=False)
    launches, problems = link(file.events, captures)
    if file.flow_count and _flows_may_help(file.events, launches):
        file = read_events(path, data=data, cancelled=cancelled)
        launches, problems = link(file.events, captures)
    return Trace(
        path=os.fspath(path),
        events=file.event_count,
        gpu_kernels=len(file.events.kernels.name),
        launches=launches,
        record_shapes=about.record_shapes(file.keys, file.op_count, file.saw_shapes),
        complete=file.complete,
        devices=about.devices(file.keys),
        host=about.host(file.keys),
        processes=about.processes(file.events),
        text_bytes=file.text_bytes,
        problems=(*file.problems, *(replace(problem, path=os.fspath(path)) for problem in problems)),
    )


def read_events(
    path: str | os.PathLike[str],
    *,
    data: bytes | str | None = None,
    progress: Progress | None = None,
    cancelled: Cancel | None = None,
    keep_flows: bool = True,
) -> TraceFile:
    """The first half of `read_trace`: what the file holds, not yet linked. Flows are as many as all else that is
    kept together, and say what ids say, too, in all but odd traces."""
    name = os.fspath(path)
    try:
        stored = StoredTrace(name, data.encode(errors="replace") if isinstance(data, str) else data)
    except OSError as error:
        problem = Problem("trace-unreadable", "error", f"Cannot read {name}: {error.strerror}.", name)
        return TraceFile(TraceEvents(), complete=False, problems=[problem])
    try:
        return _Reading(name, stored, progress, cancelled).read(EventKeeper(keep_flows))
    finally:
        stored.close()


def _flows_may_help(events: TraceEvents, launches: Sequence[Launch]) -> bool:
    """Whether launches are linked by less than ids, or a cpu_op without a GPU kernel and a kernel without a cpu_op
    are left that could belong together."""
    if any(note.code in _WEAK_LINKS for launch in launches for note in launch.notes):
        return True
    names = {launch.name for launch in launches if not launch.gpu_places}
    if not names:
        return False
    joined = {
        place.event_index
        for launch in launches
        if launch.place not in launch.gpu_places
        for place in launch.gpu_places
    }
    graphs = {launch.graph_id for launch in launches}
    texts, kernels = events.strings, events.kernels
    return any(
        index not in joined
        and correlation not in graphs
        and (texts[name] in names or "triton" in texts[name])
        for index, correlation, name in zip(
            kernels.event_index, kernels.correlation, kernels.name, strict=True
        )
    )


class _Reading:
    """One reading of one file."""

    def __init__(
        self, path: str, stored: StoredTrace, progress: Progress | None, cancelled: Cancel | None
    ) -> None:
        self._path = path
        self._stored = stored
        self._text = Text(stored, progress, cancelled)
        self._damage = Damage()
        self._keys: dict[str, Any] = {}
        self._is_object = False

    def read(self, keeper: EventKeeper) -> TraceFile:
        self._text.more()
        if self._text.window.startswith(_BYTE_ORDER_MARK):
            self._text.drop(len(_BYTE_ORDER_MARK))
        head = self._text.peek() and self._text.window[:64]
        inside = has_array = self._enter() or (self._is_object and self._enter_anyhow())
        barren = 0
        while inside and barren < _ENDS_BELIEVED:
            before = keeper.event_count
            inside = self._keep_events(keeper) and self._leave()
            barren = 0 if keeper.event_count > before else barren + 1
        if inside:
            self._damage.give_up(self._text.start)
        keeper.finish()
        self._damage.container = self._stored.damage
        return TraceFile(
            keeper.events,
            keeper.event_count,
            keeper.op_count,
            keeper.flow_count,
            keeper.saw_shapes,
            self._keys,
            self._text.start + len(self._text.window),
            has_array and self._damage.complete,
            self._problems(keeper, has_array, head),
        )

    def _problems(self, keeper: EventKeeper, has_array: bool, head: bytes) -> list[Problem]:
        damaged = self._damage.problem(self._path)
        if not has_array and self._damage.container is None:
            return [not_a_trace(self._path, head, self._keys if self._is_object else None)]
        if not keeper.phases and (keeper.event_count or damaged):
            if damaged and (self._is_object or not has_array):
                return [damaged]
            return [not_a_trace(self._path, head, self._keys if self._is_object else None)]
        missing = None if keeper.events.kernels.name else no_gpu_kernels(self._path)
        return [problem for problem in (damaged, missing) if problem is not None]

    def _keep_events(self, keeper: EventKeeper) -> bool:
        """Read the events up to the array's `]`; False when the text ends before it."""
        chunks = event_chunks(self._text, self._damage)
        while True:
            try:
                keeper.add(next(chunks))
            except StopIteration as stop:
                return bool(stop.value)

    def _enter(self) -> bool:
        """Read what stands before the events; True when the window stands before the first."""
        text, first = self._text, self._text.peek()
        self._is_object = first in (b"{", b'"') and not begins_with_event(text)
        if first == b"[":
            text.drop(1)
            return True
        try:
            if self._is_object:
                if first == b'"':
                    self._damage.mend(0, ["what stands before the events"])
                else:
                    text.drop(1)
                if read_keys(text, self._keys, self._damage):
                    return True
        except NotAnObject:
            pass
        start = text.start
        if not find_events(text):
            return False
        self._damage.mend(start, ["what stands before the events"])
        return True

    def _enter_anyhow(self) -> bool:
        """Look for events in the whole text once more: damage can hide them in the value of another key."""
        self._text.rewind()
        if not find_events(self._text):
            return False
        self._damage.mend(0, ["what stands before the events"])
        return True

    def _leave(self) -> bool:
        """Read what stands behind the events; True when the window stands before more events, since the
        `]` was none."""
        text = self._text
        start = text.start
        if self._is_object:
            keys: dict[str, Any] = {}
            try:
                again = read_keys(text, keys, self._damage)
                self._keys |= keys
                if again:
                    return True
            except NotAnObject:
                if text.ended and not _OBJECT.search(text.window):
                    self._damage.cut(text.start + len(text.window))
                    return False
        if text.peek() == b"":
            return False
        self._damage.mend(start, ["text behind the end of the events"])
        return True
