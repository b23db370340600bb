"""A trace file → `Trace`: the only way in. Bounded memory for a file of any size; it never raises on content."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perfcore.problem import Problem
from perfcore.trace import about
from perfcore.trace.chunks import Damaged, event_chunks
from perfcore.trace.events import TraceEvents
from perfcore.trace.keep import EventKeeper
from perfcore.trace.launches import link
from perfcore.trace.model import Trace
from perfcore.trace.outline import NotAnObject, read_keys
from perfcore.trace.stored import StoredTrace
from perfcore.trace.text import Text

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]


@dataclass(slots=True)
class TraceFile:
    """One file, read but not linked: what `link` needs, and what the file says about itself (`keys`)."""

    events: TraceEvents
    event_count: int = 0
    op_count: int = 0
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
    with bytes of the file as stored, `cancelled()` is polled, both after every 256 KiB of text. `captures`
    are traces recorded while the graphs were captured that this trace replays.
    Raises `Cancelled`; everything that is wrong with the file is in the trace's `problems`.
    """
    file = read_events(path, data=data, progress=progress, cancelled=cancelled)
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
) -> TraceFile:
    """The first half of `read_trace`: what the file holds, not yet linked."""
    name = os.fspath(path)
    try:
        stored = StoredTrace(name, data.encode() if isinstance(data, str) else data)
    except OSError as error:
        problem = Problem("trace-unreadable", "error", f"Cannot read {name}: {error.strerror}.", name)
        return TraceFile(TraceEvents(), complete=False, problems=[problem])
    try:
        return _read(name, Text(stored, progress, cancelled))
    finally:
        stored.close()


def _read(path: str, text: Text) -> TraceFile:
    keeper = EventKeeper()
    file = TraceFile(keeper.events)
    try:
        is_object = text.peek() == b"{"
        text.drop(1)
        if not is_object or read_keys(text, file.keys):
            for chunk in event_chunks(text):
                keeper.add(chunk)
        if is_object:
            read_keys(text, file.keys)
    except (Damaged, NotAnObject):
        file.complete = False
        file.problems.append(Problem("trace-damaged", "warning", "The trace is damaged.", path, text.start))
    keeper.finish()
    file.event_count, file.op_count, file.saw_shapes = keeper.event_count, keeper.op_count, keeper.saw_shapes
    file.text_bytes = text.start + len(text.window)
    return file
