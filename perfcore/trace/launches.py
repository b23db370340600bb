"""cpu_op → runtime call → GPU kernels: what a trace's events become.

`link` is the only entry. It joins each Triton cpu_op with the GPU kernels that it launched (`op_links`) and makes
one `Launch` of them. Inductor's Triton kernels that no cpu_op claims are launches by themselves: replayed from a
graph (`capture` finds their arguments), or recorded without CPU activity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from perfcore.counted import counted, part_of
from perfcore.problem import Note, Problem
from perfcore.trace.autotuning import benchmarked_kernels, benchmarked_ops
from perfcore.trace.busy_time import DURATION_NOTES, busy_ns, doubt
from perfcore.trace.capture import give_arguments, replay_problems
from perfcore.trace.events import ABSENT, OpEvent, TraceEvents
from perfcore.trace.kernel_rows import KernelRows
from perfcore.trace.launch_grid import parse_grid
from perfcore.trace.model import Grid, Launch, Place, Trace
from perfcore.trace.op_links import OpKernels, OpLinks, link_ops
from perfcore.trace.same_kernel import is_inductor_name

NO_KERNEL = Note(
    "no-gpu-kernel",
    "The trace has no GPU kernel for this launch, so it has no time: it was recorded while a graph was captured, "
    "or the recording of GPU activity missed it.",
)
CAPTURED = Note(
    "captured",
    "Recorded while a graph was captured, not executed: its executions are the replays of the graph in this trace.",
)
MOST_REGISTERS = 255
"""A thread has no more on any NVIDIA GPU since Kepler (CUDA C++ Programming Guide, technical specifications)."""
REGISTER_LIMIT = Note(
    "register-limit",
    f"It uses {MOST_REGISTERS} registers a thread, all there are: what found no room was probably spilled to memory, "
    "traffic that no figure counts. A smaller block or a kernel split in two spills less.",
)
AUTOTUNING = Note(
    "autotuning", "One of the runs by which Inductor chose a config, not a launch of the model."
)


def link(
    events: TraceEvents, captures: Sequence[Trace] = ()
) -> tuple[tuple[Launch, ...], tuple[Problem, ...]]:
    """All Triton launches of a trace by time, and what is wrong with them.

    The order of the events in the file makes no difference. `captures` are traces of the same program recorded
    while its graphs were captured; replayed kernels take their arguments from there.
    """
    rows = KernelRows(events)
    links = link_ops(events, rows)
    tuning = benchmarked_ops(links)
    maker = _Maker(events, rows)
    launches = [
        maker.of_op(op, kernels, autotuning=number in tuning)
        for number, (op, kernels) in enumerate(zip(links.ops, links.kernels, strict=True))
    ]
    loose = _loose(rows, links)
    tuned = links.benchmarks | benchmarked_kernels(rows, links, loose)
    launches.extend(maker.of_kernel(row, rows.graph_id(row), autotuning=row in tuned) for row in loose)
    # Ops and kernels come in an order of their own, which those of the same time keep.
    launches.sort(key=lambda launch: launch.ts_ns)
    launches = give_arguments(launches, captures)
    problems = [*_duration_problems(launches), *replay_problems(launches)]
    if rows.duplicates:
        message = (
            f"The trace holds {counted(rows.duplicates, 'GPU kernel')} more than once; each is counted once."
        )
        problems.append(Problem("duplicate-events", "info", message))
    return tuple(launches), tuple(problems)


def _loose(rows: KernelRows, links: OpLinks) -> list[int]:
    """Inductor's kernels that no op claims, in order of time."""
    claimed = {row for kernels in links.kernels for row in kernels.rows}
    return [
        row
        for row, function in enumerate(rows.functions)
        if row not in claimed and is_inductor_name(function)
    ]


