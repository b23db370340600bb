"""Launches without a cpu_op get the arguments that were recorded when their graph was captured.

`graph_replay` says which recorded launch is which; here launches become its sequences and get its answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from msgspec import structs

from perfcore.counted import counted
from perfcore.problem import Problem
from perfcore.trace.graph_replay import Arguments, GraphArguments
from perfcore.trace.model import Launch, Trace
from perfcore.trace.recordings import Recorded, Recordings, Tape
from perfcore.trace.same_kernel import function_name

_REASONS = {
    "capture": "with arguments from the capture (names and order agree)",
    "capture-aligned": "with arguments from the capture (names and order agree but for gaps)",
    "capture-name": "with arguments from the capture (it holds one set under this name)",
    "capture-ambiguous": "without arguments (the capture holds several under this name, and order does not tell which)",
    "capture-mismatch": "without arguments (the capture holds this kernel with other grids only)",
    "capture-missing": "without arguments (the capture does not hold this kernel)",
    "no-capture": "without arguments (replayed from a graph, and no capture was given)",
    "no-cpu-op": "without arguments (recorded without CPU activity)",
}


@dataclass(frozen=True, slots=True)
class ReplayReason:
    """How many launches without a cpu_op got their arguments in one way, or why they did not. `code` is that
    of their note."""

    code: str
    text: str
    launches: int
    busy_ns: int
    with_args: int


def with_captures(trace: Trace, captures: Sequence[Trace]) -> Trace:
    """The trace as if it had been read with these captures (`read_trace(…, captures=…)`)."""
    launches = give_arguments(trace.launches, captures)
    others = (problem for problem in trace.problems if problem.code != "graph-replay")
    said = (replace(problem, path=trace.path) for problem in replay_problems(launches))
    return replace(trace, launches=tuple(launches), problems=(*others, *said))


def give_arguments(launches: Sequence[Launch], captures: Sequence[Trace]) -> list[Launch]:
    """The launches, which come by time: those without a cpu_op of their own with the arguments found for them,
    and a note that says from where, or why there are none. Benchmark runs have no place in a sequence and stay
    as they are."""
    graphs: dict[tuple[int | None, int | None], list[int]] = {}
    for number, launch in enumerate(launches):
        if launch.args_from != "op" and not launch.autotuning:
            graphs.setdefault((launch.graph_id, launch.device), []).append(number)
    if not graphs:
        return list(launches)
    tapes = [tape_of(capture) for capture in captures]
    arguments = GraphArguments(Recordings(_tape("this trace", launches), tapes))
    given = list(launches)
    for (graph, _), numbers in graphs.items():
        answers = _answers(arguments, graph, [launches[number] for number in numbers])
        for number, found in zip(numbers, answers, strict=True):
            launch = launches[number]
            kept = tuple(note for note in launch.notes if note.code not in _REASONS)
            given[number] = structs.replace(
                launch,
                args=found.args,
                args_from="none" if found.args is None else "capture",
                stack=found.stack,
                notes=(found.note, *kept),
            )
    return given


def _answers(arguments: GraphArguments, graph: int | None, launches: Sequence[Launch]) -> list[Arguments]:
    """For each launch of one graph, in order of time, or of no graph."""
    kernels = [(function_name(launch.name), launch.grid) for launch in launches]
    # Times of 0, as ROCm writes for whole graphs, have lost the order.
    if graph is None or len(launches) == 1 or launches[0].ts_ns <= 0:
        return [arguments.by_name(kernel, replayed=graph is not None) for kernel in kernels]
    return arguments.in_order(kernels)


def tape_of(trace: Trace) -> Tape:
    """What a capture trace has to tell."""
    return _tape(PurePath(trace.path).name, trace.launches)


def _tape(label: str, launches: Iterable[Launch]) -> Tape:
    """Launches of Inductor's kernels with arguments of their own, in order of time, benchmark runs left out."""
    return Tape(
        label,
        tuple(
            Recorded(launch.name, launch.args, launch.stack, executed=bool(launch.gpu_places))
            for launch in launches
            if launch.args is not None
            and launch.args_from == "op"
            and not launch.autotuning
            and launch.name.startswith("triton")
        ),
    )


def capture_summary(launches: Iterable[Launch]) -> tuple[ReplayReason, ...]:
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


def replay_problems(launches: Iterable[Launch]) -> list[Problem]:
    """One line that says what the arguments of launches without a cpu_op rest on."""
    reasons = capture_summary(launches)
    if not reasons:
        return []
    total = sum(reason.launches for reason in reasons)
    parts = "; ".join(f"{reason.launches:,} {reason.text}" for reason in reasons)
    return [Problem("graph-replay", "info", f"{counted(total, 'Triton launch')} without a cpu_op: {parts}.")]
