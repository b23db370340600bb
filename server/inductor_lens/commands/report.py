"""`inductor-lens report`: the kernels of one or several traces."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import orjson

from inductor_lens import wording
from inductor_lens.commands.loading import load_traces, report_options, source_finder
from inductor_lens.commands.problems import say
from inductor_lens.commands.tables import Sheet, print_csv, print_markdown, print_table
from inductor_lens.report_json import report_object
from inductor_lens.rules import rules_page
from perfcore.counted import counted
from perfcore.findings import Finding, Thresholds, find, time_share_percent
from perfcore.report import Report, ReportRow, build_report

_CSV_ROW = (
    "id", "name", "category", "launches", "xnumel", "rnumel", "bytes", "data_moved_mb", "gflops", "flops_per_byte",
    "tb_s", "tflops_s", "peak_percent", "recoverable_us", "origin", "autotuning", "kernel_file",
)  # fmt: skip
_OF_BANDWIDTH = ("TB/s", "% of peak", "recoverable µs")
_CSV_TIME = ("total", "mean", "median", "min", "max")
_ABOUT_FLOPS = {"unknown-ops", "generic-names"}
_NO_SHAPES = "The trace does not record this launch's shapes."
_DISPENSABLE = ("bytes", "FLOP/byte", "TFLOPS/s", "total µs", "origin", "GFLOP", "MB")
_CSV_LAUNCH = (
    "event_index",
    "ts_us",
    "name",
    "kernel",
    "bytes",
    "gflops",
    "busy_us",
    "tb_s",
    "tflops_s",
    "origin",
)


def run(options: argparse.Namespace) -> int:
    """Exit status 0 with at least one figure, else 1."""
    traces = load_traces(options.traces, options.capture)
    find_sources, problems = source_finder(options.inductor_cache_dir)
    report = build_report(traces, find_sources, report_options(options))
    say([*problems, *report.problems])
    if options.format == "json":
        sys.stdout.buffer.write(
            orjson.dumps(report_object(report, launches=options.launches), option=orjson.OPT_INDENT_2) + b"\n"
        )
    elif options.format == "csv":
        _print_csv(report, options.launches)
    elif options.format == "markdown":
        print_markdown(_sheet(report))
    elif report.rows:
        flagged = _flagged(report)
        sheet = _sheet(report)
        sheet = replace(sheet, styles=_styles(sheet, report, flagged))
        print_table(sheet, _title(report), [*_low(flagged), *_reasons(report), *_notes(report)])
    return 0 if any(row.kernel_time_us or row.metadata.bytes_moved is not None for row in report.rows) else 1


def _title(report: Report) -> list[str]:
    device = report.device.device
    peak = device.peak_bandwidth_tb_s if device else None
    name = (device.name if device else "") or "unknown device (give --device or --peak-bandwidth)"
    launches = sum(len(trace.launches) for trace in report.traces)
    where = report.traces[0].path if len(report.traces) == 1 else counted(len(report.traces), "trace")
    limit = f", peak {peak:g} TB/s" if peak else ""
    time = f" in {wording.duration(report.triton_time_us)}" if report.triton_time_us else ""
    return [where, f"{name}{limit} · {counted(launches, 'Triton launch')}{time}"]


def _sheet(report: Report) -> Sheet:
    several = len(report.traces) > 1
    folder = _common_folder(report) if several else ""
    header = (
        "kernel", "launches", "median µs", "total µs", "TB/s", "% of peak", "MB", "bytes", "GFLOP", "TFLOPS/s",
        "FLOP/byte", "recoverable µs", "origin", *(("spread µs", "slowest") if several else ()),
    )  # fmt: skip
    rows = tuple((*_cells(row), *(_rank_cells(row, folder) if several else ())) for row in report.rows)
    return Sheet(header, rows, _DISPENSABLE)


def _styles(sheet: Sheet, report: Report, flagged: Sequence[Finding]) -> dict[tuple[int, str], str]:
    """On a terminal, rows of next to no time are faint, and low figures stand out."""
    low = {finding.row.id for finding in flagged}
    styles: dict[tuple[int, str], str] = {}
    for number, row in enumerate(report.rows):
        if time_share_percent(report, row) < Thresholds().min_time_share:
            styles |= dict.fromkeys(((number, column) for column in sheet.header), "dim")
        elif row.id in low:
            styles |= dict.fromkeys(((number, column) for column in _OF_BANDWIDTH), "yellow")
    return styles


def _flagged(report: Report) -> list[Finding]:
    """What the editor flags with the settings as they come."""
    return [finding for finding in find(report, Thresholds()) if finding.code == "low-bandwidth"]


def _common_folder(report: Report) -> str:
    """The folder that all traces lie in, as far as their paths tell."""
    return os.path.commonpath([os.path.dirname(os.path.abspath(trace.path)) for trace in report.traces])  # noqa: PTH100, PTH120


def _cells(row: ReportRow) -> tuple[str, ...]:
    time = row.kernel_time_us
    metadata = row.metadata
    name = f"{row.name} (autotuning)" if row.autotuning else row.name
    return (
        name,
        f"{row.executions:,}",
        wording.exact_us(time.median if time else None),
        wording.exact_us(time.total if time else None),
        _rate(row.tb_s),
        wording.percent(row.peak_percent).removesuffix(" %"),
        wording.exact_megabytes(metadata.bytes_moved),
        wording.UNKNOWN if metadata.bytes_moved is None else f"{metadata.bytes_moved:,}",
        wording.gflops_number(metadata.flops),
        wording.tflops(row.tflops_s),
        wording.ratio(row.intensity),
        wording.UNKNOWN if row.recoverable_us is None else f"{row.recoverable_us:,.1f}",
        metadata.origin if metadata.bytes_moved is not None else wording.UNKNOWN,
    )


def _rate(tb_s: float | None) -> str:
    if tb_s is None:
        return wording.UNKNOWN
    return "<0.01" if 0 < tb_s < 0.005 else f"{tb_s:.2f}"


def _rank_cells(row: ReportRow, folder: str) -> tuple[str, str]:
    """How far the traces' medians are apart, and which is the slowest, by its path below their common folder."""
    timed = [(rank.median_us, rank.path) for rank in row.ranks if rank.median_us is not None]
    if len(timed) < 2:
        return wording.UNKNOWN, wording.UNKNOWN
    (fastest, _), (slowest, path) = min(timed), max(timed)
    return f"{wording.exact_us(fastest)}–{wording.exact_us(slowest)}", os.path.relpath(path, folder)


