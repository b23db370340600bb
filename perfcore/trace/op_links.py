"""Which GPU kernels belong to which Triton cpu_op.

Ids are not unique in practice: sessions and ranks are merged into one file, and all kernels of a graph carry the
External id of the op that launched the graph. So ids only propose (`evidence`), and the kernel's name must agree
with the op's (`same_kernel`). Where several ops are equally likely, they and their kernels are paired in order
of time; where even that leaves a choice between different arguments, nothing is linked and the op says so.
Where op and kernel have no ids that could be compared (old traces, or a tool dropped them), names and order of time
link them alone, and the launch says so.

Of the kernels under one op, those whose names agree are the launch, all of them, on whatever streams. Others
are what the launcher or the runtime did besides (a memset, a workspace fill, another kernel's benchmark) and are
named in a note, not counted. Only when no name agrees, a kernel that Triton could have compiled is taken
under its own name (combo kernels, a user's kernel): the last one launched, since launching is the last thing
that Inductor's launcher does. When a dozen runs of the same kernel stand under one op, or at least three with
another kernel (a cache flush) after each, they are a benchmark, and only the last is the launch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from perfcore.problem import Note
from perfcore.trace.by_order import in_order, same_launches, unidentified
from perfcore.trace.events import ABSENT, NO_IDS, OpEvent, TraceEvents
from perfcore.trace.evidence import CALL_ID, OPEN_ENDED, Evidence, by_flows, by_ids
from perfcore.trace.kernel_rows import KernelRows
from perfcore.trace.same_kernel import Agreement, agreement, is_inductor_name
from perfcore.trace.time_order import by_time

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
    """`kernels` runs parallel to `ops`, which are in order of time. `benchmarks` are rows that ran under an op
    only to be timed."""

    ops: list[OpEvent]
    kernels: list[OpKernels]
    benchmarks: set[int] = field(default_factory=set)


def link_ops(events: TraceEvents, rows: KernelRows) -> OpLinks:
    """Link every op, once each (an event that stands twice in the file is one op)."""
    ops = _distinct(events)
    linker = _Linker(rows, ops)
    evidence = by_ids(events, rows, ops)
    linker.decide(evidence)
    if len(events.flows.id) and not all(kernels.rows for kernels in linker.found):
        linker.decide(by_flows(events, rows, ops, linker.free()))
    linker.settle()
    if not all(kernels.rows for kernels in linker.found):
        linker.link_by_order(events, evidence)
    return OpLinks(ops, linker.found, linker.benchmarks)


def _distinct(events: TraceEvents) -> list[OpEvent]:
    def said(number: int) -> tuple[object, ...]:
        """All that tells two ops of one time apart, so that only the same event goes by its place."""
        op = events.ops[number]
        args = op.args
        return (
            -1 if op.end_ns is None else op.end_ns,
            op.name,
            op.external_id,
            op.correlation,
            events.threads[op.thread],
            args.concrete_inputs or (),
            args.input_dims or (),
            args.input_types or (),
            args.kernel_kwargs,
            op.place.event_index,
        )

    kept: list[OpEvent] = []
    seen: set[tuple[object, ...]] = set()
    for number in by_time([op.ts_ns for op in events.ops], said):
        op = events.ops[number]
        identity = (op.ts_ns, op.end_ns, op.name, op.thread, op.external_id, op.correlation, id(op.args))
        if identity not in seen:
            seen.add(identity)
            kept.append(op)
    return kept


class _Linker:
    """`found` is what is linked so far, `besides` what ran under an op under a name that does not agree."""

    def __init__(self, rows: KernelRows, ops: Sequence[OpEvent]) -> None:
        self.rows = rows
        self.ops = ops
        self.found = [OpKernels() for _ in ops]
        self.benchmarks: set[int] = set()
        self._besides: defaultdict[int, dict[int, int]] = defaultdict(dict)  # op → row → evidence
        self._taken: set[int] = set()
        self._agreements: dict[tuple[str, str], Agreement] = {}

    def free(self) -> list[int]:
        """Kernels, in order of time, that no op has and no graph launched."""
        return [
            row
            for row in range(len(self.rows.functions))
            if row not in self._taken and row not in self.rows.replayed
        ]

    def decide(self, evidence: Evidence) -> None:
        """Give each kernel to the op that most speaks for, among those whose names agree."""
        tied: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for row, proposals in evidence.proposals.items():
            if row in self._taken:
                continue
            ranks = {
                op: (weight, agrees)
                for op, weight in proposals.items()
                if (agrees := self._agreement(self.ops[op].name, self.rows.functions[row]))
                >= Agreement.GENERIC
            }
            if ranks:
                best = max(ranks.values())
                likely = (
                    ranks if len(ranks) == 1 else sorted(op for op, rank in ranks.items() if rank == best)
                )
                tied[tuple(likely)].append(row)
            elif (strongest := max(proposals.values())) > OPEN_ENDED:
                likeliest = min(op for op, weight in proposals.items() if weight == strongest)
                self._besides[likeliest][row] = strongest
        for ops, rows in sorted(tied.items(), key=lambda tie: (len(tie[0]), tie[0])):
            if len(ops) == 1:
                for row in rows:
                    self._take(ops[0], row)
            else:
                self._pair(ops, rows)

    def _agreement(self, op_name: str, function: str) -> Agreement:
        pair = (op_name, function)
        known = self._agreements.get(pair)
        if known is None:
            known = self._agreements[pair] = agreement(op_name, function)
        return known

    def _take(self, op: int, row: int) -> None:
        self.found[op].rows.append(row)
        self._taken.add(row)

    def _pair(self, ops: Iterable[int], rows: Iterable[int]) -> None:
        """Share the kernels of several equally likely ops among them in order of time."""
        without = [op for op in ops if not self.found[op].rows] or list(ops)
        starts = [self.ops[op].ts_ns for op in without]
        units = self._units(rows)
        singly = [[row] for unit in units for row in unit]
        if len(singly) == len(without):  # a correlation that several ops share groups nothing
            units = sorted(singly)
        times = [self.rows.columns.ts_ns[unit[0]] for unit in units]
        choice = in_order(starts, times)
        if choice is None and same_launches(self.ops[op] for op in without):
            choice = [max(0, bisect_right(starts, ts) - 1) for ts in times]
        if choice is None:
            for op in without:
                self.found[op].notes.append(AMBIGUOUS)
            return
        for unit, number in zip(units, choice, strict=True):
            for row in unit:
                self._take(without[number], row)

    def _units(self, rows: Iterable[int]) -> list[list[int]]:
        """Rows by order of time, those of one call together: they are one launch."""
        columns = self.rows.columns
        units: dict[tuple[int, int], list[int]] = {}
        for row in sorted(rows):
            correlation = columns.correlation[row]
            units.setdefault(
                (correlation, columns.device[row]) if correlation not in NO_IDS else (row, ABSENT), []
            ).append(row)
        return list(units.values())

    def settle(self) -> None:
        """Under each op: kernels in order, benchmarks apart, and what ran besides is named, or taken for want
        of a better."""
        notes: dict[tuple[tuple[str, int], ...], Note] = {}
        for op, kernels in enumerate(self.found):
            besides = sorted(self._besides.get(op, ()))
            if not kernels.rows and besides:
                self._take_other(op, besides)
                besides = [row for row in besides if row not in self._taken]
            kernels.rows.sort()
            if len(kernels.rows) >= _FLUSHED_BENCHMARK_RUNS:
                self._set_benchmark_apart(kernels, besides)
            if kernels.rows and besides:
                counted = tuple(sorted(Counter(self.rows.functions[row] for row in besides).items()))
                kernels.notes.append(notes.setdefault(counted, _besides_note(counted)))

    def _take_other(self, op: int, besides: list[int]) -> None:
        """Take the last kernel of another name that the op's own calls launched; by the External id alone,
        which others may share, only if there is no choice."""
        functions = self.rows.functions
        weights = self._besides[op]
        possible = [r for r in besides if self._agreement(self.ops[op].name, functions[r]) == Agreement.OTHER]
        if not possible and len(besides) == 1 and is_inductor_name(functions[besides[0]]):
            possible = [row for row in besides if weights[row] >= CALL_ID]
        launched = [row for row in possible if weights[row] >= CALL_ID]
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
        flushed = len(units) >= _FLUSHED_BENCHMARK_RUNS and flushes.issuperset(range(1, len(units) - 1))
        if flushed or len(units) >= _BENCHMARK_RUNS:
            kernels.rows = units[-1]
            kernels.notes.append(BENCHMARKED)
            self.benchmarks.update(row for unit in units[:-1] for row in unit)

    def link_by_order(self, events: TraceEvents, evidence: Evidence) -> None:
        """Match what has no ids to compare by names and order of time."""
        left = [
            op for op, kernels in enumerate(self.found) if not kernels.rows and AMBIGUOUS not in kernels.notes
        ]
        free = [row for row in self.free() if not self.rows.shares_correlation(row)]
        for op, row in list(unidentified(events, self.rows, self.ops, evidence, left=left, free=free)):
            self._take(op, row)
            self.found[op].notes.append(BY_ORDER)


def _besides_note(counted: tuple[tuple[str, int], ...]) -> Note:
    names = ", ".join(f"{count} × {name[:60]}" for name, count in counted[:3])
    more = "…" if len(counted) > 3 else ""
    return Note("other-kernels", f"Not counted, since they are not this kernel: {names}{more}.")
