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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from perfcore.counted import counted
from perfcore.problem import Note
from perfcore.trace.alignment import certain_matches
from perfcore.trace.model import Grid, LaunchArgs
from perfcore.trace.recordings import Part, Recordings

_MOST_PLACED = 2_000_000
"""Kernels of a graph times places where it stands; a sequence that recurs more often has no order to go by."""
_MOST_CHECKS = 20_000_000
"""What all alignments of all graphs may cost together, a few seconds."""

NO_CAPTURE = Note(
    "no-capture",
    "A graph replayed this kernel, so the trace has no shapes for it: they are in a trace recorded while the graph "
    "was captured, or in the kernel's source.",
)
NO_CPU_OP = Note(
    "no-cpu-op",
    "The trace has no cpu_op for this kernel, so no shapes: it was recorded without CPU activity.",
)

Replayed = tuple[str, Grid | None]
"""A replayed kernel's function name, and its grid where the trace has it."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was found out of one replayed kernel's arguments: None with the reason in `note`."""

    args: LaunchArgs | None
    note: Note
    stack: tuple[str, ...] = ()


class GraphArguments:
    """Arguments of graphs from some recordings. A graph that was launched often is searched for once."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._of_graph: dict[tuple[Replayed, ...], list[Arguments]] = {}
        self._of_kernel: dict[tuple[Replayed, bool], Arguments] = {}
        self._checks_left = _MOST_CHECKS

    def in_order(self, kernels: Sequence[Replayed]) -> list[Arguments]:
        """The arguments of each kernel of one graph, in order of time."""
        graph = tuple(kernels)
        if graph not in self._of_graph:
            self._of_graph[graph] = self._search(graph)
        return self._of_graph[graph]

    def by_name(self, kernel: Replayed, *, replayed: bool) -> Arguments:
        """The arguments of a kernel about whose place in a sequence nothing is known."""
        at = (kernel, replayed)
        if at not in self._of_kernel:
            search = _Search((kernel,), self._recordings)
            self._of_kernel[at] = search.by_name(NO_CAPTURE if replayed else NO_CPU_OP)[0]
        return self._of_kernel[at]

    def _search(self, graph: Sequence[Replayed]) -> list[Arguments]:
        search = _Search(graph, self._recordings)
        in_one_piece = search.in_one_piece()
        if in_one_piece:
            return in_one_piece
        by_name = search.by_name(NO_CAPTURE)
        contradicted = next((each for each in by_name if each.note.code == "capture-mismatch"), None)
        if contradicted:
            # Recorded with other shapes, so the kernels whose grid happens to be the same have others too.
            return [contradicted if each.args else each for each in by_name]
        aligned = search.aligned(self._checks_left)
        self._checks_left -= search.checks
        return [found or name_only for found, name_only in zip(aligned, by_name, strict=True)]


class _Search:
    """One graph against all recordings. `checks` is what its alignments cost."""

    def __init__(self, kernels: Sequence[Replayed], recordings: Recordings) -> None:
        self.checks = 0
        self._recordings = recordings
        self._names = [name for name, _ in kernels]
        self._grids = [grid for _, grid in kernels]
        self._has_grids = any(self._grids)
        characters, self._means = recordings.alphabet(self._names)
        self._text = "".join([characters[name] for name in self._names])
        self._same = {
            ord(each): characters[name] for name, means in self._means.items() for each in means[1:]
        }

    def _in(self, part: Part) -> str:
        """A part's text in the graph's alphabet."""
        return part.text.translate(self._same) if self._same else part.text

    def _fits(self, position: int, character: str, key: int) -> bool:
        """Whether the kernel's grid does not contradict these arguments of a recorded kernel."""
        grid = self._grids[position]
        if grid is None:
            return True
        expected = self._recordings.grid(character, key)
        return expected is None or expected == grid

    def in_one_piece(self) -> list[Arguments] | None:
        """The whole graph stands in a recording, one launch after the other, with the grids of its replay."""
        most = max(1, _MOST_PLACED // len(self._text))
        for tier in self._recordings.tiers:
            found = ((part, start) for part in tier for start in _places(self._text, self._in(part)))
            places = list(islice(found, most + 1))
            if len(places) <= most:
                fitting = [place for place in places if self._place_fits(*place)]
                if fitting:
                    return self._agreed(fitting)
        return None

    def _place_fits(self, part: Part, start: int) -> bool:
        return not self._has_grids or all(
            self._fits(position, part.text[start + position], part.keys[start + position])
            for position in range(len(self._text))
        )

    def _agreed(self, places: Sequence[tuple[Part, int]]) -> list[Arguments]:
        label = _listed(part.label for part, _ in places)
        text = f"Arguments from {label}, which holds the graph's {counted(len(self._text), 'Triton kernel')} in the same order."
        note = Note("capture", text)
        found: list[Arguments] = []
        for position in range(len(self._text)):
            keys = {part.keys[start + position] for part, start in places}
            if len(keys) == 1:
                stacks = {part.stacks[start + position] for part, start in places}
                stack = stacks.pop() if len(stacks) == 1 else ()
                found.append(Arguments(self._recordings.args[keys.pop()], note, stack))
            else:
                found.append(_ambiguous(label, len(keys)))
        return found

    def aligned(self, most_checks: int) -> list[Arguments | None]:
        """The graph and a recording have most of their kernels in common."""
        found: list[Arguments | None] = [None] * len(self._text)
        several = {name for name in self._means if len(self._known(name)) > 1}
        wanted = [position for position, name in enumerate(self._names) if name in several]
        for tier in self._recordings.tiers if wanted else []:
            matches = []
            for part in tier:
                self.checks += len(wanted) * len(part.text)
                if self.checks <= most_checks:
                    match = certain_matches(self._text, self._in(part), wanted)
                    if match:
                        matches.append((part, match))
            longest = max((match.length for _, match in matches), default=0)
            if longest * 2 >= len(self._text):
                best = [(part, match.possible) for part, match in matches if match.length == longest]
                label = _listed(part.label for part, _ in best)
                text = f"Arguments from {label}: {longest} of the graph's {len(self._text)} match by name and order."
                note = Note("capture-aligned", text)
                for position in wanted:
                    keys = {
                        part.keys[at]
                        for part, possible in best
                        for at in possible.get(position, ())
                        if self._fits(position, part.text[at], part.keys[at])
                    }
                    if len(keys) == 1 and all(possible.get(position) for _, possible in best):
                        found[position] = Arguments(self._recordings.args[keys.pop()], note)
                break
        return found

    def _known(self, name: str) -> dict[tuple[str, int], set[str]]:
        """What a function may have been recorded as, by character and key, with the labels of where."""
        known = self._recordings.known
        return {(each, key): labels for each in self._means[name] for key, labels in known(each).items()}

    def by_name(self, nothing_known: Note) -> list[Arguments]:
        answers: dict[Replayed, Arguments] = {}
        kernels = list(zip(self._names, self._grids, strict=True))
        for position, kernel in enumerate(kernels):
            if kernel not in answers:
                answers[kernel] = self._by_name(position, nothing_known)
        return [answers[kernel] for kernel in kernels]

    def _by_name(self, position: int, nothing_known: Note) -> Arguments:
        name = self._names[position]
        known = self._known(name)
        label = _listed(label for labels in known.values() for label in labels)
        fitting = {key for character, key in known if self._fits(position, character, key)}
        if len(fitting) == 1:
            how = "by name alone" if len(known) == 1 else "by name and grid"
            text = f"Arguments from {label}, {how}: it holds one set of arguments for this kernel."
            return Arguments(self._recordings.args[fitting.pop()], Note("capture-name", text))
        if fitting:
            return _ambiguous(label, len(fitting))
        if known:
            grid = "×".join(map(str, self._grids[position] or ()))
            text = (
                f"{label} holds this graph's kernels with other shapes: none asks for {name}'s grid {grid}."
            )
            return Arguments(None, Note("capture-mismatch", text))
        if self._recordings.captures:
            text = f"No launch of this kernel is recorded in {_listed(self._recordings.captures)}."
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
    text = f"{label} holds this kernel with {counted(count, 'different set')} of arguments, and order does not tell which."
    return Arguments(None, Note("capture-ambiguous", text))
