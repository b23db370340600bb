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

Nothing is averaged or guessed: a kernel that remains ambiguous has no arguments, and its note says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from perfcore.problem import Note
from perfcore.trace.alignment import certain_matches
from perfcore.trace.model import LaunchArgs
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


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was found out of one replayed kernel's arguments: None with the reason in `note`."""

    args: LaunchArgs | None
    note: Note
    stack: tuple[str, ...] = ()


def graph_arguments(names: Sequence[str], own: Tape, captures: Sequence[Tape]) -> list[Arguments]:
    """The arguments of each kernel of one graph, `names` being its GPU functions in order of time.
    The trace's `own` recording goes before `captures`."""
    search = _Search(names, own, captures)
    by_order = search.in_one_piece() or search.aligned()
    by_name = search.by_name(NO_CAPTURE)
    return [found or name_only for found, name_only in zip(by_order, by_name, strict=True)]


def arguments_by_name(name: str, own: Tape, captures: Sequence[Tape], *, replayed: bool) -> Arguments:
    """The arguments of a kernel about whose place in a sequence nothing is known."""
    return _Search((name,), own, captures).by_name(NO_CAPTURE if replayed else NO_CPU_OP)[0]


class _Part:
    """Some launches of one tape, as a text of one character a launch, with their arguments numbered."""

    def __init__(self, label: str, launches: Sequence[Recorded], search: _Search) -> None:
        self.label = label
        self.text = "".join(search.symbol(launch.name) for launch in launches)
        self.keys = [search.keys.setdefault(launch.args, len(search.keys)) for launch in launches]
        self.stacks = [launch.stack for launch in launches]


class _Search:
    """One graph's names against all tapes; `tiers` are the tapes in order of preference."""

    def __init__(self, names: Sequence[str], own: Tape, captures: Sequence[Tape]) -> None:
        self.symbols = {name: chr(number) for number, name in enumerate(sorted(set(names)), 1)}
        self.text = "".join(map(self.symbols.__getitem__, names))
        self.labels = [tape.label for tape in captures]
        self.keys: dict[LaunchArgs, int] = {}
        self._functions = Functions(names)
        self._recorded: dict[str, str] = {}
        self.tiers = [tier for tapes in ([own], captures) for tier in self._preferred(tapes)]
        self.args = list(self.keys)
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

    def symbol(self, recorded: str) -> str:
        """The character of the graph's function that a recorded kernel's name agrees with best."""
        known = self._recorded.get(recorded)
        if known is None:
            agreeing = self._functions.agreeing(recorded)
            known = self._recorded[recorded] = self.symbols[agreeing[0][1]] if agreeing else _UNKNOWN
        return known

    def in_one_piece(self) -> list[Arguments] | None:
        """The whole graph stands in a recording, one launch after the other."""
        for tier in self.tiers:
            found = ((part, start) for part in tier for start in _places(self.text, part.text))
            places = list(islice(found, _MOST_PLACES + 1))
            if 0 < len(places) <= _MOST_PLACES:
                return self._agreed(places)
        return None

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
                    if len(keys) == 1 and all(possible.get(position) for _, possible in best):
                        found[position] = Arguments(self.args[keys.pop()], note)
                break
        return found

    def by_name(self, nothing_known: Note) -> list[Arguments]:
        answers: dict[str, Arguments] = {}
        for symbol in set(self.text):
            known = self.known[symbol]
            label = _listed(label for labels in known.values() for label in labels)
            if len(known) == 1:
                text = (
                    f"Arguments from {label}, by name alone: it holds one set of arguments for this kernel."
                )
                answers[symbol] = Arguments(self.args[next(iter(known))], Note("capture-name", text))
            elif known:
                answers[symbol] = _ambiguous(label, len(known))
            elif self.labels:
                text = f"No launch of this kernel is recorded in {_listed(self.labels)}."
                answers[symbol] = Arguments(None, Note("capture-missing", text))
            else:
                answers[symbol] = Arguments(None, nothing_known)
        return [answers[symbol] for symbol in self.text]


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
