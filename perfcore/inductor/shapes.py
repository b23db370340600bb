"""What the wrapper's `call` says of its buffers, statement by statement, in the order of execution.

Sources: torch/_inductor/codegen/wrapper.py (`make_buffer_allocation`, `make_buffer_reuse`,
`codegen_reinterpret_view`, `benchmark_compiled_module`), memory_planning.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from perfcore.inductor.brackets import CallSplitter, line_start, split_items
from perfcore.inductor.model import TensorShape
from perfcore.inductor.shape_asserts import ASSERTION, asserted_names, asserted_shapes

_NAME = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\(")
_ASSIGNMENT = re.compile(r"(?P<target>[A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*")
_DELETION = re.compile(r"(?:^|;)[ \t]*del[ \t]+(?P<names>[\w, \t]+)")
_RAND_STRIDED = re.compile(r"rand_strided\(")
_SYMBOL = re.compile(r"^[ \t]+[su]\d+[ \t]*=", re.MULTILINE)
_DTYPE = re.compile(r"dtype[ \t]*=[ \t]*(torch\.\w+)")
_ARITHMETIC = re.compile(r"[\w \t+*/%().,-]+")
_VIEWS = frozenset({"reinterpret_tensor", "_reinterpret_tensor", "as_strided", "alloc_from_pool"})
_UNCHANGED = frozenset({"copy_if_misaligned", "copy_misaligned"})
_MAX_NESTED_VIEWS = 8


class Buffers:
    """The shape of every buffer at one point of `call`; `read` moves that point over one statement."""

    def __init__(self, text: str, splitter: CallSplitter, outside: Sequence[tuple[int, int]]) -> None:
        """`outside` are the stretches of the wrapper's text that belong to no kernel."""
        self._text = text
        self._outside = outside
        self._splitter = splitter
        self._shapes: dict[str, TensorShape] = {}
        self._scalars: dict[str, str] = {}
        self._inputs = _benchmark_inputs(text, splitter)

    def read(self, start: int, line: str) -> None:
        """Take note of the statement in `line`, which begins without indentation at `start` of the text."""
        if assertion := ASSERTION.match(line):
            self._assert(bool(assertion["grouped"]), start + assertion.end() - 1)
        elif assignment := _ASSIGNMENT.match(line):
            self._assign(assignment["target"], start + assignment.end(), line[assignment.end() :])
        if "del " in line:
            for deletion in _DELETION.finditer(line):
                for name in _NAME.findall(deletion["names"]):
                    self._shapes.pop(name, None)

    def shape(self, argument: str, nested: int = 0) -> TensorShape | None:
        """The shape of a call's argument: a buffer's name, or a view of one written in place."""
        known = self._shapes.get(argument)
        if known is None and (call := _CALL.match(argument)):
            return self._made_by(call["name"], split_items(argument[call.end() - 1 :]), nested)
        if known is None and argument in self._inputs and self._inputs_are_as_asserted(argument):
            return self._inputs[argument]
        return known

    def scalar(self, argument: str) -> str:
        """A scalar argument's text, with a name such as `triton_poi_fused_0_xnumel` replaced by its expression."""
        return self._scalars.get(argument, argument)

    def _assert(self, grouped: bool, opening: int) -> None:
        for name, size, stride, dtype in asserted_shapes(grouped, self._parts(opening)):
            known = self._shapes.get(name)
            known_dtype = known.dtype if known else self._input_dtype(name)
            self._shapes[name] = TensorShape(sizes(size), sizes(stride), dtype or known_dtype)

    def _assign(self, target: str, start: int, value: str) -> None:
        shape: TensorShape | None = None
        name = _NAME.match(value)
        if name and value[name.end() :].lstrip()[:1] in {"", ";", "#"}:
            shape = self._shapes.get(name[0])
        elif call := _CALL.match(value):
            if call["name"] in _UNCHANGED:
                return
            if _makes_a_buffer(call["name"]):
                shape = self._made_by(call["name"], self._parts(start + call.end() - 1), 0)
        elif _ARITHMETIC.fullmatch(expression := value.partition("#")[0].strip()):
            self._scalars[target] = expression
        if shape is None:
            self._shapes.pop(target, None)
        else:
            self._shapes[target] = shape

    def _made_by(self, function: str, parts: list[str], nested: int) -> TensorShape | None:
        match function.rpartition(".")[2]:
            case "alloc_from_pool" if len(parts) > 4:
                return TensorShape(sizes(parts[3]), sizes(parts[4]), parts[2])
            case name if name in _VIEWS and len(parts) > 2 and nested < _MAX_NESTED_VIEWS:
                base = self.shape(parts[0], nested + 1)
                dtype = base.dtype if base else self._input_dtype(parts[0])
                return TensorShape(sizes(parts[1]), sizes(parts[2]), dtype)
            case name if name.startswith("empty_strided") and len(parts) > 2:
                return TensorShape(sizes(parts[0]), sizes(parts[1]), _dtype_among(parts[2:]))
            case "empty" if parts:
                return TensorShape(
                    sizes(parts[0]), contiguous_strides(sizes(parts[0])), _dtype_among(parts[1:])
                )
            case _:
                return None

    def _inputs_are_as_asserted(self, name: str) -> bool:
        """PyTorch 2.0, and later `size_asserts=False`, assert nothing: the benchmark code's inputs are then the
        graph's, unless sizes are symbolic. An input that is asserted further down is not known yet."""
        return name not in self._asserted and not self._symbolic

    @cached_property
    def _asserted(self) -> frozenset[str]:
        return asserted_names(self._text)

    @cached_property
    def _symbolic(self) -> bool:
        return any(_SYMBOL.search(self._text, start, end) for start, end in self._outside)

    def _input_dtype(self, name: str) -> str | None:
        given = self._inputs.get(name)
        return given.dtype if given else None

    def _parts(self, opening: int) -> list[str]:
        found = self._splitter.split(opening)
        return [self._text[start:end] for start, end in found[1]] if found else []


