"""`B` and `E` events: a begin and an end, written apart, that together are what an `X` event is alone."""

from __future__ import annotations

from array import array

from msgspec.structs import replace

from perfcore.trace.categories import KERNEL, OP
from perfcore.trace.events import ABSENT, TraceEvents


class Halves:
    """All begins and ends of a trace, as columns. They nest within a thread, so the ends of events that
    are not kept are needed to find the ends of those that are."""

    def __init__(self) -> None:
        self._is_end = array("b")
        self._thread = array("q")
        self._ts_ns = array("q")
        self._kind = array("b")
        self._row = array("q")

    def add(self, is_end: bool, thread: int, ts_ns: int, kind: int, row: int) -> None:
        """`row` is a kept begin's row among the kept events of its `kind`, ABSENT for others and for ends."""
        self._is_end.append(is_end)
        self._thread.append(thread)
        self._ts_ns.append(ts_ns)
        self._kind.append(kind)
        self._row.append(row)

    def close(self, events: TraceEvents) -> None:
        """Give each kept begin the duration to its end, by time within its thread whatever the order in
        the file; one without an end keeps no duration."""
        order = sorted(range(len(self._row)), key=lambda i: (self._thread[i], self._ts_ns[i]))
        open_begins: list[int] = []
        thread = ABSENT
        for i in order:
            if self._thread[i] != thread:
                thread = self._thread[i]
                open_begins.clear()
            if not self._is_end[i]:
                open_begins.append(i)
            elif open_begins:
                begin = open_begins.pop()
                if self._row[begin] != ABSENT:
                    _set_end(events, self._kind[begin], self._row[begin], self._ts_ns[begin], self._ts_ns[i])


def _set_end(events: TraceEvents, kind: int, row: int, start_ns: int, end_ns: int) -> None:
    if kind == OP:
        events.ops[row] = replace(events.ops[row], end_ns=end_ns)
    elif kind == KERNEL:
        events.kernels.dur_ns[row] = end_ns - start_ns
    else:
        events.calls.dur_ns[row] = end_ns - start_ns
