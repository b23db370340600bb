"""`inductor-lens check`: fails when kernels waste bandwidth or became slower, for CI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import orjson

from inductor_lens.commands.loading import load_traces, report_options, source_finder
from inductor_lens.commands.paths import from_here
from inductor_lens.commands.problems import say
from inductor_lens.commands.sarif import sarif_log
from inductor_lens.report_json import Json, row_object
from perfcore.baseline import changes_percent
from perfcore.counted import counted
from perfcore.findings import Finding, Thresholds, find
from perfcore.report import Report, build_report

FAILING = frozenset({"low-bandwidth", "slower-than-baseline"})
"""The findings that a build fails for; the others only make a figure uncertain."""


def run(options: argparse.Namespace) -> int:
    """Exit status 0 when clean, 1 when a kernel was flagged or there was nothing to check."""
    find_sources, problems = source_finder(options.inductor_cache_dir)

    def report_of(paths: Sequence[Path]) -> Report:
        return build_report(load_traces(paths, options.capture), find_sources, report_options(options))

    report = report_of(options.traces)
    before = report_of([options.baseline]) if options.baseline else None
    say([*problems, *report.problems, *(before.problems if before else ())])
    changes = changes_percent(report, before) if before else None
    thresholds = Thresholds(
        peak_percent=options.min_peak_percent,
        min_time_us=options.min_time_us,
        min_time_share=options.min_time_share,
        max_slowdown_percent=options.max_slowdown,
    )
    flagged = [finding for finding in find(report, thresholds, changes) if finding.code in FAILING]
    unchecked = _unchecked(report, changes)
    if unchecked is not None:
        print(f"error: {unchecked} [no-figures]", file=sys.stderr)
    if unchecked is None or flagged or options.format != "text":
        _PRINTERS[options.format](report, flagged)
    return 1 if flagged or unchecked is not None else 0


def _unchecked(report: Report, changes: Mapping[str, float] | None) -> str | None:
    """Why nothing was checked: a build must not pass for want of figures."""
    if changes is not None:
        return (
            None if changes else "the baseline has none of these kernels with a time, so nothing was compared"
        )
    if not any(row.tb_s is not None for row in report.rows):
        return "no kernel of these traces has a bandwidth, so nothing was checked"
    if not any(row.attainable_tb_s is not None for row in report.rows):
        return "the device's peak is not known, so nothing was checked: give --device or --peak-bandwidth"
    return None


def _print_text(report: Report, flagged: Sequence[Finding]) -> None:
    for finding in flagged:
        print(f"{_place(finding)}{finding.message} [{finding.code}]")
    kernels = f"{counted(len(report.rows), 'kernel')}, {len(flagged)} flagged"
    print(kernels if flagged else f"{kernels}: clean")


def _place(finding: Finding) -> str:
    source = finding.row.metadata.source
    return f"{from_here(source.path)}:{source.line + 1}: " if source else ""


def _print_json(report: Report, flagged: Sequence[Finding]) -> None:
    found: list[Json] = [
        {"code": f.code, "severity": f.severity, "message": f.message, "kernel": row_object(f.row)}
        for f in flagged
    ]
    result = {"schema": "inductor-lens/check/1", "kernels": len(report.rows), "findings": found}
    sys.stdout.buffer.write(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")


def _print_sarif(report: Report, flagged: Sequence[Finding]) -> None:
    sys.stdout.buffer.write(orjson.dumps(sarif_log(report, flagged), option=orjson.OPT_INDENT_2) + b"\n")


def _print_github(_report: Report, flagged: Sequence[Finding]) -> None:
    for finding in flagged:
        source = finding.row.metadata.source
        place = (
            f" file={_property(from_here(source.path))},line={source.line + 1},title={finding.code}"
            if source
            else ""
        )
        print(f"::{finding.severity}{place or f' title={finding.code}'}::{_data(finding.message)}")


def _data(text: str) -> str:
    """The escapes of GitHub's workflow commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_PRINTERS: dict[str, Callable[[Report, Sequence[Finding]], None]] = {
    "text": _print_text,
    "json": _print_json,
    "sarif": _print_sarif,
    "github": _print_github,
}