@lru_cache(maxsize=4096)
def sizes(text: str) -> tuple[int | str, ...]:
    """`(8, s0*s1, 2048)` → (8, "s0*s1", 2048)."""
    return tuple(int(item) if item.isdecimal() and len(item) < 20 else item for item in split_items(text))


def contiguous_strides(shape: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """(s0, 5, 7) → (35, 7, 1): what `empty` gives a buffer (PyTorch 2.1 and 2.2 allocate contiguous ones with it)."""
    strides: list[int | str] = []
    number, symbols = 1, ""
    for size in reversed(shape):
        strides.append(f"{number}{symbols}".removeprefix("1*") if symbols else number)
        if isinstance(size, int):
            number *= size
        else:
            symbols = f"{symbols}*({size})" if any(c in size for c in "+-/ ") else f"{symbols}*{size}"
    return tuple(reversed(strides))


def _makes_a_buffer(function: str) -> bool:
    name = function.rpartition(".")[2]
    return name in _VIEWS or name.startswith("empty_strided") or name == "empty"


def _dtype_among(parts: list[str]) -> str | None:
    for part in parts:
        if part.startswith("torch."):
            return part
        if keyword := _DTYPE.match(part):
            return keyword[1]
    return None


def _benchmark_inputs(text: str, splitter: CallSplitter) -> dict[str, TensorShape]:
    """The inputs as the benchmark code at the wrapper's end makes them: the only place that states their dtypes.
    Its sizes are examples where a graph's sizes are symbolic."""
    inputs: dict[str, TensorShape] = {}
    for found in _RAND_STRIDED.finditer(text):
        assignment = _ASSIGNMENT.match(text[line_start(text, found.start()) : found.start()].lstrip())
        call = splitter.split(found.end() - 1) if assignment else None
        if assignment and call and len(call[1]) > 2:
            parts = [text[start:end] for start, end in call[1]]
            inputs[assignment["target"]] = TensorShape(
                sizes(parts[0]), sizes(parts[1]), _dtype_among(parts[2:])
            )
    return inputs
