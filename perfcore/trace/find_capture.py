"""Which of several traces recorded the process of a replay while it captured its graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from perfcore.trace.capture import tape_of
from perfcore.trace.graph_replay import GraphArguments, Replayed
from perfcore.trace.model import LaunchArgs, Trace
from perfcore.trace.recordings import Recordings, Tape
from perfcore.trace.same_kernel import function_name

_SAME_PROCESS = (
    "hip_runtime_version",
    "hip_driver_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "rank",
)
_BASE_TIME = "baseTimeNanoseconds"
_QUARTER_NS = 7_889_238 * 10**9
"""Kineto counts times from the beginning of a quarter of a year (libkineto/src/output_json.cpp)."""


def find_capture(replay: Trace, candidates: Sequence[Trace]) -> Trace | None:
    """The trace among `candidates` that recorded the same process while it captured the graphs of `replay`.

    It must not contradict the replay (another pid, rank, device, runtime version, or quarter of a year), and give
    at least half of its replayed kernels their arguments. The one that gives most is taken, by order of the
    graph before by name, then the nearest in time. None if there is none, or if several give as much but
    different arguments: a server captures one graph a batch size, under the same names.
    """
    graphs: defaultdict[int | None, list[Replayed]] = defaultdict(list)
    for launch in replay.launches:
        if launch.args_from != "op" and not launch.autotuning:
            graphs[launch.graph_id].append((function_name(launch.name), launch.grid))
    needed = sum(map(len, graphs.values()))
    best: list[tuple[tuple[int, int], Trace, list[LaunchArgs | None]]] = []
    for candidate in candidates:
        tape = tape_of(candidate)
        if not needed or not tape.launches or not _may_be_same_process(replay, candidate):
            continue
        arguments = GraphArguments(Recordings(Tape("", ()), [tape]))
        found = [each for graph in graphs.values() for each in arguments.in_order(graph)]
        args = [each.args for each in found]
        by_order = sum(each.note.code == "capture" and each.args is not None for each in found)
        score = (sum(each is not None for each in args), by_order)
        if score[0] * 2 >= needed:
            best.append((score, candidate, args))
    if not best:
        return None
    highest = max(score for score, _, _ in best)
    equals = [(candidate, args) for score, candidate, args in best if score == highest]
    if any(args != equals[0][1] for _, args in equals):
        return None
    return min((candidate for candidate, _ in equals), key=lambda each: (_apart_ns(replay, each), each.path))


def _may_be_same_process(replay: Trace, candidate: Trace) -> bool:
    if candidate.path == replay.path:
        return False
    if replay.processes and candidate.processes and not set(replay.processes) & set(candidate.processes):
        return False
    one, other = dict(replay.host), dict(candidate.host)
    if any(one[key] != other[key] for key in _SAME_PROCESS if key in one and key in other):
        return False
    if replay.devices and candidate.devices and replay.devices[0].name != candidate.devices[0].name:
        return False
    bases = _base_ns(replay), _base_ns(candidate)
    return 0 in bases or abs(bases[0] - bases[1]) <= _QUARTER_NS


def _base_ns(trace: Trace) -> int:
    """0 where the trace does not say."""
    text = dict(trace.host).get(_BASE_TIME, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _apart_ns(replay: Trace, candidate: Trace) -> int:
    def first_ns(trace: Trace) -> int:
        return _base_ns(trace) + min(launch.ts_ns for launch in trace.launches)

    return abs(first_ns(replay) - first_ns(candidate))
