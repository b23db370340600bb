"""Traces recorded while graphs were captured: what they give to a replay, and which one belongs to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from perfcore.problem import Problem
from perfcore.trace.graph_replay import Recorded, Tape, graph_arguments
from perfcore.trace.model import Launch, LaunchArgs, Trace
from perfcore.trace.same_kernel import function_name

_REASONS = {
    "capture": "arguments from the capture: names and order agree",
    "capture-aligned": "arguments from the capture: names and order agree but for gaps",
    "capture-name": "arguments from the capture: it holds one set of arguments under this name",
    "capture-ambiguous": "no arguments: the capture holds several under this name, and order does not tell which",
    "capture-missing": "no arguments: the capture does not hold this kernel",
    "no-capture": "no arguments: replayed from a graph, and no capture was given",
    "no-cpu-op": "no arguments: recorded without CPU activity",
}


_SAME_PROCESS = (
    "hip_runtime_version",
    "hip_driver_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "rank",
)
_BASE_TIME = "baseTimeNanoseconds"
_QUARTER_NS = 7_889_238 * 10**9
"""Kineto counts times from the beginning of a quarter of a year (libkineto/include/time_since_epoch.h)."""


@dataclass(frozen=True, slots=True)
class ReplayReason:
    """How many launches without a cpu_op got their arguments in one way, or why they did not."""

    code: str
    text: str
    launches: int
    busy_ns: int
    with_args: int


def capture_summary(launches: Sequence[Launch]) -> tuple[ReplayReason, ...]:
    """Every launch without a cpu_op of its own, by the reason why it has arguments or has none."""
    counted: Counter[str] = Counter()
    busy: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for launch in launches:
        if launch.args_from != "op":
            for note in launch.notes:
                if note.code in _REASONS:
                    counted[note.code] += 1
                    busy[note.code] += launch.busy_ns or 0
                    given[note.code] += launch.args is not None
    return tuple(
        ReplayReason(code, text, counted[code], busy[code], given[code])
        for code, text in _REASONS.items()
        if counted[code]
    )


def replay_problems(launches: Sequence[Launch]) -> list[Problem]:
    """One line that says what replayed kernels' arguments rest on."""
    reasons = capture_summary(launches)
    if not reasons:
        return []
    total = sum(reason.launches for reason in reasons)
    parts = "; ".join(f"{reason.launches} {reason.text}" for reason in reasons)
    message = f"{total} Triton kernels have no cpu_op of their own: {parts}."
    return [Problem("graph-replay", "info", message)]


def tape_of(trace: Trace) -> Tape:
    """The launches of a capture trace that carry their own arguments, autotuning runs left out."""
    return Tape(
        PurePath(trace.path).name,
        tuple(
            Recorded(launch.name, launch.args, launch.stack, executed=bool(launch.gpu_places))
            for launch in trace.launches
            if launch.args is not None
            and launch.args_from == "op"
            and not launch.autotuning
            and launch.name.startswith("triton")
        ),
    )


def find_capture(replay: Trace, candidates: Sequence[Trace]) -> Trace | None:
    """The trace among `candidates` that recorded the same process while it captured the graphs of `replay`.

    It must not contradict the replay (another pid, rank, device, runtime version, or quarter of a year), and give
    at least half of its replayed kernels their arguments. The one that gives most is taken, by order of the
    graph before by name, then the nearest in time. None if there is none, or if several give as much but
    different arguments: a server captures one graph a batch size, under the same names.
    """
    graphs: defaultdict[int | None, list[str]] = defaultdict(list)
    for launch in replay.launches:
        if launch.args_from != "op":
            graphs[launch.graph_id].append(function_name(launch.name))
    needed = sum(map(len, graphs.values()))
    best: list[tuple[tuple[int, int], Trace, list[LaunchArgs | None]]] = []
    for candidate in candidates:
        tape = tape_of(candidate)
        if not needed or not tape.launches or not _may_be_same_process(replay, candidate):
            continue
        found = [each for graph in graphs.values() for each in graph_arguments(graph, Tape("", ()), [tape])]
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
    return int(text) if text.isascii() and text.isdigit() else 0


def _apart_ns(replay: Trace, candidate: Trace) -> int:
    def first_ns(trace: Trace) -> int:
        return _base_ns(trace) + min(launch.ts_ns for launch in trace.launches)

    return abs(first_ns(replay) - first_ns(candidate))