def _low(flagged: Sequence[Finding]) -> list[str]:
    """What the editor flags, in one line."""
    if not flagged:
        return []
    saved = wording.duration(sum(finding.row.recoverable_us or 0.0 for finding in flagged))
    return [
        f"{counted(len(flagged), 'kernel')} below half of the attainable bandwidth: {saved} could be saved."
        " `inductor-lens check` lists them."
    ]


def _reasons(report: Report) -> list[str]:
    """For the launches without bytes: how many, by reason."""
    reasons: Counter[str] = Counter()
    for row in report.rows:
        if row.metadata.bytes_moved is None:
            why = next((note.text for note in row.notes if note.code not in _ABOUT_FLOPS), _NO_SHAPES)
            reasons[why] += len(row.launches)
    if not reasons:
        return []
    lines = [f"{counted(sum(reasons.values()), 'launch')} without bytes:"]
    return lines + [f"  {count:,} · {reason}" for reason, count in reasons.most_common()]


def _notes(report: Report) -> list[str]:
    """What makes figures uncertain, by code, most launches first."""
    counts: Counter[str] = Counter()
    for row in report.rows:
        if row.metadata.bytes_moved is not None:
            counts.update({note.code: len(row.launches) for note in row.notes})
    if not counts:
        return []
    listed = ", ".join(f"{code} ({count:,})" for code, count in counts.most_common())
    return [f"Notes by launches: {listed}. --format json has them in full; what each means: {rules_page()}"]


def _print_csv(report: Report, launches: bool) -> None:
    full = report_object(report, launches=launches)
    if launches:
        entries = full["launch_list"]
        assert isinstance(entries, list)
        print_csv(_CSV_LAUNCH, [[entry[key] for key in _CSV_LAUNCH] for entry in entries])
        return
    rows = full["kernels"]
    assert isinstance(rows, list)
    print_csv(
        (*_CSV_ROW, *(f"{key}_us" for key in _CSV_TIME)),
        [
            [*(row[key] for key in _CSV_ROW), *(row["kernel_time_us"][key] for key in _CSV_TIME)]
            for row in rows
        ],
    )
