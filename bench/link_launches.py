"""Linking a trace's events to launches against `orjson.loads` of its text, in one run; and how the time grows.

    python bench/link_launches.py [trace.json]

The growth is that of eight times the events: linear is 1. Each kind of events is one that would be quadratic if
every op were compared with every kernel.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from perfcore.trace import read_events  # noqa: E402
from perfcore.trace.events import ABSENT, OpEvent, TraceEvents  # noqa: E402
from perfcore.trace.launches import link  # noqa: E402
from perfcore.trace.model import LaunchArgs, Place  # noqa: E402

ROUNDS = 5
FEW, MANY = 2_000, 16_000


def seconds(work: Callable[[], object]) -> float:
    """The fastest of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


class Writer:
    """Events for the linker, written without a file."""

    def __init__(self) -> None:
        self.events = TraceEvents(threads=[("1", "1"), ("0", "7")])
        self._strings: dict[str, int] = {}

    def string(self, text: str) -> int:
        number = self._strings.setdefault(text, len(self._strings))
        if number == len(self.events.strings):
            self.events.strings.append(text)
        return number

    def op(self, name: str, ts: int, external: int = ABSENT, size: int = 0) -> None:
        args = LaunchArgs(concrete_inputs=(str(size),))
        place = Place(len(self.events.ops), 0, 0)
        self.events.ops.append(OpEvent(name, 0, ts, ts + 5, external, ABSENT, args, place))

    def kernel(self, name: str, ts: int, correlation: int = ABSENT, external: int = ABSENT) -> None:
        columns = self.events.kernels
        columns.event_index.append(1_000_000 + len(columns.name))
        for column, value in (
            (columns.name, self.string(name)),
            (columns.ts_ns, ts),
            (columns.dur_ns, 3),
            (columns.correlation, correlation),
            (columns.external_id, external),
            (columns.thread, 1),
        ):
            column.append(value)
        for column in (columns.device, columns.stream, columns.grid):
            column.append(ABSENT)
        columns.offset.append(0)
        columns.length.append(0)

    def call(self, name: str, ts: int, correlation: int) -> None:
        columns = self.events.calls
        for column, value in (
            (columns.name, self.string(name)),
            (columns.ts_ns, ts),
            (columns.dur_ns, 1),
            (columns.thread, 0),
            (columns.correlation, correlation),
            (columns.external_id, ABSENT),
        ):
            column.append(value)


def one_external_id(count: int) -> TraceEvents:
    writer = Writer()
    for number in range(count):
        writer.op("triton_poi_fused_add_0", 10 * number, 3, number)
        writer.kernel("triton_poi_fused_add_0", 10 * number + 7, external=3)
    return writer.events


def one_correlation(count: int) -> TraceEvents:
    writer = Writer()
    for number in range(count):
        writer.op("triton_poi_fused_add_0", 10 * number, size=number)
        writer.call("cuLaunchKernel", 10 * number + 1, 35)
        writer.kernel("triton_poi_fused_add_0", 10 * number + 7, 35)
    return writer.events


def other_names_without_ids(count: int) -> TraceEvents:
    writer = Writer()
    for number in range(count):
        writer.op(f"triton_poi_fused_add_mul_native_layer_norm_view_{number}", 10 * number)
        writer.kernel(f"triton_red_fused_add_mul_native_layer_norm_view_{number}", 10 * number + 7)
    return writer.events


def many_graphs(count: int) -> TraceEvents:
    """Each of its own sequence, with one of four kernels lost."""
    writer = Writer()
    names = [f"triton_poi_fused_{'abcd'[number * number % 4]}_{number % 7}" for number in range(count)]
    for number, name in enumerate(names):
        writer.op(name, 10 * number, number + 1, number)
    start = 20 * count
    for graph in range(count // 100):
        writer.call("cudaGraphLaunch", start + 1_000 * graph, 77 + graph)
        for number in range(100 * graph, 100 * graph + 100):
            if number % 4:
                writer.kernel(names[number], start + 1_000 * graph + number % 100, 77 + graph)
    return writer.events


def main() -> None:
    default = ROOT.parent / "shared" / "traces" / "sd35.mi300x.json.gz"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    if path.exists():
        import gzip

        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        events = read_events(path, data=text).events
        linking, loading = seconds(lambda: link(events)), seconds(lambda: orjson.loads(text))
        launches = len(link(events)[0])
        print(
            f"{path.name}: {launches:,} launches in {1e3 * linking:.0f} ms, {linking / loading:.3f} of orjson.loads"
        )
    for kind in (one_external_id, one_correlation, other_names_without_ids, many_graphs):
        few, many = kind(FEW), kind(MANY)
        small = seconds(lambda few=few: link(few))
        large = seconds(lambda many=many: link(many))
        name = kind.__name__.replace("_", " ")
        print(
            f"{name:26}{MANY:7,} ops in {large:6.2f} s, {large / small / (MANY / FEW):5.2f} of linear growth"
        )


if __name__ == "__main__":
    main()
