"""One generated kernel's text → what its decorator, its header and its numels say.

Only the head (decorator and `def` line) goes through `ast`; the body is read by whoever wants its loads and
stores (`access`). So a kernel being edited keeps its place and its figures, and ten thousand of them stay cheap.
Sources: torch/_inductor/codegen/triton.py (`codegen_kernel`), torch/_inductor/runtime/triton_heuristics.py.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from perfcore.inductor.brackets import split_call
from perfcore.inductor.literal import dotted_name, literal
from perfcore.numels import prefix_of_parameter

_MAX_HEAD_CHARS = 400_000

_HEURISTICS = (
    "pointwise|reduction|persistent_reduction|cooperative_reduction|split_scan|template|foreach|user_autotune"
)
_DECORATOR = re.compile(
    rf"^@(?:(?:[A-Za-z_]\w*\.)*triton_heuristics\.[a-z_]\w*|(?:{_HEURISTICS}))[ \t]*\(", re.MULTILINE
)
_DEF = re.compile(r"^def[ \t]+(?P<name>\w+)[ \t]*(?P<open>\()", re.MULTILINE)
_HEADER_END = re.compile(r"\s*(?:->[^:\n]*)?:")
_DEDENT = re.compile(r"^[^\s#]", re.MULTILINE)
_NUMEL = re.compile(
    r"^(?P<indent>[ \t]+)(?P<name>[xyzr]\d?_?numel)[ \t]*(?::[^=\n]*)?=[ \t]*(?P<value>\d{1,30})[ \t]*(?:#.*)?$",
    re.MULTILINE,
)

_CATEGORY_BY_DECORATOR = {
    "pointwise": "poi",
    "reduction": "red",
    "persistent_reduction": "per",
    "cooperative_reduction": "red",  # its names begin triton_unk_: the code generator has no prefix for it
    "template": "tem",
    "foreach": "for",
    "split_scan": "spl",
}
_CATEGORY_BY_NAME = re.compile(r"triton_(poi|red|per|tem|for|spl)_")


@dataclass(frozen=True, slots=True)
class KernelText:
    """What a kernel's own text says. Indices are into that text."""

    def_name: str
    decorator: str
    category: str | None
    params: tuple[str, ...]
    signature: tuple[tuple[str, str], ...]
    size_hints: tuple[tuple[str, int], ...]
    numels: tuple[tuple[str, int], ...]
    inductor_meta: tuple[tuple[str, object], ...]
    triton_meta: tuple[tuple[str, object], ...]
    kernel_name: str | None
    def_start: int
    def_end: int
    name_start: int


class UnreadableKernelError(ValueError):
    """A kernel's head is not what any PyTorch writes. `index` is the place in the kernel's text."""

    def __init__(self, reason: str, index: int) -> None:
        super().__init__(reason)
        self.index = index


def has_kernel_decorator(text: str) -> bool:
    """Whether the text holds a decorator that Inductor puts over a kernel, in any PyTorch version."""
    return _DECORATOR.search(text) is not None


def read_kernel_text(text: str, function: str | None = None) -> KernelText:
    """The kernel in a text that holds one, `function` being its name where the wrapper says it.

    Raises UnreadableKernelError with the reason and the place where decorator or header cannot be read.
    """
    decorator = _DECORATOR.search(text)
    head_start = decorator.start() if decorator else 0
    header = _DEF.search(text, head_start) if decorator else _undecorated(text, function)
    if header is None:
        raise UnreadableKernelError("no function definition was found", head_start)
    call = split_call(text, header.start("open"), min(len(text), header.start() + _MAX_HEAD_CHARS))
    end = _HEADER_END.match(text, call[0] + 1) if call else None
    if end is None:
        raise UnreadableKernelError("the function's parameter list does not end", header.start())
    if not decorator:
        head_start = header.start()
    if end.end() - head_start > _MAX_HEAD_CHARS:
        raise UnreadableKernelError("the decorator is longer than any that Inductor writes", head_start)
    head = _read_head(text[head_start : end.end()])
    if isinstance(head, _Unreadable):
        raise UnreadableKernelError(head.reason, _index_of_line(text, head_start, head.line))
    numels = _constant_numels(text, end.end(), head)
    return KernelText(
        def_name=head.def_name,
        decorator=head.decorator,
        category=_CATEGORY_BY_DECORATOR.get(head.decorator)
        or _category_of(head.kernel_name or head.def_name),
        params=head.params,
        signature=head.signature,
        size_hints=head.size_hints,
        numels=numels,
        inductor_meta=head.inductor_meta,
        triton_meta=head.triton_meta,
        kernel_name=head.kernel_name,
        def_start=header.start(),
        def_end=end.end(),
        name_start=header.start("name"),
    )


def _undecorated(text: str, function: str | None) -> re.Match[str] | None:
    """The function of that name, else the last: helper functions come first."""
    headers = list(_DEF.finditer(text))
    return next(
        (header for header in headers if header["name"] == function), headers[-1] if headers else None
    )


@dataclass(frozen=True, slots=True)
class _Head:
    def_name: str
    decorator: str
    params: tuple[str, ...]
    signature: tuple[tuple[str, str], ...]
    size_hints: tuple[tuple[str, int], ...]
    inductor_meta: tuple[tuple[str, object], ...]
    triton_meta: tuple[tuple[str, object], ...]
    kernel_name: str | None
    constants: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Unreadable:
    reason: str
    line: int


_REMEMBERED = 1 << 14
"""Heads: a wrapper may hold ten thousand, and of one that does not fit none would be found again."""


