"""A wrapper (`output_code.py`) → the kernels it holds and the calls that launch them.

The text may be an editor's unsaved buffer: kernels and calls are found by their beginnings, each is read by
itself, and what cannot be read costs only itself.
Sources: torch/_inductor/codegen/wrapper.py, torch/_inductor/codegen/triton.py (`define_kernel`), multi_kernel.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from perfcore.inductor.brackets import CallSplitter
from perfcore.inductor.model import CallSite, KernelSource, TensorShape
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.shapes import Buffers

_KERNEL = re.compile(
    r"^[ \t]*(?P<variable>\w+)[ \t]*=[ \t]*async_compile\.triton\([ \t\n]*"
    r"(?:(?P<quote>['\"])(?P<function>[^'\"\n]*)(?P=quote)[ \t\n]*,[ \t\n]*)?"
    r"(?P<prefix>[rRbBuU]{0,2})(?P<triple>'''|\"\"\")?",
    re.MULTILINE,
)
_OTHER_DEFINITION = re.compile(
    r"^[ \t]*(?P<variable>\w+)[ \t]*=[ \t]*async_compile\.(?P<what>(?!triton\b)\w+)\(", re.MULTILINE
)
_AFTER_KERNELS = re.compile(
    r"^(?:async_compile\.wait\(|del async_compile|def call\(|class Runner)", re.MULTILINE
)
_WRAPPER = re.compile(r"^(?:async_compile = \w*AsyncCompile\(\)|async_compile\.wait\()", re.MULTILINE)
_RUN = re.compile(r"(?P<kernel>[A-Za-z_][\w.]*)\.run(?P<open>\()")
_KEYWORD = re.compile(r"(?P<name>[A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*")
_LAUNCHER_KEYWORDS = frozenset({"grid", "stream"})
_KERNEL_VARIABLE = re.compile(r"(?:triton_|multi_kernel_|kernel)\w*")
_ESCAPE = re.compile(r"\\([\\'\"])")


@dataclass(frozen=True, slots=True)
class EmbeddedKernel:
    """A kernel's definition: where its statement begins, and its text's indices in the file.

    `text` differs from the file's own characters only where the file escapes a quote or a backslash; its lines are
    the file's. `ended` is False where the closing quotes are missing.
    """

    variable: str
    function: str | None
    start: int
    text_start: int
    text_end: int
    text: str
    ended: bool


def embedded_kernels(text: str) -> list[EmbeddedKernel]:
    """Every `name = async_compile.triton('function', ''' … ''')`, in order. Linear."""
    found = list(_KERNEL.finditer(text))
    kernels: list[EmbeddedKernel] = []
    for number, match in enumerate(found):
        limit = found[number + 1].start() if number + 1 < len(found) else len(text)
        start, triple = match.end(), match["triple"]
        end = _closing_quotes(text, triple, start, limit) if triple else start
        ended = end is not None and bool(triple)
        if end is None:
            after = _AFTER_KERNELS.search(text, start, limit)
            end = after.start() if after else limit
        raw = text[start:end]
        escaped = "\\" in raw and "r" not in match["prefix"].lower()
        kernels.append(
            EmbeddedKernel(
                variable=match["variable"],
                function=match["function"],
                start=match.start("variable"),
                text_start=start,
                text_end=end,
                text=_ESCAPE.sub(r"\1", raw) if escaped else raw,
                ended=ended,
            )
        )
    return kernels


def _closing_quotes(text: str, triple: str, start: int, limit: int) -> int | None:
    at = text.find(triple, start, limit)
    while at >= 0:
        backslashes = at - len(text[start:at].rstrip("\\")) - start if text[at - 1] == "\\" else 0
        if backslashes % 2 == 0:
            return at
        at = text.find(triple, at + 1, limit)
    return None


def is_wrapper(text: str) -> bool:
    """Whether a text reads like a wrapper, even one that launches no Triton kernel."""
    return _WRAPPER.search(text) is not None


def call_sites(
    positions: TextPositions, definitions: list[EmbeddedKernel], kernels: Mapping[str, KernelSource]
) -> tuple[CallSite, ...]:
    """Every launch outside the kernels' own texts, in order; `kernels` by the wrapper's variable."""
    text = positions.text
    splitter = CallSplitter(text)
    multi, gaps = _between_definitions(text, splitter, definitions)
    known = {definition.variable for definition in definitions} | multi.keys()
    buffers = Buffers(text, splitter)
    sites: list[CallSite] = []
    comment: tuple[int, int] | None = None
    done = 0
    for start, end in _lines(text, gaps):
        if start < done:
            continue
        if text[start] == "#":
            if "Original ATen" in text[start:end] or "Source Nodes" in text[start:end]:
                comment = (start, end)
            continue
        run = _RUN.search(text, start, end)
        if run and (run["kernel"] in known or _KERNEL_VARIABLE.fullmatch(run["kernel"])):
            call = splitter.split(run.start("open"))
            if call:
                variable = run["kernel"]
                chosen = multi.get(variable, (variable,))
                args, shapes = _arguments([text[a:b] for a, b in call[1]], buffers, kernels.get(chosen[0]))
                names = tuple(kernels[name].name if name in kernels else name for name in chosen)
                span = positions.span(run.start(), call[0] + 1)
                comment_span = positions.span(*comment) if comment else None
                sites.append(CallSite(variable, span, args, shapes, comment_span, names))
                done = call[0] + 1
            comment = None
            continue
        if "extern_kernels." in text[start:end] or "torch.ops." in text[start:end]:
            comment = None
        buffers.read(start, end)
    return tuple(sites)


def _arguments(
    texts: list[str], buffers: Buffers, kernel: KernelSource | None
) -> tuple[tuple[str, ...], tuple[TensorShape | None, ...]]:
    positional: list[str] = []
    by_keyword: dict[str, str] = {}
    for text in texts:
        keyword = _KEYWORD.match(text)
        if keyword is None:
            positional.append(text)
        elif keyword["name"] not in _LAUNCHER_KEYWORDS:
            by_keyword[keyword["name"]] = text[keyword.end() :]
    order = kernel.params if kernel else ()
    ordered = [name for name in order if name in by_keyword] + [
        name for name in by_keyword if name not in order
    ]
    arguments = positional + [by_keyword[name] for name in ordered]
    shapes = tuple(
        _with_dtype(buffers.shape(argument), kernel, position) for position, argument in enumerate(arguments)
    )
    args = tuple(
        buffers.scalar(argument) if shape is None else argument
        for argument, shape in zip(arguments, shapes, strict=True)
    )
    return args, shapes


def _with_dtype(shape: TensorShape | None, kernel: KernelSource | None, position: int) -> TensorShape | None:
    """Where the wrapper does not say a buffer's dtype (the result of a library call), the kernel's signature does."""
    if shape is None or shape.dtype or kernel is None or position >= len(kernel.signature):
        return shape
    type_ = kernel.signature[position][1]
    return replace(shape, dtype=type_.removeprefix("*")) if type_.startswith("*") else shape


def _between_definitions(
    text: str, splitter: CallSplitter, definitions: list[EmbeddedKernel]
) -> tuple[dict[str, tuple[str, ...]], list[tuple[int, int]]]:
    """The multi-kernels' choices, and the stretches of text that belong to no kernel's definition."""
    taken = [(definition.start, definition.text_end) for definition in definitions]
    multi: dict[str, tuple[str, ...]] = {}
    for start, end in _gaps(taken, len(text)):
        for found in _OTHER_DEFINITION.finditer(text, start, end):
            call = splitter.split(found.end() - 1)
            if call is None:
                continue
            taken.append((found.start(), call[0]))
            if found["what"] == "multi_kernel" and len(call[1]) > 1:
                listed = text[call[1][1][0] : call[1][1][1]]
                multi[found["variable"]] = tuple(re.findall(r"\w+", listed))
    return multi, _gaps(sorted(taken), len(text))


def _gaps(taken: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    gaps: list[tuple[int, int]] = []
    at = 0
    for start, end in taken:
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    gaps.append((at, length))
    return gaps


def _lines(text: str, gaps: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """(start, end) of each line that is not empty, without its indentation."""
    for start, end in gaps:
        at = start
        while at < end:
            line_end = text.find("\n", at, end)
            if line_end < 0:
                line_end = end
            line = text[at:line_end]
            bare = line.strip()
            if bare:
                indent = len(line) - len(line.lstrip())
                yield at + indent, at + indent + len(bare)
            at = line_end + 1
