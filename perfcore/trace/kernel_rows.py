"""The GPU kernels of a trace in an order that does not depend on the file's, each once, with graphs marked.

A graph launch (`cudaGraphLaunch`, `hipGraphLaunch`) starts hundreds of kernels, which all carry its correlation,
and the External id of whatever op launched the graph: neither says anything of a single kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from perfcore.trace.events import ABSENT, NO_IDS, TraceEvents
from perfcore.trace.same_kernel import function_name, is_inductor_name


class KernelRows:
    """Rows of `GpuKernelColumns`, indexed.

    `ordered` are the distinct rows by time, `rank` a row's position there. `functions` are their bare names by
    row. `replayed` are the rows that a graph launch certainly started, `graph_correlations` their correlations.
    """

    def __init__(self, events: TraceEvents) -> None:
        self.columns = events.kernels
        texts = events.strings
        bare: dict[int, str] = {
            number: function_name(texts[number]) for number in set(self.columns.name) - {ABSENT}
        }
        bare[ABSENT] = ""
        self.functions = [bare[number] for number in self.columns.name]
        self.ordered, self.duplicates = self._order(texts)
        self.rank = {row: position for position, row in enumerate(self.ordered)}
        self.by_correlation: defaultdict[int, list[int]] = defaultdict(list)
        for row in self.ordered:
            if self.columns.correlation[row] not in NO_IDS:
                self.by_correlation[self.columns.correlation[row]].append(row)
        self._called = set(events.calls.correlation)
        self._graph_of_external: dict[int, int] = {}
        self.graph_correlations = self._graphs(events)
        self.replayed = {
            row for graph in self.graph_correlations for row in self.by_correlation.get(graph, ())
        }

    def _order(self, texts: list[str]) -> tuple[list[int], int]:
        columns = self.columns
        text = dict(enumerate(texts)) | {ABSENT: ""}
        keys = sorted(
            zip(
                columns.ts_ns,
                columns.dur_ns,
                self.functions,
                columns.correlation,
                map(text.__getitem__, columns.device),
                map(text.__getitem__, columns.stream),
                columns.external_id,
                map(text.__getitem__, columns.name),
                map(text.__getitem__, columns.grid),
                columns.event_index,
                range(len(columns.name)),
                strict=True,
            )
        )
        ordered: list[int] = []
        last: tuple[object, ...] | None = None
        for key in keys:
            # Without a time, two events alike may still be two kernels (ROCm writes 0 for whole graphs).
            if key[:6] != last or key[0] <= 0 or key[1] == ABSENT:
                ordered.append(key[-1])
            last = key[:6]
        return ordered, len(keys) - len(ordered)

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