class _Maker:
    """Makes `Launch` records; `replayed` are the functions that the trace's graphs launched."""

    def __init__(self, events: TraceEvents, rows: KernelRows) -> None:
        self.kernels = rows.columns
        self.texts = events.strings
        self.replayed = {rows.functions[row] for row in rows.replayed}
        self.grids: dict[int, Grid | None] = {ABSENT: None}

    def of_op(self, op: OpEvent, kernels: OpKernels, *, autotuning: bool) -> Launch:
        busy, doubts = self._busy(kernels.rows)
        notes = (*kernels.notes, *doubts, *self._spilled(kernels.rows))
        if not kernels.rows:
            captured = op.name in self.replayed or op.name.rpartition("_")[0] in self.replayed
            notes = (*notes, CAPTURED if captured else NO_KERNEL)
        if autotuning:
            notes = (*notes, AUTOTUNING)
        return Launch(
            name=op.name,
            place=op.place,
            ts_ns=op.ts_ns,
            busy_ns=busy,
            args=op.args,
            gpu_places=tuple(map(self._place, kernels.rows)),
            device=self._device(kernels.rows[0]) if kernels.rows else None,
            stream=self._stream(kernels.rows[0]) if kernels.rows else None,
            grid=self._grid(kernels.rows[0]) if kernels.rows else None,
            autotuning=autotuning,
            stack=op.stack,
            notes=notes,
        )

    def of_kernel(self, row: int, graph: int | None, *, autotuning: bool) -> Launch:
        busy, doubts = self._busy([row])
        place = self._place(row)
        return Launch(
            name=self.texts[self.kernels.name[row]].removesuffix(".kd"),
            place=place,
            ts_ns=self.kernels.ts_ns[row],
            busy_ns=busy,
            args=None,
            args_from="none",
            gpu_places=(place,),
            device=self._device(row),
            stream=self._stream(row),
            graph_id=graph,
            grid=self._grid(row),
            autotuning=autotuning,
            notes=(*doubts, *self._spilled([row]), *([AUTOTUNING] if autotuning else [])),
        )

    def _busy(self, rows: Sequence[int]) -> tuple[int | None, tuple[Note, ...]]:
        """The union of the kernels' times, or None and why: one that cannot be believed spoils it."""
        ts, dur = self.kernels.ts_ns, self.kernels.dur_ns
        if len(rows) == 1:
            note = doubt(dur[rows[0]])
            return (dur[rows[0]], ()) if note is None else (None, (note,))
        doubts = tuple(dict.fromkeys(note for row in rows if (note := doubt(dur[row])) is not None))
        if not rows or doubts:
            return None, doubts
        return busy_ns((ts[row], ts[row] + dur[row]) for row in rows), ()

    def _spilled(self, rows: Sequence[int]) -> tuple[Note, ...]:
        registers = self.kernels.registers
        return (REGISTER_LIMIT,) if any(registers[row] >= MOST_REGISTERS for row in rows) else ()

    def _place(self, row: int) -> Place:
        kernels = self.kernels
        return Place(kernels.event_index[row], kernels.offset[row], kernels.length[row])

    def _device(self, row: int) -> int | None:
        number = self.kernels.device[row]
        text = "" if number == ABSENT else self.texts[number]
        return int(text) if text.isascii() and text.isdigit() else None

    def _grid(self, row: int) -> Grid | None:
        number = self.kernels.grid[row]
        if number not in self.grids:
            self.grids[number] = parse_grid(self.texts[number])
        return self.grids[number]

    def _stream(self, row: int) -> str | None:
        number = self.kernels.stream[row]
        return None if number == ABSENT else self.texts[number]


def _duration_problems(launches: Sequence[Launch]) -> list[Problem]:
    """One warning a kind, at the first launch that has it."""
    counts = Counter(note for launch in launches for note in launch.notes if note in DURATION_NOTES)
    problems = []
    for note in DURATION_NOTES:
        if counts[note]:
            first = next(launch for launch in launches if note in launch.notes)
            place = next(iter(first.gpu_places), first.place)
            which = part_of(counts[note], len(launches), "launch")
            message = f"No usable time for {which}; the first is {first.name}. {note.text}"
            problems.append(
                Problem(note.code, "warning", message, offset=place.offset if place.length else None)
            )
    return problems
