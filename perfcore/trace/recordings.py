"""Recordings of launches that may be those of a graph, indexed once for however many graphs ask.

A recording becomes a text with one character a launch, a different one for each kernel's name, so that finding a
graph's kernels in it is `str.find`. Equal arguments have equal numbers ("keys").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from perfcore.trace.launch_grid import expected_grid
from perfcore.trace.model import Grid, LaunchArgs
from perfcore.trace.same_kernel import Agreement, Names, agreement

_MOST_NAMES = 500_000
_NO_NAME = chr(0x10FFFF)
"""Unicode has a million characters, and no program half as many kernels; further ones are nobody's."""


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
class Part:
    """All launches of a tape, or those that were only captured. Characters, keys and stacks run parallel."""

    label: str
    text: str
    keys: list[int]
    stacks: list[tuple[str, ...]]


class Recordings:
    """The trace's own recording and those of its captures. `tiers` are their parts in order of preference, `args`
    the arguments by key, `captures` the labels of the captures."""

    def __init__(self, own: Tape, captures: Sequence[Tape]) -> None:
        self.captures = [tape.label for tape in captures]
        self.args: list[LaunchArgs] = []
        self._keys: dict[LaunchArgs, int] = {}
        self._names: list[str] = []
        self._characters: dict[str, str] = {}
        self._known: defaultdict[str, dict[int, set[str]]] = defaultdict(dict)
        self._grids: dict[tuple[str, int], Grid | None] = {}
        self.tiers = [tier for tapes in ([own], captures) for tier in self._preferred(tapes)]
        self._index = Names(self._names)
        self._recorded_as: dict[str, list[tuple[Agreement, str]]] = {}

    def _preferred(self, tapes: Sequence[Tape]) -> Iterator[list[Part]]:
        """What was only captured, then everything, leaving out tapes that have nothing new to say."""
        captured = [(tape.label, [r for r in tape.launches if not r.executed]) for tape in tapes]
        everything = [(tape.label, tape.launches) for tape in tapes if any(r.executed for r in tape.launches)]
        for tier in (captured, everything):
            yield [self._part(label, launches) for label, launches in tier if launches]

    def _part(self, label: str, launches: Sequence[Recorded]) -> Part:
        text = "".join([self._character(launch.name) for launch in launches])
        keys = [self._key(launch.args) for launch in launches]
        for character, key in zip(text, keys, strict=True):
            self._known[character].setdefault(key, set()).add(label)
        return Part(label, text, keys, [launch.stack for launch in launches])

    def _character(self, name: str) -> str:
        known = self._characters.get(name)
        if known is None:
            if len(self._names) == _MOST_NAMES:
                return _NO_NAME
            known = self._characters[name] = chr(len(self._names))
            self._names.append(name)
        return known

    def _key(self, args: LaunchArgs) -> int:
        number = self._keys.setdefault(args, len(self.args))
        if number == len(self.args):
            self.args.append(args)
        return number

    def alphabet(self, functions: Iterable[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
        """A character for each GPU function of a graph, and the characters in `tiers` that mean the same.

        A recorded kernel belongs to the function that its name agrees with best; one that no recording knows
        has a character that none holds.
        """
        distinct = sorted(set(functions))
        claims: dict[str, tuple[Agreement, str]] = {}
        for function in distinct:
            for agrees, name in self._recorded(function):
                if name not in claims or agrees > claims[name][0]:
                    claims[name] = (agrees, function)
        means: dict[str, list[str]] = {function: [] for function in distinct}
        for name, (_, function) in claims.items():
            means[function].append(self._characters[name])
        unheld = chr(len(self._names))
        characters = {function: found[0] if found else unheld for function, found in means.items()}
        return characters, means

    def _recorded(self, function: str) -> list[tuple[Agreement, str]]:
        """The recorded names that may be this function: those of just its name, else what agrees."""
        found = self._recorded_as.get(function)
        if found is None:
            likely = [function] if function in self._characters else self._index.like(function)
            ranked = [(agreement(name, function), name) for name in likely]
            found = [each for each in ranked if each[0] >= Agreement.GENERIC]
            self._recorded_as[function] = found
        return found

    def known(self, character: str) -> dict[int, set[str]]:
        """The keys of the arguments that this kernel was recorded with, each with the labels of where."""
        return self._known.get(character, {})

    def grid(self, character: str, key: int) -> Grid | None:
        """The grid that these arguments of this kernel ask for, None if that cannot be told."""
        at = (character, key)
        if at not in self._grids:
            self._grids[at] = expected_grid(self._names[ord(character)], self.args[key])
        return self._grids[at]
