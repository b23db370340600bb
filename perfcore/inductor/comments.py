"""The comment block that Inductor writes above a kernel's definition and above its call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfcore.inductor.model import UserLine
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.user_lines import lines_in_comments

_MAX_LINES = 20_000
_NODES = re.compile(r"Source Nodes:[ \t]*\[(?P<names>[^\]\n]*)")
_ATEN = re.compile(r"Original ATen:[ \t]*\[?(?P<names>[^\]\n]*)")
"""In brackets beside the nodes; by itself and without brackets in PyTorch 2.0."""
_MAPPED_NODES = re.compile(r"^#[ \t]*[^\n]*? => (?P<names>[\w, \t]+)$", re.MULTILINE)
_FRAGMENT_NODE = re.compile(r"^#[ \t]*%(?P<name>\w+) : (?P<rest>[^\n]*)", re.MULTILINE)
_USERS_KERNEL = re.compile(
    r"^#[ \t]*Original path:[ \t]*(?P<path>[^ \t\n][^\n]*):(?P<line>\d{1,9})[ \t]*$", re.MULTILINE
)
_PATH = re.compile(r"kernel path:[ \t]*(?P<path>[^ \t\n][^\n]*)")


@dataclass(frozen=True, slots=True)
class KernelComment:
    """`start` and `end` are indices into the file's text; the names are as written (`aten.add`, `prims.…`).
    `original_aten` is None where no such comment stands there."""

    start: int
    end: int
    kernel_path: str | None
    path_start: int
    source_nodes: tuple[str, ...]
    original_aten: tuple[str, ...] | None
    graph_nodes: tuple[str, ...]
    user_lines: tuple[UserLine, ...]


def comment_above(positions: TextPositions, line: int) -> KernelComment | None:
    """The comment lines right above `line`. A single empty line may stand among them: PyTorch 2.0 has one after
    the operators, 2.4 one before a foreach kernel; two end the block."""
    text = positions.text

    def stripped(number: int) -> str:
        return (
            text[positions.line_start(number) : positions.line_start(number + 1)].strip()
            if number >= 0
            else ""
        )

    first = line
    while line - first < _MAX_LINES:
        gap = 0 if stripped(first - 1) else 1
        if not stripped(first - 1 - gap).startswith("#"):
            break
        first -= 1 + gap
    last = line
    if first == last:
        return None
    return read_comment(text, positions.line_start(first), positions.line_start(last))


def read_comment(text: str, start: int, end: int) -> KernelComment:
    path = _PATH.search(text, start, end)
    nodes = _NODES.search(text, start, end)
    aten = _ATEN.search(text, start, end)
    return KernelComment(
        start=start,
        end=end,
        kernel_path=path["path"].rstrip() if path else None,
        path_start=path.start("path") if path else start,
        source_nodes=_names(nodes["names"]) if nodes else (),
        original_aten=_names(aten["names"]) if aten else None,
        graph_nodes=_graph_nodes(text, start, end),
        user_lines=_user_lines(text, start, end),
    )


def _graph_nodes(text: str, start: int, end: int) -> tuple[str, ...]:
    """The nodes that the kernel computes: all of the graph fragment (from PyTorch 2.5) but its inputs, and those
    that source nodes became."""
    nodes: dict[str, None] = {}
    for found in _MAPPED_NODES.finditer(text, start, end):
        nodes.update(dict.fromkeys(_names(found["names"])))
    for found in _FRAGMENT_NODE.finditer(text, start, end):
        if "PlaceHolder[" not in found["rest"]:
            nodes[found["name"]] = None
    return tuple(nodes)


def _user_lines(text: str, start: int, end: int) -> tuple[UserLine, ...]:
    """Over a user's own Triton kernel stands the place of its definition; other comments may name lines as
    readable graphs do."""
    written = [
        UserLine(found["path"], int(found["line"]) - 1) for found in _USERS_KERNEL.finditer(text, start, end)
    ]
    return (*written, *(line for _, line in lines_in_comments(text, start, end)))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))
