"""The three ways in which PyTorch writes down a line of the user's program, read back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from perfcore.inductor.model import UserLine

_COMMENT = re.compile(
    r"^[ \t#]*# File: (?P<path>[^\n]+?):(?P<line>\d{1,9}) in (?P<function>[^\n,]*)(?:, code: (?P<code>[^\n]*))?",
    re.MULTILINE,
)
_TRACEBACK = re.compile(
    r"^[ \t]*File \"(?P<path>[^\"\n]+)\", line (?P<line>\d{1,9}), in (?P<function>[^\n]*)"
    r"(?:\n(?![ \t]*File \")[ \t]+(?P<code>[^\n]*))?",
    re.MULTILINE,
)
_FRAME = re.compile(r"(?P<path>.+)\((?P<line>\d{1,9})\): (?P<function>.*)")


def lines_in_comments(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, UserLine]]:
    """(index, line) of each `# File: /path/model.py:12 in forward, code: x = …`, as readable graphs have it
    (torch/fx/graph.py, `_parse_stack_trace`)."""
    for found in _COMMENT.finditer(text, start, len(text) if end is None else end):
        code = found["code"].strip() if found["code"] else None
        yield (
            found.start(),
            UserLine(found["path"], _from_one(found["line"]), found["function"].strip(), code),
        )


def lines_in_traceback(text: str) -> tuple[UserLine, ...]:
    """The frames of a Python traceback (`File "/path/model.py", line 12, in forward` and the code below), the
    outermost first, as a graph node's `stack_trace` has it."""
    return tuple(
        UserLine(
            found["path"],
            _from_one(found["line"]),
            found["function"].strip(),
            (found["code"] or "").strip() or None,
        )
        for found in _TRACEBACK.finditer(text)
    )


def lines_in_frames(frames: Sequence[str]) -> tuple[UserLine, ...]:
    """The frames of a profiler's Python stack (`/path/model.py(12): forward`), in the order given; others are left
    out (torch/csrc/autograd/profiler_python.cpp)."""
    found = (_FRAME.fullmatch(frame) for frame in frames if len(frame) < 5000)
    return tuple(
        UserLine(frame["path"], _from_one(frame["line"]), frame["function"]) for frame in found if frame
    )


def _from_one(line: str) -> int:
    return max(0, int(line) - 1)
