"""cpu_op → runtime call → GPU kernels: what a trace's events become.

`link` is the only entry. It joins each Triton cpu_op with the GPU kernels that it launched and makes one
`Launch` of them; Triton kernels that no cpu_op claims are launches by themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from perfcore.problem import Note, Problem
from perfcore.trace.busy_time import busy_ns
from perfcore.trace.events import ABSENT, OpEvent, TraceEvents
from perfcore.trace.model import Launch, Place, Trace

NO_KERNEL = Note("no-gpu-kernel", "The trace has no GPU kernel for this launch, so it has no time.")


def link(
    events: TraceEvents, captures: Sequence[Trace] = ()
) -> tuple[tuple[Launch, ...], tuple[Problem, ...]]:
    """All Triton launches of a trace, by time and place, and what is wrong with them."""
    kernels = events.kernels
    by_external = defaultdict(list)
    by_correlation = defaultdict(list)
    for row in range(len(kernels.name)):
        by_external[kernels.external_id[row]].append(row)
        by_correlation[kernels.correlation[row]].append(row)
    correlations_of_external = defaultdict(list)
    for correlation, external in zip(events.calls.correlation, events.calls.external_id, strict=True):
        correlations_of_external[external].append(correlation)
    launches: list[Launch] = []
    claimed: set[int] = set()
    for op in events.ops:
        rows = set(by_external[op.external_id]) if op.external_id != ABSENT else set()
        for correlation in correlations_of_external[op.external_id]:
            rows.update(by_correlation[correlation])
        rows = {row for row in rows if events.strings[kernels.name[row]].removesuffix(".kd") == op.name}
        claimed |= rows
        launches.append(_launch(events, op, sorted(rows)))
    launches.extend(
        _launch(events, None, [row])
        for row in range(len(kernels.name))
        if row not in claimed and events.strings[kernels.name[row]].startswith("triton_")
    )
    launches.sort(key=lambda launch: (launch.ts_ns, launch.place.event_index))
    return tuple(launches), ()


def _launch(events: TraceEvents, op: OpEvent | None, rows: list[int]) -> Launch:
    kernels = events.kernels
    places = tuple(Place(kernels.event_index[r], kernels.offset[r], kernels.length[r]) for r in rows)
    timed = [r for r in rows if kernels.dur_ns[r] > 0]
    busy = busy_ns((kernels.ts_ns[r], kernels.ts_ns[r] + kernels.dur_ns[r]) for r in timed) if timed else None
    return Launch(
        name=op.name if op else events.strings[kernels.name[rows[0]]].removesuffix(".kd"),
        place=op.place if op else places[0],
        ts_ns=op.ts_ns if op else kernels.ts_ns[rows[0]],
        busy_ns=busy,
        args=op.args if op else None,
        args_from="op" if op else "none",
        gpu_places=places,
        stack=op.stack if op else (),
        notes=() if rows else (NO_KERNEL,),
    )
