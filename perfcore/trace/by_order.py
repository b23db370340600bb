"""Ops and kernels paired by order of time, where ids leave it open or the trace has none that can be compared."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from perfcore.trace.events import OpEvent, TraceEvents
from perfcore.trace.evidence import Evidence
from perfcore.trace.kernel_rows import KernelRows
from perfcore.trace.same_kernel import Agreement, Names, agreement


def in_order(ops: Sequence[int], kernels: Sequence[int]) -> list[int] | None:
    """Which op each kernel belongs to, by ascending times: one to one if there are as many; else each to the
    last op before it if no two meet there. None if that cannot be told. Kernels at time 0 have no time."""
    if len(ops) == len(kernels) and all(op <= ts or ts <= 0 for op, ts in zip(ops, kernels, strict=True)):
        return list(range(len(ops)))
    latest = [bisect_right(ops, ts) - 1 for ts in kernels]
    if latest and latest[0] >= 0 and len(set(latest)) == len(latest):
        return latest
    return None


def same_launches(ops: Iterable[OpEvent]) -> bool:
    """Whether it makes no difference to any figure which of the ops a kernel is given to."""
    return len({(op.name, op.args) for op in ops}) == 1


def unidentified(
    events: TraceEvents,
    rows: KernelRows,
    ops: Sequence[OpEvent],
    evidence: Evidence,
    *,
    left: Sequence[int],
    free: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Pairs of an op of `left` and a kernel of `free` that have no ids to compare, as in old traces or where a
    tool dropped them.

    The same name first; then functions that are all called `triton_`, if there are as many as launches. Where an
    op's call and a kernel's call are both known, or the External ids of both, `evidence` has already decided.
    """
    calls = events.calls
    nothing, uncalled = evidence.no_external, evidence.no_correlation
    called = set(calls.correlation) - uncalled
    identified = {c for c, e in zip(calls.correlation, calls.external_id, strict=True) if e not in nothing}
    by_ids: defaultdict[tuple[bool, bool], list[int]] = defaultdict(list)
    for number in left:
        op = ops[number]
        has_call = number in evidence.calling or op.correlation not in uncalled
        by_ids[op.external_id not in nothing, has_call].append(number)
    free_by_ids: defaultdict[tuple[bool, bool], list[int]] = defaultdict(list)
    for row in free:
        correlation = rows.columns.correlation[row]
        is_called = correlation in called
        has_external = rows.columns.external_id[row] not in nothing or (
            is_called and correlation in identified
        )
        free_by_ids[has_external, is_called].append(row)
    matched: set[int] = set()
    matched_rows: set[int] = set()
    for (op_external, op_call), numbers in by_ids.items():
        for (row_external, row_call), candidates in free_by_ids.items():
            if not (op_external and row_external) and not (op_call and row_call):
                open_ops = [number for number in numbers if number not in matched]
                open_rows = [row for row in candidates if row not in matched_rows]
                for number, row in _by_name(rows, ops, open_ops, open_rows):
                    matched.add(number)
                    matched_rows.add(row)
                    yield number, row


def _by_name(
    rows: KernelRows, ops: Sequence[OpEvent], left: Sequence[int], free: Sequence[int]
) -> list[tuple[int, int]]:
    named: defaultdict[str, list[int]] = defaultdict(list)
    for number in left:
        named[ops[number].name].append(number)
    by_function: defaultdict[str, list[int]] = defaultdict(list)
    for row in free:
        by_function[rows.functions[row]].append(row)
    functions = Names(by_function)
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for name, numbers in named.items():
        agreeing = [
            function for function in functions.like(name) if agreement(name, function) >= Agreement.CUT
        ]
        # A function of just this name belongs to it; a cut one may belong to several.
        best = [function for function in agreeing if function == name] or agreeing
        found = _in_time(rows, ops, numbers, [r for f in best for r in by_function[f] if r not in taken])
        taken.update(row for _, row in found)
        pairs += found
    done = {number for number, _ in pairs}
    unnamed = [number for number in left if number not in done]
    if unnamed:
        name = ops[unnamed[0]].name
        generic = [f for f in by_function if agreement(name, f) == Agreement.GENERIC]
        open_rows = [row for f in generic for row in by_function[f] if row not in taken]
        if len(open_rows) == len(unnamed):
            pairs += _in_time(rows, ops, unnamed, open_rows)
    return pairs


def _in_time(
    rows: KernelRows, ops: Sequence[OpEvent], numbers: Sequence[int], candidates: Iterable[int]
) -> list[tuple[int, int]]:
    found = sorted(candidates)
    times = [rows.columns.ts_ns[row] for row in found]
    choice = in_order([ops[number].ts_ns for number in numbers], times)
    if choice is None and same_launches(ops[number] for number in numbers):
        choice = list(range(min(len(numbers), len(found))))
    return [(numbers[place], row) for place, row in zip(choice or (), found, strict=False)]
