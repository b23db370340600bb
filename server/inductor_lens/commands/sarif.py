"""Findings as a SARIF 2.1.0 log, for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inductor_lens import __version__
from inductor_lens.commands.paths import from_here
from inductor_lens.report_json import Json
from perfcore.findings import Finding
from perfcore.report import Report

_RULES = {
    "low-bandwidth": "A kernel runs far below its attainable bandwidth",
    "slower-than-baseline": "A kernel became slower than in the baseline",
}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif_log(report: Report, findings: Sequence[Finding]) -> Json:
    """One run with a result a finding; a finding without a known source is placed on its trace."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "inductor-lens",
                        "version": __version__,
                        "rules": [
                            {"id": code, "shortDescription": {"text": text}} for code, text in _RULES.items()
                        ],
                    }
                },
                "results": [_result(report, finding) for finding in findings],
            }
        ],
    }


def _result(report: Report, finding: Finding) -> Json:
    source = finding.row.metadata.source
    location: Json = {"artifactLocation": {"uri": _uri(source.path if source else report.traces[0].path)}}
    if source:
        location["region"] = {"startLine": source.line + 1}
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"kernel/v1": finding.row.id},
    }


def _uri(path: str) -> str:
    """Relative to where we are, as code scanning wants it, if the file lies below."""
    here = from_here(path)
    return Path(path).absolute().as_uri() if Path(here).is_absolute() else here
