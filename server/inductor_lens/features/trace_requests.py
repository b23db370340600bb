"""Our own requests, for clients with more to show than LSP has words for. Their contract is in
docs/architecture.md."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import msgspec

from inductor_lens import report_json
from inductor_lens.documents import document_key, path_of
from inductor_lens.features.navigation import launch_locations
from inductor_lens.loaded_trace import LoadedTrace
from inductor_lens.session import Session, TraceEntry
from perfcore.metrics import tb_per_s

Json = dict[str, Any]


class ReportParams(msgspec.Struct, frozen=True):
    """A trace by its URI, the active one without; and whether every launch is wanted."""

    uri: str | None = None
    launches: bool = False


class LaunchesParams(msgspec.Struct, frozen=True):
    """A row of a trace's report by its id."""

    kernel: str
    uri: str | None = None


class ReportTextParams(msgspec.Struct, frozen=True):
    """An `inductor-lens:` document."""

    uri: str


def traces(session: Session) -> Json:
    """`inductorLens/traces`: what is loaded or loading, in the order in which it was opened."""
    return {
        "active": _uri(session.active),
        "baseline": _uri(session.baseline),
        "traces": [_entry(session, entry) for entry in session.traces.values()],
    }


def report(session: Session, wanted: ReportParams) -> Json | None:
    """`inductorLens/report`: the command line's object; None while there is no report."""
    loaded = find(session, wanted.uri)
    if loaded is None:
        return None
    changes = session.changes(loaded)
    return report_json.report_object(loaded.report, launches=wanted.launches, changes=changes)


def launches(session: Session, wanted: LaunchesParams) -> list[Json] | None:
    """`inductorLens/launches`: one row's launches in time order; None where the trace or the row is not known."""
    loaded = find(session, wanted.uri)
    row = loaded.rows.by_id.get(wanted.kernel) if loaded is not None else None
    if loaded is None or row is None:
        return None
    places = launch_locations(loaded, row)
    result: list[Json] = []
    for number, index in enumerate(loaded.launch_indices(row)):
        launch = loaded.trace.launches[index]
        result.append(
            {
                "uri": loaded.uri,
                "range": places[number].range if places else None,
                "ts_us": launch.ts_ns / 1e3,
                "busy_us": None if launch.busy_ns is None else launch.busy_ns / 1e3,
                "tb_s": tb_per_s(row.metadata.bytes_moved, launch.busy_ns),
            }
        )
    return result


def find(session: Session, uri: str | None) -> LoadedTrace | None:
    """The loaded trace of a URI, the active one for none."""
    if uri is None:
        return session.active
    entry = session.traces.get(document_key(uri))
    return entry.loaded if entry is not None else None


def low_time_percent(session: Session, loaded: LoadedTrace) -> float | None:
    """The share of the Triton time that is spent in kernels below the threshold."""
    total = loaded.report.triton_time_us
    if not total:
        return None
    found = session.findings(loaded)
    low = {row for row, findings in found.items() if any(one.code == "low-bandwidth" for one in findings)}
    rows = (row for row in loaded.report.rows if row.id in low and row.kernel_time_us is not None)
    return 100 * sum(row.kernel_time_us.total for row in rows if row.kernel_time_us) / total


def _entry(session: Session, entry: TraceEntry) -> Json:
    loaded = entry.loaded
    return {
        "uri": entry.uri,
        "label": PurePath(path_of(entry.uri) or entry.uri).name,
        "state": entry.state,
        "message": entry.message,
        "kernels": len({row.name for row in loaded.report.rows}) if loaded else 0,
        "triton_launches": len(loaded.trace.launches) if loaded else 0,
        "low_time_percent": low_time_percent(session, loaded) if loaded else None,
    }


def _uri(loaded: LoadedTrace | None) -> str | None:
    return loaded.uri if loaded is not None else None
