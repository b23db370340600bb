"""Which lines of the user's program a kernel was made from: only what PyTorch wrote down, never a guess.

A comment names the lines of a user's own Triton kernel. For all others the wrapper names only graph nodes; where
they come from stands in files that PyTorch leaves beside the wrapper when it is asked to (TORCH_COMPILE_DEBUG=1,
INDUCTOR_PROVENANCE=1, tlparse's output):
- `fx_graph_readable.py`, `fx_graph_transformed.py`: each node under a `# File:` comment (torch/fx/graph.py);
- `*kernel_stack_traces*.json`, `kernel_information.json`: kernel → tracebacks (torch/_inductor/debug.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perfcore.inductor.cache_files import file_stamp, read_source
from perfcore.inductor.model import KernelSource, UserLine
from perfcore.inductor.user_lines import lines_in_comments, lines_in_traceback
from perfcore.problem import Problem

Stack = tuple[UserLine, ...]
"""Frames, the outermost first. A graph's comment gives the innermost only."""

_GRAPH_FILES = ("fx_graph_readable.py", "fx_graph_transformed.py")
_KERNEL_FILES = ("*kernel_stack_traces*.json", "*kernel_information*.json")
_NODE = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z_]\w*)(?:[ \t]*:[ \t]*\"[^\"\n]*\")?[ \t]*=[ \t]*(?!None\b)", re.MULTILINE
)
_NO_STACK = "# No stacktrace found"
_MAX_FILES = 20


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a folder's files say: graph node → the line it comes from, kernel → its tracebacks."""

    nodes: Mapping[str, UserLine] = field(default_factory=dict)
    kernels: Mapping[str, tuple[Stack, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_provenance(folder: str | Path) -> Provenance:
    """Read what PyTorch left in a wrapper's folder. Nothing there is no problem; what cannot be read is one."""
    nodes: dict[str, UserLine] = {}
    kernels: dict[str, tuple[Stack, ...]] = {}
    problems: list[Problem] = []
    for path in (Path(folder) / name for name in _GRAPH_FILES):
        text = _text(path, problems)
        if text:
            nodes.update(nodes_of_graph(text))
    for path in (
        path for pattern in _KERNEL_FILES for path in sorted(Path(folder).glob(pattern))[:_MAX_FILES]
    ):
        text = _text(path, problems)
        if text:
            try:
                kernels.update(stacks_of_kernels(text))
            except ValueError as error:
                message = f"{path} is not the JSON that PyTorch writes: {error}."
                problems.append(Problem("provenance-unreadable", "warning", message, str(path)))
    return Provenance(nodes, kernels, tuple(problems))


def kernel_stacks(kernel: KernelSource, provenance: Provenance | None = None) -> tuple[Stack, ...]:
    """The stacks that a kernel was made from, each once: its tracebacks where they are known, else the lines of
    the graph nodes that it computes, and the lines that the comment over it names."""
    stacks: dict[Stack, None] = {(line,): None for line in kernel.user_lines}
    if provenance is not None:
        tracebacks = provenance.kernels.get(kernel.name) or provenance.kernels.get(kernel.variable or "")
        stacks.update(dict.fromkeys(tracebacks or ()))
        if not tracebacks:
            known = (provenance.nodes.get(node) for node in kernel.graph_nodes)
            stacks.update({(line,): None for line in known if line is not None})
    return tuple(stacks)


def nodes_of_graph(text: str) -> dict[str, UserLine]:
    """Node → the line in the `# File:` comment above it. Nodes above the first comment, and those under
    `# No stacktrace found`, come from nowhere that is known."""
    marks: list[tuple[int, UserLine | None]] = list(lines_in_comments(text))
    at = text.find(_NO_STACK)
    while at >= 0:
        marks.append((at, None))
        at = text.find(_NO_STACK, at + 1)
    marks.sort(key=lambda mark: mark[0])
    ends = [index for index, _ in marks[1:]] + [len(text)]
    nodes: dict[str, UserLine] = {}
    for (start, line), end in zip(marks, ends, strict=False):
        if line is not None:
            nodes.update((found["name"], line) for found in _NODE.finditer(text, text.find("\n", start), end))
    return nodes


def stacks_of_kernels(text: str) -> dict[str, tuple[Stack, ...]]:
    """Kernel → stacks, from `{"kernel:1": ["File …", …]}` or `{"kernel:1": {"stack_traces": […], …}}`; the number
    tells the kernel's calls apart and is dropped. Raises ValueError for other JSON."""
    try:
        read = msgspec.json.decode(text, type=dict[str, list[str] | _KernelInformation])
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    kernels: dict[str, dict[Stack, None]] = {}
    for key, value in read.items():
        traces = value.stack_traces if isinstance(value, _KernelInformation) else value
        stacks = kernels.setdefault(re.sub(r":\d+$", "", key), {})
        stacks.update({stack: None for trace in traces if (stack := lines_in_traceback(trace))})
    return {kernel: tuple(stacks) for kernel, stacks in kernels.items()}


class _KernelInformation(msgspec.Struct):
    stack_traces: list[str] = []


def _text(path: Path, problems: list[Problem]) -> str | None:
    stamp = file_stamp(path)
    if stamp is None:
        return None
    text = read_source(str(path), stamp)
    if isinstance(text, Problem):
        problems.append(text)
        return None
    return text