@lru_cache(maxsize=_REMEMBERED)
def _read_head(head: str) -> _Head | _Unreadable:
    """Read a decorator and header. Remembered by text, since every kernel stands in the wrapper, in the wrapper's
    cached copy and in a file of its own, and since an edit to a wrapper leaves all its other kernels as they were."""
    try:
        tree = ast.parse(head + " pass")
    except SyntaxError as error:
        return _Unreadable(error.msg, (error.lineno or 1) - 1)
    except (ValueError, RecursionError, MemoryError) as error:
        return _Unreadable(str(error) or type(error).__name__, 0)
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef)), None)
    if function is None:
        return _Unreadable("no function definition was found", 0)
    decorator, keywords = _decorator_of(function)
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    params = tuple(argument.arg for argument in arguments)
    triton_meta = _items(keywords.get("triton_meta", keywords.get("meta")))
    inductor_meta = _items(keywords.get("inductor_meta"))
    constexpr = {argument.arg for argument in arguments if _is_constexpr(argument.annotation)}
    values = dict(triton_meta)
    name = dict(inductor_meta).get("kernel_name", values.get("kernel_name"))
    return _Head(
        def_name=function.name,
        decorator=decorator,
        params=params,
        signature=_signature(values.get("signature"), params, constexpr),
        size_hints=_size_hints(keywords.get("size_hints"), params, decorator),
        inductor_meta=inductor_meta,
        triton_meta=triton_meta,
        kernel_name=name if isinstance(name, str) and name.isidentifier() else None,
        constants=_by_parameter(values.get("constants"), params),
    )


def _decorator_of(function: ast.FunctionDef) -> tuple[str, dict[str, object]]:
    for node in function.decorator_list:
        if isinstance(node, ast.Call) and (name := dotted_name(node.func)):
            keywords = {item.arg: literal(item.value) for item in node.keywords if item.arg}
            if node.args and "size_hints" not in keywords:
                keywords["size_hints"] = literal(node.args[0])
            return name.rpartition(".")[2], keywords
    return "", {}


def _items(value: object) -> tuple[tuple[str, object], ...]:
    if not isinstance(value, dict):
        return ()
    return tuple((key, item) for key, item in value.items() if isinstance(key, str))


def _is_constexpr(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Constant):
        return isinstance(annotation.value, str) and annotation.value.endswith("constexpr")
    return annotation is not None and (dotted_name(annotation) or "").endswith("constexpr")


def _signature(
    signature: object, params: tuple[str, ...], constexpr: set[str]
) -> tuple[tuple[str, str], ...]:
    """Keyed by position up to PyTorch 2.5, by parameter from 2.6 (triton_utils.py: `signature_to_meta`)."""
    types = signature if isinstance(signature, dict) else {}
    pairs: list[tuple[str, str]] = []
    for position, param in enumerate(params):
        if param in constexpr:
            continue
        type_ = types.get(param, types.get(position))
        pairs.append((param, type_ if isinstance(type_, str) else ""))
    return tuple(pairs)


def _by_parameter(constants: object, params: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """`constants` of triton_meta: arguments that Triton specialises away, by name or by position."""
    if not isinstance(constants, dict):
        return ()
    named = (
        (params[key] if isinstance(key, int) and 0 <= key < len(params) else key, value)
        for key, value in constants.items()
    )
    return tuple((key, value) for key, value in named if isinstance(key, str) and _is_size(value))


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _size_hints(value: object, params: tuple[str, ...], decorator: str) -> tuple[tuple[str, int], ...]:
    """A dict by prefix from PyTorch 2.6; before that a list in the order of the numel parameters."""
    if isinstance(value, dict):
        return tuple(
            (prefix_of_parameter(f"{key}numel") or key, hint)
            for key, hint in value.items()
            if isinstance(key, str) and _is_size(hint)
        )
    if not isinstance(value, list | tuple):
        return ()
    prefixes = [prefix for param in params if (prefix := prefix_of_parameter(param))]
    if len(prefixes) != len(value):
        looped = ["r0_"] if decorator != "pointwise" and len(value) > 1 else []
        prefixes = ["z", "y", "x"][3 - (len(value) - len(looped)) :] + looped
    return tuple((prefix, hint) for prefix, hint in zip(prefixes, value, strict=False) if _is_size(hint))


def _constant_numels(text: str, body_start: int, head: _Head) -> tuple[tuple[str, int], ...]:
    """The numels that stand as constants in the function's own block (a combo kernel's branches have theirs
    deeper), and those that Triton specialises away."""
    end = _DEDENT.search(text, body_start)
    limit = end.start() if end else len(text)
    indent: str | None = None
    numels: dict[str, int] = {}
    for found in _NUMEL.finditer(text, body_start, limit):
        if indent is None:
            indent = _first_indent(text, body_start)
        if found["indent"] == indent:
            numels.setdefault(prefix_of_parameter(found["name"]) or found["name"], int(found["value"]))
    for param, value in head.constants:
        if prefix := prefix_of_parameter(param):
            numels.setdefault(prefix, value)
    return tuple(numels.items())


def _first_indent(text: str, body_start: int) -> str:
    found = re.compile(r"\n([ \t]+)\S").search(text, body_start)
    return found[1] if found else ""


def _category_of(name: str) -> str | None:
    found = _CATEGORY_BY_NAME.match(name)
    return found[1] if found else None


def _index_of_line(text: str, start: int, lines: int) -> int:
    for _ in range(lines):
        following = text.find("\n", start)
        if following < 0:
            break
        start = following + 1
    return start
