"""Traces recorded while graphs were captured: what they give to a replay, and which one belongs to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from perfcore.problem import Problem
from perfcore.trace.graph_replay import Recorded, Tape
from perfcore.trace.model import Launch, Trace

_REASONS = {
    "capture": "arguments from the capture: names and order agree",
    "capture-aligned": "arguments from the capture: names and order agree but for gaps",
    "capture-name": "arguments from the capture: it holds one set of arguments under this name",
    "capture-ambiguous": "no arguments: the capture holds several under this name, and order does not tell which",
    "capture-missing": "no arguments: the capture does not hold this kernel",
    "no-capture": "no arguments: replayed from a graph, and no capture was given",
    "no-cpu-op": "no arguments: recorded without CPU activity",
}


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
