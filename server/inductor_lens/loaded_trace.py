"""One trace as loaded: its launches, its report and the questions that features ask of them. Never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lsprotocol import types

from inductor_lens.documents import Version
from inductor_lens.launch_places import EventRange, LaunchPlaces
from inductor_lens.text_index import Spot, spots
from perfcore.inductor.content_hash import hash_in_path
from perfcore.inductor.model import KernelOutline, KernelSource
from perfcore.inductor.path_mapping import PathMappings, mapped_paths
from perfcore.inductor.user_lines import lines_in_frames
from perfcore.report import Report, ReportRow
from perfcore.trace.model import Launch, Trace


@dataclass(frozen=True, slots=True)
class RowIndex:
    """A report's rows by what a kernel's source knows of itself, and by launch."""

    by_id: dict[str, ReportRow] = field(default_factory=dict)
    by_hash: dict[str, list[ReportRow]] = field(default_factory=dict)
    by_name: dict[str, list[ReportRow]] = field(default_factory=dict)
    of_launch: dict[int, ReportRow] = field(default_factory=dict)
    by_user_line: dict[str, dict[int, list[ReportRow]]] = field(default_factory=dict)
    index_of_launch: dict[int, int] = field(default_factory=dict)
    slowest: dict[str, Launch] = field(default_factory=dict)

    @staticmethod
    def of(report: Report, path_mappings: PathMappings = ()) -> RowIndex:
        """`by_hash` has the rows whose source or kernel file is known, by each text that is that kernel; `by_name` those
        of which nothing is known but the name. A row whose source is ambiguous is in neither."""
        index = RowIndex()
        for trace in report.traces:
            index.index_of_launch.update((_event_index(launch), i) for i, launch in enumerate(trace.launches))
        for row in report.rows:
            index.by_id[row.id] = row
            hashes = _hashes(row)
            for content_hash in hashes:
                index.by_hash.setdefault(content_hash, []).append(row)
            if not hashes and not row.places:
                index.by_name.setdefault(row.name, []).append(row)
            index._add_user_lines(row, path_mappings)
            index.of_launch.update(dict.fromkeys(map(_event_index, row.launches), row))
            index.slowest[row.id] = max(row.launches, key=lambda launch: launch.busy_ns or 0)
        return index

    def _add_user_lines(self, row: ReportRow, path_mappings: PathMappings) -> None:
        """The lines of the user's program that the Python stacks of a row's launches name."""
        for stack in {launch.stack for launch in row.launches if launch.stack}:
            for line in lines_in_frames(stack):
                for path in mapped_paths(line.path, path_mappings):
                    rows = self.by_user_line.setdefault(path, {}).setdefault(line.line, [])
                    if not any(other is row for other in rows):
                        rows.append(row)


class LaunchAt(NamedTuple):
    """What stands at a place of a trace: a launch's event, the launch and its row."""

    event: EventRange
    launch: Launch
    row: ReportRow


@dataclass(frozen=True, slots=True)
class LoadedTrace:
    """`read` is the trace as its file has it, `trace` the same with the arguments that captures gave its launches.
    `kernels_serial` says which known kernels its figures were made with (`Session.kernels_serial`).
    `version` is the state of the open document that it was read from, None when it was read from disk.
    `places` is None until they are counted."""

    uri: str
    key: str
    read: Trace
    trace: Trace
    report: Report
    rows: RowIndex
    kernels_serial: int
    version: Version | None = None
    places: LaunchPlaces | None = None
    problem_spots: Mapping[int, Spot] = field(default_factory=dict)
    """Where the offsets of the trace's problems stand; empty until counted."""

    def placed(self, text: Callable[[], Iterable[bytes]], whole: bytes | None) -> LoadedTrace:
        """The same with the places of its launches and problems in the text, of which `text()` gives the chunks;
        `whole` is all of it where names are to be found in it."""
        places = LaunchPlaces(self.trace.launches, text(), whole)
        offsets = sorted({problem.offset for problem in self.report.problems if problem.offset is not None})
        found = dict(zip(offsets, spots(text(), offsets), strict=True)) if offsets else {}
        return replace(self, places=places, problem_spots=found)

    def with_places(self, placed: LoadedTrace) -> LoadedTrace:
        """The same, perhaps with other figures by now, with the places that were counted meanwhile."""
        return replace(self, places=placed.places, problem_spots=placed.problem_spots)

    def with_figures(self, trace: Trace, report: Report, rows: RowIndex, kernels_serial: int) -> LoadedTrace:
        """The same launches with other arguments or figures."""
        return replace(self, trace=trace, report=report, rows=rows, kernels_serial=kernels_serial)

    def row_at(self, event: EventRange) -> tuple[Launch, ReportRow] | None:
        """The launch of an event and its row."""
        launch = self.trace.launches[event.launch]
        row = self.rows.of_launch.get(_event_index(launch))
        return None if row is None else (launch, row)

    def at(self, position: types.Position) -> LaunchAt | None:
        """The launch one of whose events a position lies in; None until places are counted."""
        event = self.places.at(position.line, position.character) if self.places is not None else None
        found = self.row_at(event) if event is not None else None
        return LaunchAt(event, *found) if event is not None and found is not None else None

    def launch_indices(self, row: ReportRow) -> list[int]:
        """The row's launches in time order, as indices into the trace's."""
        launches = sorted(row.launches, key=lambda launch: (launch.ts_ns, _event_index(launch)))
        return [self.launch_index(launch) for launch in launches]

    def launch_index(self, launch: Launch) -> int:
        """A launch's index in the trace."""
        return self.rows.index_of_launch[_event_index(launch)]

    def slowest(self, row: ReportRow) -> EventRange | None:
        """Where the row's launch that took longest stands; None until places are counted."""
        return (
            self.places.of(self.launch_index(self.rows.slowest[row.id])) if self.places is not None else None
        )

    def rows_of(self, kernel: KernelSource | KernelOutline) -> list[ReportRow]:
        """The rows whose launches ran this kernel, autotuning apart, most time first."""
        rows = self.rows.by_hash.get(kernel.content_hash or "", [])
        if not rows:
            names = {kernel.name, kernel.def_name}
            rows = [row for name in names for row in self.rows.by_name.get(name, [])]
        return by_time(row for row in rows if not row.autotuning)


def _hashes(row: ReportRow) -> set[str]:
    """The content hashes of a row's kernel: of its source wherever that stands, else of the file that the trace
    names."""
    if row.metadata.source is not None:
        return {kernel.content_hash for kernel in (row.metadata.source, *row.places) if kernel.content_hash}
    named = hash_in_path(row.args.kernel_file) if row.args else None
    return {named} if named is not None else set()


def by_time(rows: Iterable[ReportRow]) -> list[ReportRow]:
    """Most total time first; those without a time last."""
    return sorted(rows, key=lambda row: -(row.kernel_time_us.total if row.kernel_time_us else -1.0))


def _event_index(launch: Launch) -> int:
    return launch.place.event_index
