"""What is worth a person's attention in a report: one finding a row, never one a launch.

The editor's diagnostics and `inductor-lens check` are both made from these, so they agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perfcore.counted import counted
from perfcore.metrics import is_memory_bound
from perfcore.problem import Severity
from perfcore.report import Report, ReportRow


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a kernel is flagged. `min_time_us` is the median of one launch: a shorter one is all latency.
    `min_time_share` is percent of all Triton time. `max_slowdown_percent` is against a baseline."""

    peak_percent: float = 50.0
    min_time_us: float = 10.0
    min_time_share: float = 1.0
    max_slowdown_percent: float = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about one row. `message` is a sentence or two; `code` is explained in docs/rules.md."""

    code: str
    severity: Severity
    message: str
    row: ReportRow


def find(
    report: Report, thresholds: Thresholds, changes: Mapping[str, float] | None = None
) -> tuple[Finding, ...]:
    """All findings of a report, in the order of its rows. `changes` are percent of bandwidth against a baseline
    by row id (negative is slower)."""
    findings: list[Finding] = []
    for row in report.rows:
        if row.autotuning:
            continue
        candidates = (
            _low_bandwidth(report, row, thresholds),
            _above_peak(report, row),
            _slower(report, row, thresholds, (changes or {}).get(row.id)),
            _missing_shapes(row),
            _of_note(row, "generic-names"),
            _of_note(row, "ambiguous-source"),
        )
        findings.extend(finding for finding in candidates if finding)
    return tuple(findings)


def time_share_percent(report: Report, row: ReportRow) -> float:
    """The row's part of all Triton time."""
    total = report.triton_time_us
    return 100 * row.kernel_time_us.total / total if row.kernel_time_us and total else 0.0


def is_long_enough(report: Report, row: ReportRow, thresholds: Thresholds) -> bool:
    """Whether a row's time is above both thresholds."""
    time = row.kernel_time_us
    return (
        time is not None
        and time.median >= thresholds.min_time_us
        and time_share_percent(report, row) >= thresholds.min_time_share
    )


def _low_bandwidth(report: Report, row: ReportRow, thresholds: Thresholds) -> Finding | None:
    attainable = row.attainable_tb_s
    if row.tb_s is None or not attainable or not is_long_enough(report, row, thresholds):
        return None
    percent = 100 * row.tb_s / attainable
    if percent >= thresholds.peak_percent:
        return None
    time = row.kernel_time_us
    assert time is not None
    assert row.recoverable_us is not None
    limit = (
        "its peak of"
        if is_memory_bound(report.device.device, row.intensity) is not False
        else "the roofline's"
    )
    return Finding(
        "low-bandwidth",
        "warning",
        f"{row.name} moves {row.tb_s:.2f} TB/s, {percent:.0f} % of {limit} {attainable:.3g} TB/s: "
        f"{row.recoverable_us:,.1f} of {time.total:,.1f} µs are recoverable over "
        f"{counted(row.executions, 'launch')}.",
        row,
    )


def _above_peak(report: Report, row: ReportRow) -> Finding | None:
    device = report.device.device
    note = next((note for note in row.notes if note.code == "above-peak"), None)
    if note is None or row.tb_s is None or device is None:
        return None
    peak = device.peak_bandwidth_tb_s
    return Finding("above-peak", "info", f"{row.tb_s:.2f} TB/s of {peak:g} TB/s. {note.text}", row)


def _slower(report: Report, row: ReportRow, thresholds: Thresholds, change: float | None) -> Finding | None:
    if change is None or not is_long_enough(report, row, thresholds):
        return None
    slowdown = 100 * (1 / (1 + change / 100) - 1) if change > -100 else 0.0
    if slowdown <= thresholds.max_slowdown_percent:
        return None
    return Finding(
        "slower-than-baseline",
        "warning",
        f"{row.name} takes {slowdown:.0f} % longer than in the baseline.",
        row,
    )


def _missing_shapes(row: ReportRow) -> Finding | None:
    if row.metadata.bytes_moved is not None or (row.args is not None and row.args.input_dims is not None):
        return None
    return Finding(
        "missing-shapes",
        "info",
        f"{row.name} has no bytes: the trace does not hold the shapes of its launches. Record it with"
        " torch.profiler.profile(record_shapes=True), or give the Inductor cache.",
        row,
    )


def _of_note(row: ReportRow, code: str) -> Finding | None:
    note = next((note for note in row.notes if note.code == code), None)
    return Finding(code, "info", note.text, row) if note else None
