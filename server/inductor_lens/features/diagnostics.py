"""What deserves attention, quietly: one diagnostic a kernel, none for what costs no time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from inductor_lens.documents import Document
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.rules import rule_uri
from inductor_lens.session import Session, thresholds
from inductor_lens.source_places import span_range, spot_range
from perfcore.counted import counted
from perfcore.findings import Finding, is_long_enough
from perfcore.problem import Problem
from perfcore.report import ReportRow

SOURCE = "Inductor Lens"
_OF_THE_TRACE = frozenset({"missing-shapes", "generic-names"})
"""What tells of how the trace was recorded, not of a kernel: said once a trace."""

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_TOP = types.Range(types.Position(0, 0), types.Position(0, 1))


def diagnostics(session: Session, document: Document) -> list[types.Diagnostic]:
    """All diagnostics of an open document."""
    if not session.settings.diagnostics:
        return []
    if (loaded := session.trace_of(document)) is not None:
        return [*trace_problems(loaded), *_in_trace(session, loaded)]
    view = session.source_view(document)
    if view is None:
        return []
    found = [_problem(problem, _TOP) for problem in view.problems]
    if session.active is None:
        return found
    for kernel in view.kernels:
        by_code = _by_code(session, session.active, session.rows_of(kernel))
        place = span_range(kernel.name_span)
        found += [
            _finding(session.active, findings, place)
            for code, findings in by_code.items()
            if code not in _OF_THE_TRACE
        ]
    return found


def trace_problems(loaded: LoadedTrace) -> list[types.Diagnostic]:
    """What is wrong with a trace as a whole."""
    places = (
        (problem, loaded.problem_spots.get(problem.offset or 0, (0, 0))) for problem in loaded.report.problems
    )
    return [_problem(problem, spot_range(spot, (spot[0], spot[1] + 1))) for problem, spot in places]


def _in_trace(session: Session, loaded: LoadedTrace) -> Iterator[types.Diagnostic]:
    """One diagnostic a kernel and code, at its slowest launch; what is wrong with the recording itself once."""
    if loaded.places is None:
        return
    known = session.findings(loaded)
    by_kernel: dict[str, list[ReportRow]] = {}
    for row in loaded.report.rows:
        if row.id in known:
            by_kernel.setdefault(row.name, []).append(row)
    of_the_trace: dict[str, list[Finding]] = {}
    for rows in by_kernel.values():
        for code, findings in _by_code(session, loaded, rows).items():
            if code in _OF_THE_TRACE:
                of_the_trace.setdefault(code, []).extend(findings)
            else:
                yield _finding(loaded, findings, _place(loaded, findings[0].row))
    said = {problem.code for problem in loaded.report.problems}
    for findings in (found for code, found in of_the_trace.items() if code not in said):
        yield _finding(loaded, findings, _place(loaded, findings[0].row))


def _by_code(session: Session, loaded: LoadedTrace, rows: Iterable[ReportRow]) -> dict[str, list[Finding]]:
    """The findings of some rows by their code, without those that the user wants to hear nothing of."""
    known = session.findings(loaded)
    worth = [row for row in rows if row.id in known and not session.is_ignored(row.name)]
    limits = thresholds(session.settings)
    found: dict[str, list[Finding]] = {}
    for row in worth:
        for finding in known[row.id]:
            if finding.code in _OF_THE_TRACE or is_long_enough(loaded.report, row, limits):
                found.setdefault(finding.code, []).append(finding)
    return found


def _finding(loaded: LoadedTrace, findings: list[Finding], where: types.Range) -> types.Diagnostic:
    """One diagnostic for one or more findings of one code; the first gives the words."""
    first = findings[0]
    rows = [finding.row for finding in findings]
    message = first.message
    if len(findings) > 1:
        what = "other kernel" if first.code in _OF_THE_TRACE else "other argument set"
        message += f" The same holds for {counted(len(findings) - 1, what)}."
    recoverable = sum(row.recoverable_us or 0.0 for row in rows)
    return types.Diagnostic(
        range=where,
        message=message,
        severity=_SEVERITIES[first.severity],
        code=first.code,
        code_description=types.CodeDescription(rule_uri(first.code)),
        source=SOURCE,
        data={
            "kernel": first.row.name,
            "rows": [row.id for row in rows],
            "recoverable_us": recoverable,
            "launches": sum(row.executions for row in rows),
            "trace": loaded.uri,
        },
    )


def _place(loaded: LoadedTrace, row: ReportRow) -> types.Range:
    """Where the row's slowest launch stands."""
    event = loaded.slowest(row)
    return spot_range(*event.name) if event is not None else _TOP


def _problem(problem: Problem, where: types.Range) -> types.Diagnostic:
    return types.Diagnostic(
        range=where,
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        code_description=types.CodeDescription(rule_uri(problem.code)),
        source=SOURCE,
    )
