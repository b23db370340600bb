"""The GPU kernels of a trace in an order that does not depend on the file's, each once, with graphs marked.

A graph launch (`cudaGraphLaunch`, `hipGraphLaunch`) starts hundreds of kernels, which all carry its correlation,
and the External id of whatever op launched the graph: neither says anything of a single kernel.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise

from perfcore.trace.events import ABSENT, NO_IDS, GpuKernelColumns, TraceEvents
from perfcore.trace.same_kernel import function_name, is_inductor_name
from perfcore.trace.time_order import by_time

_SAME = 5
"""Events that agree in the time and in so many of the next things that they say are one kernel."""


class KernelRows:
    """`columns` are the distinct kernels in order of time; a row is a kernel's number there.

    `functions` are their bare names by row, `duplicates` counts the events that were none of their own. `replayed`
    are the rows that a graph launch certainly started, `graph_correlations` their correlations.
    """

    def __init__(self, events: TraceEvents) -> None:
        texts = events.strings
        bare = {number: function_name(texts[number]) for number in set(events.kernels.name) - {ABSENT}}
        bare[ABSENT] = ""
        self.columns = _in_order(events.kernels, texts, bare)
        self.duplicates = len(events.kernels.name) - len(self.columns.name)
        self.functions = [bare[number] for number in self.columns.name]
        self.by_correlation: defaultdict[int, list[int]] = defaultdict(list)
        for row, correlation in enumerate(self.columns.correlation):
            if correlation not in NO_IDS:
                self.by_correlation[correlation].append(row)
        self._called = set(events.calls.correlation)
        self._graph_of_external: dict[int, int] = {}
        self.graph_correlations = self._graphs(events)
        self.replayed = {
            row for graph in self.graph_correlations for row in self.by_correlation.get(graph, ())
        }

    def _graphs(self, events: TraceEvents) -> set[int]:
        launching = {
            number
            for number in set(events.calls.name) - {ABSENT}
            if "graphlaunch" in events.strings[number].lower().replace("_", "")
        }
        calls = zip(events.calls.name, events.calls.correlation, events.calls.external_id, strict=True)
        graphs: set[int] = set()
        for name, correlation, external in calls:
            if name in launching and correlation not in NO_IDS:
                graphs.add(correlation)
                if external not in NO_IDS:
                    # An op that launched several graphs: the first, whichever the file names last.
                    known = self._graph_of_external.get(external, correlation)
                    self._graph_of_external[external] = min(known, correlation)
        for correlation, rows in self.by_correlation.items():
            if len(rows) > 1 and correlation not in self._called:
                inductors = {self.functions[row] for row in rows if is_inductor_name(self.functions[row])}
                externals = {self.columns.external_id[row] for row in rows}
                # No other call starts different Inductor kernels; different External ids are different calls,
                # of which a tool that merged two files left the correlations alike.
                if len(inductors) > 1 and len(externals) == 1:
                    graphs.add(correlation)
        return graphs

    def of_call(self, correlation: int) -> Sequence[int]:
        """The kernels of one launching call, none for a graph's."""
        return () if correlation in self.graph_correlations else self.by_correlation.get(correlation, ())

    def is_called(self, row: int) -> bool:
        """Whether the runtime call that launched this kernel, and no graph, is in the trace."""
        correlation = self.columns.correlation[row]
        return correlation in self._called and correlation not in self.graph_correlations

    def shares_correlation(self, row: int) -> bool:
        """Whether several kernels share this one's correlation though the trace has no call for it."""
        correlation = self.columns.correlation[row]
        return len(self.by_correlation.get(correlation, ())) > 1 and correlation not in self._called

    def graph_id(self, row: int) -> int | None:
        """The correlation of the graph launch that started a kernel which no op claims.

        Where the kernel's own correlation is not the launch's, its External id may be.
        """
        correlation = self.columns.correlation[row]
        if correlation in self.graph_correlations or self.shares_correlation(row):
            return correlation
        if correlation in self._called:
            return None
        return self._graph_of_external.get(self.columns.external_id[row])


def _in_order(columns: GpuKernelColumns, texts: list[str], functions: dict[int, str]) -> GpuKernelColumns:
    """The kernels by time, those of one time by all else that they say, each once."""
    text = dict(enumerate(texts)) | {ABSENT: ""}

    def said(row: int) -> tuple[object, ...]:
        return (
            columns.dur_ns[row],
            functions[columns.name[row]],
            columns.correlation[row],
            text[columns.device[row]],
            text[columns.stream[row]],
            columns.external_id[row],
            text[columns.name[row]],
            text[columns.grid[row]],
            columns.event_index[row],
        )

    order = by_time(columns.ts_ns, said)
    # Without a time, two events alike may still be two kernels (ROCm writes 0 for whole graphs), and so they may
    # without a length.
    kept = order[:1] + [
        row
        for before, row in pairwise(order)
        if (ts := columns.ts_ns[row]) != columns.ts_ns[before]
        or ts <= 0
        or columns.dur_ns[row] == ABSENT
        or said(before)[:_SAME] != said(row)[:_SAME]
    ]
    if kept == list(range(len(columns.name))):  # as Kineto writes them
        return columns
    every = [getattr(columns, each.name) for each in fields(columns)]
    return GpuKernelColumns(*(array("q", [column[row] for row in kept]) for column in every))
