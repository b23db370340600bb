"""Fixtures that say beside the code what the server must say there.

A line that begins with `#@` (`//@` in JSON) tells of the line above it and is not part of the file:

    #@ lens |triton_poi_fused_add_0| 3.19 TB/s · 60 % of peak
    #@ hover |triton_poi| first line
    #@     next line
    #@ definition |triton_poi| cache/xx/cxx.py:12 triton_poi_fused_add_0

Between the bars stands what to find in the line above (its first occurrence): lenses, diagnostics and questions
begin where it begins, a hint stands where it ends. All lenses, hints and diagnostics of a file must be told, and
no other may appear. `nothing` is the answer to a question where there must be none.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

MARKER = re.compile(r"^\s*(?:#|//)@(?P<rest> .*|)$")
FIRST = re.compile(r" (?P<kind>\w+) \|(?P<anchor>[^|]*)\| ?(?P<text>.*)")


@dataclass
class Expectation:
    """One expectation. `line` is zero-based; `start` and `end` are UTF-16 columns of the anchor."""

    kind: str
    line: int
    start: int
    end: int
    anchor: str
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class Fixture:
    """One file without its markers."""

    path: Path
    text: str
    expectations: list[Expectation] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    def of(self, kind: str) -> list[Expectation]:
        return [expectation for expectation in self.expectations if expectation.kind == kind]


def read_fixture(path: Path, source: Path) -> Fixture:
    """The file `source` as it shall stand at `path`."""
    text: list[str] = []
    expectations: list[Expectation] = []
    for line in source.read_bytes().decode().split("\n"):
        marker = MARKER.match(line)
        if marker is None:
            text.append(line)
            continue
        first = FIRST.fullmatch(marker["rest"])
        if first is None:
            expectations[-1].lines.append(marker["rest"].removeprefix("     ").removeprefix(" "))
            continue
        above = text[-1]
        index = above.index(first["anchor"])
        start = len(above[:index].encode("utf-16-le")) // 2
        end = start + len(first["anchor"].encode("utf-16-le")) // 2
        expectations.append(
            Expectation(first["kind"], len(text) - 1, start, end, first["anchor"], [first["text"]])
        )
    return Fixture(path, "\n".join(text), expectations)


def lay_out(fixtures: Path, workspace: Path) -> dict[str, Fixture]:
    """Writes a fixture folder's files without their markers into a workspace; returns them by relative path."""
    found: dict[str, Fixture] = {}
    for source in sorted(fixtures.rglob("*")):
        if not source.is_file() or source.name == "settings.json":
            continue
        name = source.relative_to(fixtures).as_posix()
        target = workspace / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in (".py", ".json"):
            found[name] = read_fixture(target, source)
            target.write_bytes(found[name].text.encode())
        else:
            shutil.copy(source, target)
    return found
