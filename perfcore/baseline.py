"""A report against an earlier one: how each kernel's bandwidth changed."""

from __future__ import annotations

from collections import defaultdict

from perfcore.report import Report, ReportRow

_Key = tuple[object, ...]


def changes_percent(now: Report, before: Report) -> dict[str, float]:
    """Row id → change of bandwidth in percent (positive is faster), by the time of the same work.

    A row is compared with the row of the same id, else with the only row of the same kernel and shapes: the
    config may have changed in between. Several such rows are never averaged: then there is no change to tell.
    Without bytes in both the times are compared, which for equal work is the same ratio.
    """
    by_id = {row.id: row for row in before.rows if not row.autotuning}
    by_work: dict[_Key, list[ReportRow]] = defaultdict(list)
    for row in before.rows:
        if not row.autotuning:
            by_work[_work(row)].append(row)
    changes: dict[str, float] = {}
    for row in now.rows:
        others = by_work[_work(row)]
        other = by_id.get(row.id) or (others[0] if len(others) == 1 else None)
        if other is None or row.autotuning:
            continue
        if row.kernel_time_us and other.kernel_time_us and row.kernel_time_us.median > 0:
            changes[row.id] = 100 * (other.kernel_time_us.median / row.kernel_time_us.median - 1)
    return changes


def _work(row: ReportRow) -> _Key:
    args = row.args
    return (row.name, args and (args.input_dims, args.input_types, args.concrete_inputs))
