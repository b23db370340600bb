"""What ids and times say of which op launched which GPU kernel, before names have their say.

From the strongest evidence to the weakest: a runtime call inside the op on its thread with the kernel's
correlation, or a flow from inside the op to the kernel (INSIDE); a call with the op's External id and the kernel's
correlation, also on another thread or after the op (CALL_ID); the op's External id on the kernel (KERNEL_ID); the
op's own correlation, as old profilers wrote it (OP_CORRELATION); a call after an op that has no end (OPEN_ENDED).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perfcore.trace.events import NO_IDS, OpEvent, TraceEvents
from perfcore.trace.kernel_rows import KernelRows

INSIDE, CALL_ID, KERNEL_ID, OP_CORRELATION, OPEN_ENDED = 16, 8, 4, 2, 1
_START = ord("s")
_CROWD = 16
"""An id that more ops or calls than this share identifies nothing: a tool has lost what it stood for."""

Proposals = dict[int, dict[int, int]]
"""Row of a kernel → number of an op → the evidence for it, added up."""


@dataclass(slots=True)
class Evidence:
    """`calling` are the ops of which a launching call with a correlation is known. `no_external` and
    `no_correlation` are ids that identify nothing."""

    proposals: Proposals = field(default_factory=dict)
    calling: set[int] = field(default_factory=set)
    no_external: frozenset[int] = NO_IDS
    no_correlation: frozenset[int] = NO_IDS

    def propose(self, row: int, op: int, evidence: int) -> None:
        of_row = self.proposals.setdefault(row, {})
        of_row[op] = of_row.get(op, 0) | evidence


def by_ids(events: TraceEvents, rows: KernelRows, ops: Sequence[OpEvent]) -> Evidence:
    """Evidence from calls and ids. Kernels of a graph are left out: their ids are the graph launch's."""
    calls = events.calls
    found = Evidence(
        no_external=_crowded(op.external_id for op in ops),
        no_correlation=_crowded(calls.correlation) | _crowded(op.correlation for op in ops),
    )
    threads = _Threads(ops)
    by_external = _by_external_id(ops, found.no_external)
    for number, op in enumerate(ops):
        if op.correlation not in found.no_correlation:
            for row in rows.of_call(op.correlation):
                found.propose(row, number, OP_CORRELATION)
    timed: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    nothing, of_ops = found.no_correlation, threads.with_ops()
    for thread, ts, correlation, external in zip(
        calls.thread, calls.ts_ns, calls.correlation, calls.external_id, strict=True
    ):
        if correlation not in nothing:
            if thread in of_ops:
                timed[thread].append((ts, correlation))
            for number in by_external.get(external, ()):
                found.calling.add(number)
                for row in rows.of_call(correlation):
                    found.propose(row, number, CALL_ID)
    for thread, times in timed.items():
        for correlation, number, evidence in threads.inside(thread, times):
            found.calling.add(number)
            for row in rows.of_call(correlation):
                found.propose(row, number, evidence)
    for row, external in enumerate(rows.columns.external_id):
        if external in by_external and row not in rows.replayed:
            for number in by_external[external]:
                found.propose(row, number, KERNEL_ID)
    return found


def by_flows(
    events: TraceEvents, rows: KernelRows, ops: Sequence[OpEvent], free: Collection[int]
) -> Evidence:
    """Evidence from flows for the kernels that are still `free`. An end (`f`) that stands at no kernel, as ROCm
    writes it on the CPU's thread, says nothing."""
    found = Evidence()
    threads = _Threads(ops)
    of_ops = threads.with_ops()
    flows, calls = events.flows, events.calls
    timed: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    # A call on another thread names its op by External id.
    by_external = _by_external_id(ops, _crowded(op.external_id for op in ops))
    called = {
        (thread, ts): by_external[external]
        for thread, ts, external in zip(calls.thread, calls.ts_ns, calls.external_id, strict=True)
        if external in by_external
    }
    starts: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for phase, flow, thread, ts in zip(flows.phase, flows.id, flows.thread, flows.ts_ns, strict=True):
        if phase == _START:
            if thread in of_ops:
                timed[thread].append((ts, flow))
            for number in called.get((thread, ts), ()):
                starts[flow].append((ts, number, CALL_ID))
    for thread, times in timed.items():
        for flow, number, evidence in threads.inside(thread, times):
            starts[flow].append((ops[number].ts_ns, number, evidence))
    for of_flow in starts.values():
        of_flow.sort()
    kernels = _Starts(rows, free)
    for phase, flow, thread, ts in zip(flows.phase, flows.id, flows.thread, flows.ts_ns, strict=True):
        if phase != _START and flow in starts and (row := kernels.at(thread, ts)) is not None:
            before = bisect_right(starts[flow], (ts, len(ops), 0))
            _, number, evidence = starts[flow][before - 1]
            found.propose(row, number, evidence)
    return found


def _crowded(ids: Iterable[int]) -> frozenset[int]:
    return NO_IDS | {number for number, count in Counter(ids).items() if count > _CROWD}


def _by_external_id(ops: Sequence[OpEvent], nothing: Collection[int]) -> dict[int, list[int]]:
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for number, op in enumerate(ops):
        if op.external_id not in nothing:
            numbers[op.external_id].append(number)
    return dict(numbers)


class _Starts:
    """Where some kernels (in order) begin on the tracks they are drawn on, to which a flow's end binds."""

    def __init__(self, rows: KernelRows, some: Iterable[int]) -> None:
        self._rows = rows
        self._by_thread: defaultdict[int, list[int]] = defaultdict(list)
        for row in some:
            self._by_thread[rows.columns.thread[row]].append(row)

    def at(self, thread: int, ts: int) -> int | None:
        """The last kernel to begin at or before a time, if it lasts until then."""
        columns, of_thread = self._rows.columns, self._by_thread.get(thread, [])
        position = bisect_right(of_thread, ts, key=columns.ts_ns.__getitem__)
        if not position:
            return None
        row = of_thread[position - 1]
        start = columns.ts_ns[row]
        return row if start == ts or ts <= start + columns.dur_ns[row] else None


class _Threads:
    """The ops of each CPU thread, in order of time."""

    def __init__(self, ops: Sequence[OpEvent]) -> None:
        self._ops = ops
        self._numbers: defaultdict[int, list[int]] = defaultdict(list)
        for number, op in enumerate(ops):
            self._numbers[op.thread].append(number)

    def with_ops(self) -> Collection[int]:
        """The threads that have ops."""
        return self._numbers.keys()

    def inside(self, thread: int, times: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """For each (time, id) that lies in an op: the id, the innermost such op and how good the evidence is.

        An op without a believable end lasts until the next one begins.
        """
        ops, numbers = self._ops, self._numbers[thread]
        last = len(numbers)
        stack: list[tuple[int | None, int]] = []
        following = 0
        for ts, identifier in sorted(times):
            while following < last and ops[numbers[following]].ts_ns <= ts:
                op = ops[numbers[following]]
                end = None if op.end_ns is None or op.end_ns < op.ts_ns else op.end_ns
                stack.append((end, following))
                following += 1
            while stack:
                end, position = stack[-1]
                if end is None:
                    if position == following - 1:
                        yield identifier, numbers[position], OPEN_ENDED
                        break
                elif ts <= end:
                    yield identifier, numbers[position], INSIDE
                    break
                stack.pop()
