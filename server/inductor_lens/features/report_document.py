"""The report as a document that an editor opens: kernels by recoverable time, a roofline in text, problems.

Its URI is `inductor-lens:/report/<trace's name>.md?<trace's URI>`; without a query it is the active trace's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from inductor_lens import wording
from inductor_lens.documents import path_of, uri_of
from inductor_lens.features.trace_requests import find
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session
from inductor_lens.text_index import utf16_length
from perfcore.counted import counted
from perfcore.report import ReportRow, sort_rows
from perfcore.trace.model import Trace

SCHEME = "inductor-lens"
MOST_ROWS = 200
WIDTH, HEIGHT = 64, 16


def report_uri(trace_uri: str | None) -> str:
    """The URI of a trace's report, of the active trace's without one."""
    if trace_uri is None:
        return f"{SCHEME}:/report/active.md"
    name = (path_of(trace_uri) or trace_uri).replace("\\", "/").rsplit("/", 1)[-1]
    return f"{SCHEME}:/report/{quote(name)}.md?{quote(trace_uri, safe='')}"


def report_text(session: Session, uri: str) -> str | None:
    """The text of a report document, None for a URI that is none."""
    parts = urlsplit(uri)
    if parts.scheme != SCHEME or not parts.path.startswith("/report/"):
        return None
    loaded = find(session, unquote(parts.query) or None)
    if loaded is None:
        return "# Inductor Lens\n\nNo trace is loaded. Open one, or name it in `inductorLens.traces`.\n"
    return "\n".join(_lines(session, loaded))


def report_links(text: str) -> list[types.DocumentLink]:
    """The places that a report's lines name: `path:line`, from its last column."""
    links: list[types.DocumentLink] = []
    for number, line in enumerate(text.split("\n")):
        mark = line.rfind(" ↪ ")
        path, _, at = line[mark + 3 :].rpartition(":") if mark >= 0 else ("", "", "")
        if path and at.isdecimal():
            start = utf16_length(line[: mark + 3])
            where = types.Range(types.Position(number, start), types.Position(number, utf16_length(line)))
            links.append(types.DocumentLink(where, f"{uri_of(path)}#L{at}"))
    return links


def _lines(session: Session, loaded: LoadedTrace) -> list[str]:
    trace, report = loaded.trace, loaded.report
    device = report.device.device
    peak = device.peak_bandwidth_tb_s if device else None
    name = f"{device.name or 'unknown device'}" if device else "unknown device"
    head = [
        f"# {trace.path.replace(chr(92), '/').rsplit('/', 1)[-1]}",
        "",
        f"{name}, {f'peak {peak:g} TB/s' if peak else 'peak unknown'} · "
        f"{counted(len(trace.launches), 'Triton launch')} in {wording.duration(report.triton_time_us)}",
        *_counts(trace),
        "",
        "## Kernels by recoverable time",
        "",
        _table_row(("recoverable", "time", "launches", "TB/s", "of peak", "MB", "GFLOP", "change"), "kernel"),
    ]
    rows = [row for row in sort_rows(report.rows, "recoverable") if not row.autotuning]
    changes = session.changes(loaded) or {}
    table = [_row(loaded, row, changes.get(row.id)) for row in rows[:MOST_ROWS]]
    more = [f"… and {len(rows) - MOST_ROWS:,} more."] if len(rows) > MOST_ROWS else []
    problems = [f"- {problem.severity}: {problem.message} [{problem.code}]" for problem in report.problems]
    return [
        *head,
        *table,
        *more,
        "",
        "## Roofline",
        "",
        *_roofline(loaded, rows),
        "",
        "## Problems",
        "",
        *(problems or ["None."]),
        "",
    ]


def _counts(trace: Trace) -> list[str]:
    return [] if trace.complete else ["", "The trace is not complete: see its problems below."]


def _row(loaded: LoadedTrace, row: ReportRow, change: float | None) -> str:
    time = row.kernel_time_us
    cells = (
        wording.duration(row.recoverable_us),
        wording.duration(time.total if time else None),
        f"{row.executions:,}",
        wording.bandwidth(row.tb_s),
        wording.percent(row.peak_percent),
        wording.exact_megabytes(row.metadata.bytes_moved),
        wording.gflops_number(row.metadata.flops),
        wording.change(change) if change is not None else "",
    )
    if row.places:
        place = f"{row.places[0].path}:{row.places[0].line + 1}"
        return f"{_table_row(cells, row.name)} ↪ {place}"
    event = loaded.places.of(loaded.launch_index(row.launches[0])) if loaded.places else None
    path = path_of(loaded.uri)
    if event is not None and path is not None:
        return f"{_table_row(cells, row.name)} ↪ {path}:{event.start[0] + 1}"
    return _table_row(cells, row.name)


def _table_row(cells: tuple[str, ...], name: str) -> str:
    widths = (12, 10, 9, 10, 8, 10, 10, 7)
    shown = "".join(f"{cell:>{width}} " for cell, width in zip(cells, widths, strict=True))
    return f"{shown} {' '.join(name.split())}".rstrip()


def _roofline(loaded: LoadedTrace, rows: list[ReportRow]) -> list[str]:
    """TFLOPS/s over FLOP/byte, both in powers: the device's roof, and a letter for each of the longest kernels."""
    device = loaded.report.device.device
    points = [
        (row.intensity, row.tflops_s, row)
        for row in rows
        if row.intensity is not None and row.tflops_s is not None and row.intensity > 0 and row.tflops_s > 0
    ][:26]
    if not points:
        return ["No kernel has both FLOPs and bytes."]
    peak, roof = (device.peak_bandwidth_tb_s, device.peak_tflops_s) if device else (None, None)
    low, high = _powers(x for x, _, _ in points)
    bottom, top = _powers([*(y for _, y, _ in points), *([roof] if roof else [])])
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    if peak is not None:
        for column in range(WIDTH):
            intensity = 10 ** (low + (high - low) * (column + 0.5) / WIDTH)
            _put(grid, column, _scale(min(intensity * peak, roof or math.inf), bottom, top, HEIGHT), "·")
    legend: list[str] = []
    for number, (x, y, row) in enumerate(points):
        letter = chr(ord("A") + number)
        _put(grid, _scale(x, low, high, WIDTH), _scale(y, bottom, top, HEIGHT), letter)
        legend.append(f"{letter}  {wording.ratio(x)} FLOP/byte, {wording.tflops(y)} TFLOPS/s  {row.name}")
    body = [
        f"{'1e' + str(top) if i == 0 else '':>6} |{''.join(line)}".rstrip() for i, line in enumerate(grid)
    ]
    axis = f"{'1e' + str(bottom):>6} +{'-' * WIDTH}"
    labels = f"{'':>8}{'1e' + str(low)}{'FLOP/byte':^{WIDTH - 8}}{'1e' + str(high)}"
    return ["```", "TFLOPS/s", *body, axis, labels, "```", "", *legend]


def _powers(values: Iterable[float]) -> tuple[int, int]:
    logs = [math.log10(value) for value in values]
    return math.floor(min(logs)), max(math.floor(min(logs)) + 1, math.ceil(max(logs)))


def _scale(value: float, low: int, high: int, cells: int) -> int:
    return min(cells - 1, max(0, int((math.log10(value) - low) / (high - low) * cells))) if value > 0 else 0


def _put(grid: list[list[str]], column: int, row: int, sign: str) -> None:
    grid[HEIGHT - 1 - row][column] = sign
