"""Arguments for kernels that a CUDA or HIP graph replays, from the launches recorded when it was captured.

A replayed kernel has a name and a time but no cpu_op, hence no shapes. At capture the same kernels were
launched one by one from cpu_ops that have them: in the same trace, or in another of the same program. A graph
replays its kernels in the order of their capture, so names and order say which is which:

1. The graph's names stand in a recording one after the other. They may stand there several times (warm-up
   runs, a program captured twice): launches that were only captured, not executed, are preferred, and where
   the places still differ in a kernel's arguments, that kernel stays without.
2. Else the longest common subsequence aligns the two (kernels lost from either side), if it covers at least
   half of the graph. Only what every longest alignment agrees on is used.
3. Else by name alone, where all recordings know the kernel with one set of arguments only.

Where the trace has the replayed kernels' grids (CUDA), recorded arguments that ask for another grid are not
theirs: a server captures the same kernels once a batch size.

Nothing is averaged or guessed: a kernel that remains ambiguous has no arguments, and its note says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from perfcore.problem import Note
from perfcore.trace.alignment import certain_matches
from perfcore.trace.launch_grid import expected_grid
from perfcore.trace.model import Grid, LaunchArgs
from perfcore.trace.same_kernel import Functions

_MOST_PLACES = 2_000
"""A sequence that recurs more often than this (a graph of one kernel) has no order to go by."""
_UNKNOWN = "\0"

NO_CAPTURE = Note(
    "no-capture",
    "A graph replayed this kernel, so the trace has no shapes for it: they are in a trace recorded while the graph "
    "was captured, or in the kernel's source.",
)
NO_CPU_OP = Note(
    "no-cpu-op",
    "The trace has no cpu_op for this kernel, so no shapes: it was recorded without CPU activity.",
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One launch of a recording. `executed` is False when it has no GPU kernel, as while a graph is captured."""

    name: str
    args: LaunchArgs
    stack: tuple[str, ...]
    executed: bool


@dataclass(frozen=True, slots=True)
class Tape:
    """The launches of one recording in order of time; `label` says where it lies."""

    label: str
    launches: tuple[Recorded, ...]


Replayed = tuple[str, Grid | None]
"""A replayed kernel's function name, and its grid where the trace has it."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was found out of one replayed kernel's arguments: None with the reason in `note`."""

    args: LaunchArgs | None
    note: Note
    stack: tuple[str, ...] = ()


def graph_arguments(kernels: Sequence[Replayed], own: Tape, captures: Sequence[Tape]) -> list[Arguments]:
    """The arguments of each kernel of one graph, in order of time. The trace's `own` recording goes before
    `captures`."""
    search = _Search(kernels, own, captures)
    in_one_piece = search.in_one_piece()
    if in_one_piece:
        return in_one_piece
    by_name = search.by_name(NO_CAPTURE)
    contradicted = next((each for each in by_name if each.note.code == "capture-mismatch"), None)
    if (
        contradicted
    ):  # recorded with other shapes, so kernels whose grid happens to be the same have others too
        return [contradicted if each.args else each for each in by_name]
    return [found or name_only for found, name_only in zip(search.aligned(), by_name, strict=True)]


def arguments_by_name(kernel: Replayed, own: Tape, captures: Sequence[Tape], *, replayed: bool) -> Arguments:
    """The arguments of a kernel about whose place in a sequence nothing is known."""
    return _Search((kernel,), own, captures).by_name(NO_CAPTURE if replayed else NO_CPU_OP)[0]


class _Part:
    """Some launches of one tape, as a text of one character a launch, with their arguments and grids numbered:
    launches with equal numbers are the same to every figure."""

    def __init__(self, label: str, launches: Sequence[Recorded], search: _Search) -> None:
        self.label = label
        self.text = "".join(search.symbol(launch.name) for launch in launches)
        self.keys = [search.key(launch) for launch in launches]
        self.stacks = [launch.stack for launch in launches]


