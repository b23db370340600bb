"""Which GPU kernels belong to which Triton cpu_op, decided by evidence.

From the strongest evidence to the weakest:

1. a runtime call that stands inside the op on its thread and shares the kernel's `correlation`, or a flow that
   starts inside the op and ends at the kernel;
2. a runtime call with the op's `External id` that shares the kernel's `correlation` (also on another thread,
   or after the op has ended);
3. the op's `External id` on the kernel itself;
4. the op's own `correlation` (old profilers);
5. names and order of time, only where no ids of the two can be compared.

Ids are not unique in practice: sessions and ranks are merged into one file, and all kernels of a graph carry the
External id of the op that launched the graph. So evidence only proposes, and the kernel's name must agree with
the op's (`same_kernel`). Where several ops are equally likely, they and their kernels are paired in order of
time; where even that leaves a choice between different arguments, nothing is linked and the op says so.

Of the kernels under one op, those whose names agree are the launch, all of them, on whatever streams. Others
are what the launcher or the runtime did besides (a memset, a workspace fill, another kernel's benchmark) and are
named in a note, not counted. Only when no name agrees, a kernel that Triton could have compiled is taken
under its own name (combo kernels, a user's kernel), the last one launched, since launching is the last thing
that Inductor's launcher does. When a dozen runs of the same kernel stand under one op, or at least three with a
cache flush between them, they are a benchmark, and only the last is the launch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perfcore.problem import Note
from perfcore.trace.events import OpEvent, TraceEvents
from perfcore.trace.kernel_rows import KernelRows
from perfcore.trace.same_kernel import Agreement, agreement, is_inductor_name

_INSIDE, _CALL_ID, _KERNEL_ID, _OP_CORRELATION, _OPEN_ENDED = 16, 8, 4, 2, 1
_BENCHMARK_RUNS = 12
_FLUSHED_BENCHMARK_RUNS = 3

BY_ORDER = Note(
    "linked-by-order",
    "No ids in the trace tie this launch to its GPU kernel, so they are matched by name and order of time.",
)
AMBIGUOUS = Note(
    "ambiguous-link",
    "Several launches with different arguments share this launch's ids, and order of time cannot tell whose "
    "GPU kernel is whose.",
)
BENCHMARKED = Note(
    "benchmarked-in-launch",
    "Benchmark runs of the same kernel stand under this launch; only the last run is counted.",
)


@dataclass(slots=True)
class OpKernels:
    """The rows of `GpuKernelColumns` that one op launched, in order of time, and what is to be said of it."""

    rows: list[int] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(slots=True)
class OpLinks:
    """`kernels` runs parallel to `ops`; `benchmarks` are rows that ran under an op only to be timed."""

    ops: list[OpEvent]
    kernels: list[OpKernels]
    benchmarks: set[int] = field(default_factory=set)


def link_ops(events: TraceEvents, rows: KernelRows) -> OpLinks:
    """Link every op, once each (an event that stands twice in the file is one op)."""
    ops = _distinct(events.ops)
    return _Linker(events, rows, ops).link()


def _distinct(ops: Iterable[OpEvent]) -> list[OpEvent]:
    def order(op: OpEvent) -> tuple[int, int, str, int, int]:
        return (
            op.ts_ns,
            -1 if op.end_ns is None else op.end_ns,
            op.name,
            op.external_id,
            op.place.event_index,
        )

    kept: list[OpEvent] = []
    seen: set[tuple[object, ...]] = set()
    for op in sorted(ops, key=order):
        identity = (op.ts_ns, op.end_ns, op.name, op.thread, op.external_id, op.correlation)
        if identity not in seen:
            seen.add(identity)
            kept.append(op)
    return kept


class _Linker:
    """One run of linking: the indexes that its steps share."""

    def __init__(self, events: TraceEvents, rows: KernelRows, ops: list[OpEvent]) -> None:
        self.calls = events.calls
        self.flows = events.flows
        self.rows = rows
        self.ops = ops
        self.found = [OpKernels() for _ in ops]
        self.evidence: defaultdict[int, dict[int, int]] = defaultdict(dict)  # row → op → evidence
        self.besides: defaultdict[int, dict[int, int]] = defaultdict(
            dict
        )  # op → row of another name → evidence
        self.taken: set[int] = set()
        self.calling: set[int] = set()  # ops that hold a call with a correlation
        self.benchmarks: set[int] = set()
        self.agreements: dict[tuple[str, str], Agreement] = {}
        self.by_thread: defaultdict[int, list[int]] = defaultdict(list)
        self.by_external: defaultdict[int, list[int]] = defaultdict(list)
        for number, op in enumerate(ops):
            self.by_thread[op.thread].append(number)
            if op.external_id > 0:
                self.by_external[op.external_id].append(number)

    def link(self) -> OpLinks:
        self._gather()
        self._resolve()
        if len(self.flows.id) and not all(kernels.rows for kernels in self.found):
            self._gather_flows()
            self._resolve()
        self._settle()
        self._link_by_order()
        return OpLinks(self.ops, self.found, self.benchmarks)

    # evidence

    def _propose(self, row: int, op: int, evidence: int) -> None:
        if row not in self.rows.replayed:
            of_row = self.evidence[row]
            of_row[op] = of_row.get(op, 0) | evidence

    def _gather(self) -> None:
        rows, calls = self.rows, self.calls
        by_thread: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for call, (thread, correlation) in enumerate(zip(calls.thread, calls.correlation, strict=True)):
            if correlation > 0 and correlation not in rows.graph_correlations:
                if thread in self.by_thread:
                    by_thread[thread].append((calls.ts_ns[call], correlation, call))
                for op in self.by_external.get(calls.external_id[call], ()):
                    self.calling.add(op)
                    for row in rows.by_correlation.get(correlation, ()):
                        self._propose(row, op, _CALL_ID)
        for thread, of_thread in by_thread.items():
            of_thread.sort()
            inside = self._inside(thread, [ts for ts, _, _ in of_thread])
            for (_, correlation, _), (op, evidence) in zip(of_thread, inside, strict=True):
                if op >= 0:
                    self.calling.add(op)
                    for row in rows.by_correlation.get(correlation, ()):
                        self._propose(row, op, evidence)
        for row in rows.ordered:
            for op in self.by_external.get(rows.columns.external_id[row], ()):
                self._propose(row, op, _KERNEL_ID)
        for number, op_event in enumerate(self.ops):
            if op_event.correlation > 0:
                for row in rows.by_correlation.get(op_event.correlation, ()):
                    self._propose(row, number, _OP_CORRELATION)

    def _inside(self, thread: int, times: Sequence[int]) -> Iterator[tuple[int, int]]:
        """For each of the ascending times, the innermost op of the thread that it lies in (-1: none).

        An op without an end lasts until the next begins, which is weak evidence.
        """
        numbers = self.by_thread[thread]
        stack: list[int] = []
        following = 0
        for ts in times:
            while following < len(numbers) and self.ops[numbers[following]].ts_ns <= ts:
                stack.append(numbers[following])
                following += 1
            while stack and not self._lasts(stack[-1], ts, numbers, following):
                stack.pop()
            if not stack:
                yield -1, 0
            else:
                yield stack[-1], _OPEN_ENDED if _open_ended(self.ops[stack[-1]]) else _INSIDE

    def _lasts(self, op: int, ts: int, numbers: list[int], following: int) -> bool:
        event = self.ops[op]
        if _open_ended(event):
            return numbers[following - 1] == op
        return event.end_ns is not None and ts <= event.end_ns

    def _gather_flows(self) -> None:
        """Flows lead from a call (`s`) to a kernel (`f`); an `f` that stands at no kernel, as ROCm writes on
        the CPU's thread, says nothing."""
        rows, flows = self.rows, self.flows
        free = [row for row in rows.ordered if row not in self.taken and row not in rows.replayed]
        at = {(rows.columns.thread[row], rows.columns.ts_ns[row]): row for row in free}
        starts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for phase, flow, thread, ts in zip(flows.phase, flows.id, flows.thread, flows.ts_ns, strict=True):
            if phase == ord("s") and thread in self.by_thread:
                starts[thread].append((ts, flow))
        op_of_flow: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for thread, of_thread in starts.items():
            of_thread.sort()
            inside = self._inside(thread, [ts for ts, _ in of_thread])
            for (ts, flow), (op, evidence) in zip(of_thread, inside, strict=True):
                if op >= 0:
                    op_of_flow[flow].append((ts, op, evidence))
        for phase, flow, thread, ts in zip(flows.phase, flows.id, flows.thread, flows.ts_ns, strict=True):
            row = at.get((thread, ts))
            if phase != ord("s") and row is not None and flow in op_of_flow:
                before = [start for start in op_of_flow[flow] if start[0] <= ts] or op_of_flow[flow]
                _, op, evidence = max(before)
                self._propose(row, op, evidence)

    # decisions

    def agreement(self, op: int, row: int) -> Agreement:
        pair = (self.ops[op].name, self.rows.functions[row])
        known = self.agreements.get(pair)
        if known is None:
            known = self.agreements[pair] = agreement(*pair)
        return known

    def _take(self, op: int, row: int) -> None:
        self.found[op].rows.append(row)
        self.taken.add(row)

    def _resolve(self) -> None:
        tied: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for row, proposals in self.evidence.items():
            if row in self.taken:
                continue
            best: list[int] = []
            best_rank = (0, Agreement.FOREIGN)
            for op, evidence in proposals.items():
                agrees = self.agreement(op, row)
                if agrees >= Agreement.GENERIC:
                    rank = (evidence, agrees)
                    if rank > best_rank:
                        best, best_rank = [op], rank
                    elif rank == best_rank:
                        best.append(op)
            if len(best) == 1:
                self._take(best[0], row)
            elif best:
                tied[tuple(sorted(best))].append(row)
            elif (strongest := max(proposals.values())) > _OPEN_ENDED:
                likeliest = min(op for op, evidence in proposals.items() if evidence == strongest)
                self.besides[likeliest][row] = strongest
        for ops, rows in sorted(tied.items()):
            self._pair(ops, rows, several_each=True)
        self.evidence.clear()

    def _pair(self, ops: Sequence[int], rows: Iterable[int], *, several_each: bool) -> None:
        """Give the kernels of several equally likely ops to them in order of time, if that leaves no choice
        between different arguments."""
        without = [op for op in ops if not self.found[op].rows] or list(ops)
        units = self._units(rows)
        units_ts = [self.rows.columns.ts_ns[unit[0]] for unit in units]
        choice = _in_order([self.ops[op].ts_ns for op in without], units_ts)
        if choice is None:
            if len({(self.ops[op].name, self.ops[op].args) for op in without}) > 1:
                for op in without:
                    self.found[op].notes.append(AMBIGUOUS)
                return
            choice = _any_order([self.ops[op].ts_ns for op in without], units_ts, several_each=several_each)
        for unit, number in zip(units, choice, strict=False):
            if not several_each:
                self.found[without[number]].notes.append(BY_ORDER)
            for row in unit:
                self._take(without[number], row)

    def _units(self, rows: Iterable[int]) -> list[list[int]]:
        """Rows by order of time, those of one correlation together: they are one launch."""
        units: dict[int, list[int]] = {}
        for row in sorted(rows, key=self.rows.rank.__getitem__):
            correlation = self.rows.columns.correlation[row]
            units.setdefault(correlation if correlation > 0 else -1 - row, []).append(row)
        return list(units.values())

    def _settle(self) -> None:
        """Under each op: kernels in order, benchmarks apart, what ran besides named, or taken for want of
        a better."""
        besides_notes: dict[tuple[tuple[str, int], ...], Note] = {}
        for op, kernels in enumerate(self.found):
            besides = sorted(self.besides.get(op, ()), key=self.rows.rank.__getitem__)
            if not kernels.rows and besides:
                self._take_other(op, besides)
                besides = [row for row in besides if row not in self.taken]
            kernels.rows.sort(key=self.rows.rank.__getitem__)
            if len(kernels.rows) >= _FLUSHED_BENCHMARK_RUNS:
                self._set_benchmark_apart(kernels, besides)
            if kernels.rows and besides:
                counted = tuple(sorted(Counter(self.rows.functions[row] for row in besides).items()))
                kernels.notes.append(besides_notes.setdefault(counted, _besides_note(counted)))

    def _take_other(self, op: int, besides: list[int]) -> None:
        """Take the last kernel of another name that the op's own calls launched; by the External id alone,
        which others may share, only if there is no choice."""
        functions = self.rows.functions
        possible = [row for row in besides if self.agreement(op, row) == Agreement.OTHER]
        if not possible and len(besides) == 1 and is_inductor_name(functions[besides[0]]):
            possible = [row for row in besides if self.besides[op][row] >= _CALL_ID]
        launched = [row for row in possible if self.besides[op][row] >= _CALL_ID]
        possible = launched or (possible if len({functions[row] for row in possible}) == 1 else [])
        if possible:
            name = functions[possible[-1]]
            for row in possible:
                if functions[row] == name:
                    self._take(op, row)
            self.found[op].notes.append(
                Note("kernel-name-differs", f"The GPU kernel is called {name[:100]}.")
            )

    def _set_benchmark_apart(self, kernels: OpKernels, besides: list[int]) -> None:
        units = self._units(kernels.rows)
        times = [self.rows.columns.ts_ns[unit[0]] for unit in units]
        flushes = {bisect_right(times, self.rows.columns.ts_ns[row]) for row in besides}
        flushed = len(units) >= _FLUSHED_BENCHMARK_RUNS and all(
            gap in flushes for gap in range(1, len(units) - 1)
        )
        if flushed or len(units) >= _BENCHMARK_RUNS:
            kernels.rows = units[-1]
            kernels.notes.append(BENCHMARKED)
            self.benchmarks.update(row for unit in units[:-1] for row in unit)

    # names and order of time

    def _link_by_order(self) -> None:
        """Match what has no ids to compare: old traces, or traces whose ids a tool dropped."""
        columns = self.rows.columns
        called = set(self.calls.correlation)
        identified = {c for c, e in zip(self.calls.correlation, self.calls.external_id, strict=True) if e > 0}
        ops: defaultdict[tuple[str, bool, bool], list[int]] = defaultdict(list)
        for op, event in enumerate(self.ops):
            if not self.found[op].rows and AMBIGUOUS not in self.found[op].notes:
                ops[(event.name, event.external_id > 0, op in self.calling or event.correlation > 0)].append(
                    op
                )
        if not ops:
            return
        free: defaultdict[tuple[str, bool, bool], list[int]] = defaultdict(list)
        for row in self.rows.ordered:
            if (
                row not in self.taken
                and row not in self.rows.replayed
                and not self.rows.shares_correlation(row)
            ):
                correlation = columns.correlation[row]
                has_external = columns.external_id[row] > 0 or correlation in identified
                free[
                    (self.rows.functions[row], has_external, correlation > 0 and correlation in called)
                ].append(row)
        for named in (Agreement.CUT, Agreement.GENERIC):
            for (name, op_external, op_calls), of_name in ops.items():
                for (function, row_external, row_called), of_function in free.items():
                    comparable = (op_external and row_external) or (op_calls and row_called)
                    if not comparable and agreement(name, function) >= named:
                        left = [op for op in of_name if not self.found[op].rows]
                        rows = [row for row in of_function if row not in self.taken]
                        if left and rows:
                            self._pair(left, rows, several_each=False)


