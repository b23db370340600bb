"""What the wrapper's `call` says of its buffers, statement by statement, in the order of execution.

Sources: torch/_inductor/codegen/wrapper.py (`codegen_input_size_asserts`, `make_buffer_allocation`,
`make_buffer_reuse`, `codegen_reinterpret_view`, `benchmark_compiled_module`), memory_planning.py.
"""

from __future__ import annotations

import re

from perfcore.inductor.brackets import CallSplitter, split_items
from perfcore.inductor.model import TensorShape

_NAME = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\(")
_ASSIGNMENT = re.compile(r"(?P<target>[A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*")
_DELETION = re.compile(r"(?:^|;)[ \t]*del[ \t]+(?P<names>[\w, \t]+)")
_RAND_STRIDED = re.compile(r"^[ \t]+(?P<name>\w+)[ \t]*=[ \t]*rand_strided(?P<open>\()", re.MULTILINE)
_ASSERTED = re.compile(r"\bassert_size_stride\((\w+)")
_SYMBOL = re.compile(r"^[ \t]+[su]\d+[ \t]*=", re.MULTILINE)
_DTYPE = re.compile(r"\bdtype[ \t]*=[ \t]*(torch\.\w+)")


class Buffers:
    """The shape of every buffer at one point of `call`; `read` moves that point over one statement."""

    def __init__(self, text: str, splitter: CallSplitter) -> None:
        self._text = text
        self._splitter = splitter
        self._shapes: dict[str, TensorShape] = {}
        self._scalars: dict[str, str] = {}
        self._inputs = _benchmark_inputs(text, splitter)
        self._asserted = frozenset(_ASSERTED.findall(text))
        self._symbolic = _SYMBOL.search(text) is not None

    def read(self, start: int, end: int) -> None:
        """Take note of the statement in `text[start:end]`, one line without its indentation."""
        line = self._text[start:end]
        if line.startswith("assert_size_stride("):
            self._assert(start + len("assert_size_stride"))
        elif assignment := _ASSIGNMENT.match(line):
            self._assign(assignment["target"], start + assignment.end(), end)
        if "del " in line:
            for deletion in _DELETION.finditer(line):
                for name in _NAME.findall(deletion["names"]):
                    self._shapes.pop(name, None)

    def shape(self, argument: str) -> TensorShape | None:
        """The shape of a call's argument: a buffer's name, or a view of one written in place."""
        known = self._shapes.get(argument)
        if known is None and "(" in argument:
            return self._view(argument)
        if known is None and argument not in self._asserted and not self._symbolic:
            return self._inputs.get(argument)  # PyTorch 2.0, and size_asserts=False later, assert nothing
        return known

    def scalar(self, argument: str) -> str:
        """A scalar argument's text, with a name such as `triton_poi_fused_0_xnumel` replaced by its expression."""
        return self._scalars.get(argument, argument)

    def _assert(self, opening: int) -> None:
        parts = self._parts(opening)
        if len(parts) < 3:
            return
        name = parts[0]
        known = self._shapes.get(name)
        self._shapes[name] = TensorShape(
            sizes(parts[1]), sizes(parts[2]), known.dtype if known else self._input_dtype(name)
        )

    def _assign(self, target: str, start: int, end: int) -> None:
        value = self._text[start:end]
        name = _NAME.match(value)
        alone = name is not None and value[name.end() :].lstrip()[:1] in {"", ";", "#"}
        shape: TensorShape | None = None
        if alone and name:
            shape = self._shapes.get(name[0])
        elif call := _CALL.match(value):
            if call["name"] in {"copy_if_misaligned", "copy_misaligned"}:
                return
            found = self._splitter.split(start + call.end() - 1)
            shape = self._view(self._text[start : found[0] + 1]) if found else None
        elif target.endswith("numel") or _is_arithmetic(value):
            self._scalars[target] = value.partition("#")[0].strip()
        if shape is None:
            self._shapes.pop(target, None)
        else:
            self._shapes[target] = shape

    def _view(self, expression: str) -> TensorShape | None:
        call = _CALL.match(expression)
        if call is None:
            return None
        parts = split_items("(" + expression[call.end() :])
        match call["name"].rpartition(".")[2]:
            case "reinterpret_tensor" | "as_strided" | "_reinterpret_tensor" if len(parts) >= 3:
                base = self.shape(parts[0])
                dtype = base.dtype if base else self._input_dtype(parts[0])
                return TensorShape(sizes(parts[1]), sizes(parts[2]), dtype)
            case "alloc_from_pool" if len(parts) >= 5:
                return TensorShape(sizes(parts[3]), sizes(parts[4]), parts[2])
            case name if name.startswith("empty_strided") and len(parts) >= 3:
                keyword = _DTYPE.search(expression)
                dtype = keyword[1] if keyword else parts[2]
                return TensorShape(
                    sizes(parts[0]), sizes(parts[1]), dtype if dtype.startswith("torch.") else None
                )
            case _:
                return None

    def _input_dtype(self, name: str) -> str | None:
        given = self._inputs.get(name)
        return given.dtype if given else None

    def _parts(self, opening: int) -> list[str]:
        found = self._splitter.split(opening)
        return [self._text[start:end] for start, end in found[1]] if found else []


def sizes(text: str) -> tuple[int | str, ...]:
    """`(8, s0*s1, 2048)` → (8, "s0*s1", 2048)."""
    return tuple(int(item) if item.isdecimal() and len(item) < 20 else item for item in split_items(text))


def _benchmark_inputs(text: str, splitter: CallSplitter) -> dict[str, TensorShape]:
    """The inputs as the benchmark code at the wrapper's end makes them: the only place that states their dtypes.
    Its sizes are examples where a graph's sizes are symbolic."""
    inputs: dict[str, TensorShape] = {}
    for found in _RAND_STRIDED.finditer(text):
        call = splitter.split(found.start("open"))
        if call and len(call[1]) >= 3:
            size, stride = (sizes(text[start:end]) for start, end in call[1][:2])
            dtype = _DTYPE.search(text, found.start("open"), call[0])
            inputs[found["name"]] = TensorShape(size, stride, dtype[1] if dtype else None)
    return inputs


def _is_arithmetic(value: str) -> bool:
    return re.fullmatch(r"[\w \t+*/%().,-]+", value.partition("#")[0]) is not None
