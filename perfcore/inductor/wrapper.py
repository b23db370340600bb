"""A wrapper (`output_code.py`) → the kernels it holds and the calls that launch them.

The text may be an editor's unsaved buffer: kernels and calls are found by their beginnings, each is read by
itself, and what cannot be read costs only itself.
Sources: torch/_inductor/codegen/wrapper.py, torch/_inductor/codegen/triton.py (`define_kernel`), multi_kernel.py.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from perfcore.inductor.brackets import CallSplitter, line_start
from perfcore.inductor.model import CallSite, KernelSource, TensorShape
from perfcore.inductor.positions import TextPositions
from perfcore.inductor.shapes import Buffers

_DEFINITION = re.compile(r"async_compile\.(?P<what>\w+)\(")
_VARIABLE = re.compile(r"[ \t]*(?P<name>\w+)[ \t]*=[ \t]*")
_TRITON_ARGUMENTS = re.compile(
    r"[ \t\n]*(?:(?P<quote>['\"])(?P<function>[^'\"\n]*)(?P=quote)[ \t\n]*,[ \t\n]*)?"
    r"(?P<prefix>[rRbBuU]{0,2})(?P<triple>'''|\"\"\")?"
)
_AFTER_KERNELS = re.compile(
    r"^(?:async_compile\.wait\(|del async_compile|def \w+\(args\)|class Runner)", re.MULTILINE
)
_WRAPPER = re.compile(r"^(?:async_compile = \w*AsyncCompile\(\)|async_compile\.wait\()", re.MULTILINE)
_RUN = ".run("
_NAME_CHARACTERS = string.ascii_letters + string.digits + "_"
_MAX_NAME_CHARS = 1000
_KEYWORD = re.compile(r"(?P<name>[A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*")
_LAUNCHER_KEYWORDS = frozenset({"grid", "stream"})
_KERNEL_VARIABLE = re.compile(r"(?:triton_|multi_kernel_|kernel)\w*")
_MAX_ESCAPED_CHARS = 1 << 20
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
    found = [(variable, match) for variable, match in _definitions(text) if match["what"] == "triton"]
    kernels: list[EmbeddedKernel] = []
    for number, (variable, match) in enumerate(found):
        arguments = _TRITON_ARGUMENTS.match(text, match.end())
        if arguments is None:
            continue
        limit = found[number + 1][0].start("name") if number + 1 < len(found) else len(text)
        start, triple = arguments.end(), arguments["triple"]
        end = _closing_quotes(text, triple, start, limit) if triple else start
        ended = end is not None and bool(triple)
        if end is None:
            after = _AFTER_KERNELS.search(text, start, limit)
            end = after.start() if after else limit
        raw = text[start:end]
        escaped = len(raw) < _MAX_ESCAPED_CHARS and "\\" in raw and "r" not in arguments["prefix"].lower()
        kernels.append(
            EmbeddedKernel(
                variable=variable["name"],
                function=arguments["function"],
                start=variable.start("name"),
                text_start=start,
                text_end=end,
                text=_ESCAPE.sub(r"\1", raw) if escaped else raw,
                ended=ended,
            )
        )
    return kernels


def _definitions(
    text: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """(the variable, the call) of each `variable = async_compile.what(` that begins a line."""
    for found in _DEFINITION.finditer(text, start, len(text) if end is None else end):
        variable = _VARIABLE.fullmatch(text, line_start(text, found.start()), found.start())
        if variable:
            yield variable, found


def _closing_quotes(text: str, triple: str, start: int, limit: int) -> int | None:
    at = text.find(triple, start, limit)
    while at >= 0:
        backslashes = 0
        while at - backslashes > start and text[at - backslashes - 1] == "\\":
            backslashes += 1
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
    buffers = Buffers(text, splitter, gaps)
    sites: list[CallSite] = []
    comment: tuple[int, int] | None = None
    done = 0
    for start, line in _lines(text, gaps):
        if start < done:
            continue
        if line[0] == "#":
            if "Original ATen" in line or "Source Nodes" in line:
                comment = (start, start + len(line))
        elif variable := _launched(line, known):
            call = splitter.split(start + line.index(_RUN) + len(_RUN) - 1)
            if call:
                chosen = multi.get(variable, (variable,))
                args, shapes = _arguments([text[a:b] for a, b in call[1]], buffers, kernels.get(chosen[0]))
                names = tuple(kernels[name].name if name in kernels else name for name in chosen)
                span = positions.span(start + line.index(_RUN) - len(variable), call[0] + 1)
                comment_span = positions.span(*comment) if comment else None
                sites.append(CallSite(variable, span, args, shapes, comment_span, names))
                done = call[0] + 1
            comment = None
        else:
            if "extern_kernels." in line or "torch.ops." in line:
                comment = None
            buffers.read(start, line)
    return tuple(sites)


def _launched(line: str, known: Collection[str]) -> str | None:
    """The kernel's variable, in a line that launches one."""
    at = line.find(_RUN)
    if at <= 0:
        return None
    before = line[max(0, at - _MAX_NAME_CHARS) : at]
    name = before[len(before.rstrip(_NAME_CHARACTERS)) :]
    return name if name in known or _KERNEL_VARIABLE.fullmatch(name) else None


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
        for variable, found in _definitions(text, start, end):
            call = splitter.split(found.end() - 1)
            if call is None:
                continue
            taken.append((variable.start("name"), call[0]))
            if found["what"] == "multi_kernel" and len(call[1]) > 1:
                listed = text[call[1][1][0] : call[1][1][1]]
                multi[variable["name"]] = tuple(re.findall(r"\w+", listed))
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


def _lines(text: str, gaps: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """(start, text) of each line that is not empty, without its indentation."""
    for start, end in gaps:
        at = start
        while at < end:
            line_end = text.find("\n", at, end)
            if line_end < 0:
                line_end = end
            line = text[at:line_end]
            bare = line.strip()
            if bare:
                yield at + len(line) - len(line.lstrip()), bare
            at = line_end + 1