def _open_ended(op: OpEvent) -> bool:
    return op.end_ns is None or op.end_ns < op.ts_ns


def _in_order(ops: Sequence[int], kernels: Sequence[int]) -> list[int] | None:
    """Which op each kernel belongs to, by ascending times: one to one if there are as many; else each to the
    last op before it if no two meet there. None if that cannot be told. Kernels at time 0 have no time."""
    if len(ops) == len(kernels) and all(op <= ts or ts <= 0 for op, ts in zip(ops, kernels, strict=True)):
        return list(range(len(ops)))
    latest = [bisect_right(ops, ts) - 1 for ts in kernels]
    if latest and latest[0] >= 0 and len(set(latest)) == len(latest):
        return latest
    return None


def _any_order(ops: Sequence[int], kernels: Sequence[int], *, several_each: bool) -> list[int]:
    """Between ops with equal arguments any order is right: the nearest before it, or one kernel each."""
    if several_each:
        return [max(0, bisect_right(ops, ts) - 1) for ts in kernels]
    return list(range(min(len(ops), len(kernels))))


def _besides_note(counted: tuple[tuple[str, int], ...]) -> Note:
    names = ", ".join(f"{count} × {name[:60]}" for name, count in counted[:3])
    more = "…" if len(counted) > 3 else ""
    return Note("other-kernels", f"Not counted, since they are not this kernel: {names}{more}.")