class _Search:
    """One graph's kernels against all tapes; `tiers` are the tapes in order of preference."""

    def __init__(self, kernels: Sequence[Replayed], own: Tape, captures: Sequence[Tape]) -> None:
        self.names = names = [name for name, _ in kernels]
        self.grids = [grid for _, grid in kernels]
        self.symbols = {name: chr(number) for number, name in enumerate(sorted(set(names)), 1)}
        self.text = "".join(map(self.symbols.__getitem__, names))
        self.labels = [tape.label for tape in captures]
        self.args: list[LaunchArgs] = []
        self.expected: list[Grid | None] = []
        self._gridded = any(self.grids)
        self._keys: dict[tuple[LaunchArgs, Grid | None], int] = {}
        self._functions = Functions(names)
        self._recorded: dict[str, str] = {}
        self.tiers = [tier for tapes in ([own], captures) for tier in self._preferred(tapes)]
        self.known: defaultdict[str, dict[int, set[str]]] = defaultdict(dict)  # symbol → arguments → labels
        for part in (part for tier in self.tiers for part in tier):
            for symbol, key in zip(part.text, part.keys, strict=True):
                self.known[symbol].setdefault(key, set()).add(part.label)

    def _preferred(self, tapes: Sequence[Tape]) -> Iterator[list[_Part]]:
        """What was only captured, then everything, leaving out tapes that have nothing new to say."""
        captured = [(tape.label, [r for r in tape.launches if not r.executed]) for tape in tapes]
        everything = [(tape.label, tape.launches) for tape in tapes if any(r.executed for r in tape.launches)]
        for tier in (captured, everything):
            yield [_Part(label, launches, self) for label, launches in tier if launches]

    def key(self, launch: Recorded) -> int:
        """The number of a launch's arguments, with the grid that they ask for if the graph's grids are known."""
        grid = expected_grid(launch.name, launch.args) if self._gridded else None
        number = self._keys.setdefault((launch.args, grid), len(self.args))
        if number == len(self.args):
            self.args.append(launch.args)
            self.expected.append(grid)
        return number

    def fits(self, position: int, key: int) -> bool:
        """Whether a kernel's grid does not contradict these arguments."""
        grid, expected = self.grids[position], self.expected[key]
        return grid is None or expected is None or grid == expected

    def symbol(self, recorded: str) -> str:
        """The character of the graph's function that a recorded kernel's name agrees with best."""
        known = self._recorded.get(recorded)
        if known is None:
            agreeing = self._functions.agreeing(recorded)
            known = self._recorded[recorded] = self.symbols[agreeing[0][1]] if agreeing else _UNKNOWN
        return known

    def in_one_piece(self) -> list[Arguments] | None:
        """The whole graph stands in a recording, one launch after the other, with the grids it was replayed with."""
        for tier in self.tiers:
            found = ((part, start) for part in tier for start in _places(self.text, part.text))
            places = list(islice(found, _MOST_PLACES + 1))
            if 0 < len(places) <= _MOST_PLACES:
                fitting = [place for place in places if self._place_fits(*place)]
                if fitting:
                    return self._agreed(fitting)
        return None

    def _place_fits(self, part: _Part, start: int) -> bool:
        return not self._gridded or all(self.fits(at, part.keys[start + at]) for at in range(len(self.text)))

    def _agreed(self, places: list[tuple[_Part, int]]) -> list[Arguments]:
        label = _listed(part.label for part, _ in places)
        text = f"Arguments from {label}, which holds the graph's {len(self.text)} Triton kernels in the same order."
        note = Note("capture", text)
        found: list[Arguments] = []
        for position in range(len(self.text)):
            keys = {part.keys[start + position] for part, start in places}
            if len(keys) == 1:
                stacks = {part.stacks[start + position] for part, start in places}
                found.append(Arguments(self.args[keys.pop()], note, stacks.pop() if len(stacks) == 1 else ()))
            else:
                found.append(_ambiguous(label, len(keys)))
        return found

    def aligned(self) -> list[Arguments | None]:
        """The graph and a recording have most of their kernels in common."""
        found: list[Arguments | None] = [None] * len(self.text)
        wanted = [position for position, symbol in enumerate(self.text) if len(self.known[symbol]) > 1]
        for tier in self.tiers if wanted else []:
            matches = [
                (part, match) for part in tier if (match := certain_matches(self.text, part.text, wanted))
            ]
            longest = max((match.length for _, match in matches), default=0)
            if longest * 2 >= len(self.text):
                best = [(part, match.possible) for part, match in matches if match.length == longest]
                label = _listed(part.label for part, _ in best)
                text = f"Arguments from {label}: {longest} of the graph's {len(self.text)} match by name and order."
                note = Note("capture-aligned", text)
                for position in wanted:
                    keys = {part.keys[at] for part, possible in best for at in possible.get(position, ())}
                    keys = {key for key in keys if self.fits(position, key)}
                    if len(keys) == 1 and all(possible.get(position) for _, possible in best):
                        found[position] = Arguments(self.args[keys.pop()], note)
                break
        return found

    def by_name(self, nothing_known: Note) -> list[Arguments]:
        answers: dict[Replayed, Arguments] = {}
        for position, kernel in enumerate(zip(self.text, self.grids, strict=True)):
            if kernel not in answers:
                answers[kernel] = self._by_name(position, nothing_known)
        return [answers[kernel] for kernel in zip(self.text, self.grids, strict=True)]

    def _by_name(self, position: int, nothing_known: Note) -> Arguments:
        name = self.names[position]
        known = self.known[self.text[position]]
        label = _listed(label for labels in known.values() for label in labels)
        fitting = [key for key in known if self.fits(position, key)]
        distinct = {self.args[key] for key in fitting}
        if len(distinct) == 1:
            how = "by name alone" if len(fitting) == len(known) else "by name and grid"
            text = f"Arguments from {label}, {how}: it holds one set of arguments for this kernel."
            return Arguments(distinct.pop(), Note("capture-name", text))
        if distinct:
            return _ambiguous(label, len(distinct))
        if known:
            grid = "×".join(map(str, self.grids[position] or ()))
            text = (
                f"{label} holds this graph's kernels with other shapes: none asks for {name}'s grid {grid}."
            )
            return Arguments(None, Note("capture-mismatch", text))
        if self.labels:
            text = f"No launch of this kernel is recorded in {_listed(self.labels)}."
            return Arguments(None, Note("capture-missing", text))
        return Arguments(None, nothing_known)


def _places(text: str, within: str) -> Iterator[int]:
    start = within.find(text)
    while start >= 0:
        yield start
        start = within.find(text, start + 1)


def _listed(labels: Iterable[str]) -> str:
    distinct = sorted(set(labels))
    return ", ".join(distinct[:3]) + (f" and {len(distinct) - 3} more" if len(distinct) > 3 else "")


def _ambiguous(label: str, count: int) -> Arguments:
    text = (
        f"{label} holds this kernel with {count} different sets of arguments, and order does not tell which."
    )
    return Arguments(None, Note("capture-ambiguous", text))
