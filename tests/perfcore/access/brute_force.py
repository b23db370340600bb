"""The judge: runs a kernel's text with numpy and collects every address that it touches.

It knows nothing of `perfcore.inductor.access`: it interprets the statements in order, with blocks as large as the
iteration space (so that one program does nearly all the work), goes through the launch grid where a block is fixed in
the text, and keeps the addresses of each load and store in sets. Data read from float pointers has no value here; data
read from integer pointers is a hash of its address, so that gathers have something to follow.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

INDEX_VALUES = 37
"""Loaded indices are below this, and below what the kernel asserts of them."""


class Data:
    """A value that has no bearing on addresses."""

    def __repr__(self) -> str:
        return "Data"


DATA = Data()


@dataclass(frozen=True)
class Ptr:
    name: str
    offset: Any = 0


@dataclass(frozen=True)
class BlockPtr:
    base: Ptr
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    block: tuple[int, ...]
    offsets: tuple[Any, ...] | None


@dataclass
class Touched:
    """Addresses by pointer. `unsure`: pointers that were touched under a mask made of data."""

    reads: dict[str, list[Any]] = field(default_factory=dict)
    writes: dict[str, list[Any]] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    index_values: int = INDEX_VALUES

    def read(self, pointer: str) -> int:
        """How many distinct elements were read."""
        return len(np.unique(np.concatenate(self.reads[pointer]))) if pointer in self.reads else 0

    def written(self, pointer: str) -> int:
        return len(np.unique(np.concatenate(self.writes[pointer]))) if pointer in self.writes else 0


class ReturnedError(Exception):
    pass


class NotFollowedError(Exception):
    """An address that is made of data without a value here."""


def touched(
    text: str,
    function: str,
    types: dict[str, str],
    numels: dict[str, int],
    scalars: dict[str, int],
    constants: dict[str, int],
) -> Touched:
    """Everything that the kernel touches. `numels` by prefix replace those in the function's own block; `types` are the
    signature's by parameter, `constants` parameters that Triton specialised away."""
    functions = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    node = functions[function]
    result = Touched(index_values=max(1, min([INDEX_VALUES, *asserted_limits(text, scalars)])))
    grid = Program(node, functions, types, numels, scalars, constants, result, (0, 0, 0), (1, 1, 1)).run()
    for place in np.ndindex(*grid):
        if any(place):
            Program(node, functions, types, numels, scalars, constants, result, place, grid).run()
    return result


def asserted_limits(text: str, scalars: dict[str, int]) -> list[int]:
    """Upper bounds in the messages of device_asserts: "index out of bounds: 0 <= tmp4 < 4096"."""
    found = re.findall(r"index out of bounds.*? < (\w+)[\"']", text)
    return [int(bound) if bound.isdecimal() else scalars[bound] for bound in found]


def prefix_key(prefix: str) -> str:
    return "r0_" if prefix == "r" else prefix


class Program:
    def __init__(
        self,
        node: ast.FunctionDef,
        functions: dict[str, ast.FunctionDef],
        types: dict[str, str],
        numels: dict[str, int],
        scalars: dict[str, int],
        constants: dict[str, int],
        result: Touched,
        place: tuple[int, ...],
        grid: tuple[int, ...],
    ) -> None:
        self.node = node
        self.functions = functions
        self.tests = [ast.unparse(n.test) for n in node.body if isinstance(n, ast.If)]
        self.types = types
        self.numels = numels
        self.result = result
        self.place = place
        self.grid = list(grid)
        self.env: dict[str, Any] = {}
        self.depth = 0
        for argument in node.args.args:
            name = argument.arg
            if types.get(name, "").startswith("*"):
                self.env[name] = Ptr(name)
            elif name in constants:
                self.env[name] = constants[name]
            elif (match := re.fullmatch(r"([xyz]|r\d*_?)numel", name)) and prefix_key(match[1]) in numels:
                self.env[name] = numels[prefix_key(match[1])]
            elif name in scalars:
                self.env[name] = scalars[name]
        self.constexprs = {a.arg for a in node.args.args if a.annotation is not None}

    def run(self) -> tuple[int, ...]:
        for name in self.constexprs:
            self.env.setdefault(name, self.block_size(name))
        with contextlib.suppress(ReturnedError):
            self.statements(self.node.body)
        return tuple(self.grid)

    def block_size(self, name: str) -> Any:
        """A block that the autotuner chooses: as large as its dimension."""
        if name in ("RSPLIT", "NUM_STAGES"):
            return 1
        if name == "RSPLIT_SIZE":
            return self.numel_of("x")
        match = re.fullmatch(r"([XYZ]|R\d*_?)BLOCK(?:_\d+)?", name)
        if match and any("pid < " in line or "pid % " in line for line in self.tests):
            return 256  # a combo kernel's, whose branches have numels of their own
        return self.numel_of(match[1].lower()) if match else DATA

    def numel_of(self, prefix: str) -> int:
        if prefix_key(prefix) in self.numels:
            return self.numels[prefix_key(prefix)]
        sizes = [value for name, value in self.env.items() if re.fullmatch(rf"{prefix}numel_\d+", name)]
        sizes += [
            statement.value.value
            for function in self.functions.values()
            for statement in ast.walk(function)
            if isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id == f"{prefix}numel"
        ]
        return max(sizes)

    # -- statements

    def statements(self, body: list[ast.stmt]) -> None:
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1

    def statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.assign(target, value)
            case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
                self.env[name] = self.operate(operator, self.env.get(name, DATA), self.value(value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments), body=body):
                for step in range(*(int(self.value(argument)) for argument in arguments[:3])):
                    self.env[name] = step
                    self.statements(body)
            case ast.If(test=test, body=body, orelse=otherwise):
                condition = self.value(test)
                self.statements(body if isinstance(condition, Data) or bool(condition) else otherwise)
            case ast.Return():
                raise ReturnedError
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(ast.unparse(statement))

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        found = self.value(value)
        if isinstance(target, ast.Tuple):
            parts = found if isinstance(found, tuple) else [DATA] * len(target.elts)
            for element, part in zip(target.elts, parts, strict=True):
                if isinstance(element, ast.Name):
                    self.env[element.id] = part
            return
        assert isinstance(target, ast.Name)
        name = target.id
        if self.depth == 1:
            if (match := re.fullmatch(r"([xyz]|r\d*_?)numel", name)) and prefix_key(match[1]) in self.numels:
                if isinstance(value, ast.Constant):
                    found = self.numels[prefix_key(match[1])]
            elif (match := re.fullmatch(r"(R\d*_?)BLOCK", name)) and isinstance(value, ast.Constant):
                found = self.numels.get(prefix_key(match[1].lower()), found)
        self.env[name] = found
        self.note_grid(name, value)

    def note_grid(self, name: str, value: ast.expr) -> None:
        """How many programs an axis needs, from what an offset or a dispatch makes of the program's number."""
        if not name.endswith("offset") and not name.startswith(
            ("num_xblocks_", "num_blocks_", "xpid", "pid_n")
        ):
            return
        axes = [
            call.args[0].value
            for call in ast.walk(value)
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "tl.program_id"
        ]
        if (match := re.fullmatch(r"([xyz]|r\d*_?)offset", name)) and axes:
            assert isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
            block = int(self.value(value.right))
            self.need(axes[0], -(-int(self.env[f"{match[1]}numel"]) // block))
        elif name.startswith(("num_xblocks_", "num_blocks_")):
            self.need(0, int(self.env[name]))
        elif name == "pid_offset" and isinstance(value, ast.BinOp) and isinstance(value.op, ast.FloorDiv):
            branches = int(self.value(value.right))  # pid // 2: branches take turns
            self.need(0, branches * -(-self.numel_of("x") // int(self.env["XBLOCK"])))
        elif name == "xpid":
            if not any(self.place):
                self.need(0, max(int(n) for n in re.findall(r"xpid < (\d+)", ast.unparse(self.node))))
        elif name == "pid_n":
            self.need(0, int(self.env["grid_m"]) * int(self.env["grid_n"]))

    def need(self, axis: int, programs: int) -> None:
        self.grid[axis] = max(self.grid[axis], programs)

    # -- expressions

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.env.get(name, DATA)
            case ast.BinOp(left=left, op=operator, right=right):
                return self.operate(operator, self.value(left), self.value(right))
            case ast.UnaryOp(op=operator, operand=operand):
                return self.unary(operator, self.value(operand))
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self.compare(operator, self.value(left), self.value(right))
            case ast.BoolOp(op=operator, values=values):
                results = [bool(self.value(value)) for value in values]
                return all(results) if isinstance(operator, ast.And) else any(results)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                condition = self.value(test)
                return self.value(body if isinstance(condition, Data) or condition else otherwise)
            case ast.Subscript(value=value, slice=index):
                return self.subscript(self.value(value), index)
            case ast.Call():
                return self.call(node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self.value(element) for element in elements)
            case ast.Attribute():
                return DATA
        raise NotImplementedError(ast.unparse(node))

    def subscript(self, value: Any, index: ast.expr) -> Any:
        if not isinstance(value, np.ndarray):
            return value if isinstance(value, int | float) else DATA
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return value[tuple(None if isinstance(part, ast.Constant) else slice(None) for part in parts)]

    def operate(self, operator: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(right, Ptr):
            left, right = right, left
        if isinstance(left, Ptr):
            if isinstance(right, Data):
                return DATA
            sign = 1 if isinstance(operator, ast.Add) else -1
            return Ptr(left.name, left.offset + sign * right)
        if isinstance(left, Data | str | type(None)) or isinstance(right, Data | str | type(None)):
            return DATA
        function = OPERATORS.get(type(operator))
        return DATA if function is None else function(left, right)

    def unary(self, operator: ast.unaryop, operand: Any) -> Any:
        if isinstance(operand, Data):
            return DATA
        if isinstance(operator, ast.USub):
            return -operand
        return np.logical_not(operand)

    def compare(self, operator: ast.cmpop, left: Any, right: Any) -> Any:
        function = COMPARISONS.get(type(operator))
        if function is None or isinstance(left, Data | str) or isinstance(right, Data | str):
            return DATA
        return function(left, right)

    # -- calls

    def call(self, node: ast.Call) -> Any:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        # tl.minimum(a, b, tl.PropagateNan.ALL), since PyTorch 2.14: how it treats NaN has no bearing on integers.
        operands = [a for a in node.args if not ast.unparse(a).startswith("tl.PropagateNan")]
        arguments = [self.value(argument) for argument in operands]
        named = {keyword.arg or "": self.value(keyword.value) for keyword in node.keywords}
        if owner not in MODULES and isinstance(node.func, ast.Attribute):
            arguments.insert(0, self.value(node.func.value))
        if not owner and name in self.functions:
            return self.helper(self.functions[name], arguments)
        if name in ("load", "store") or name.startswith("atomic"):
            return self.touch(name, owner, arguments, named)
        if name == "program_id":
            return self.place[arguments[0]]
        if name == "num_programs":
            return self.grid[arguments[0]]
        if name == "arange":
            return np.arange(arguments[0], arguments[1], dtype=np.int64)
        if name == "make_block_ptr":
            return self.block(arguments, named, ["base", "shape", "strides", "offsets", "block_shape"])
        if name == "make_tensor_descriptor":
            return self.block(arguments, named, ["base", "shape", "strides", "block_shape"])
        if name == "advance":
            base, steps = arguments
            offsets = tuple(a + b for a, b in zip(base.offsets, steps, strict=True))
            return BlockPtr(base.base, base.shape, base.strides, base.block, offsets)
        if name == "to":
            return self.cast(arguments[0], ast.unparse(node.args[0]))
        if name == "full":
            return self.full(arguments, ast.unparse(node.args[2]))
        if name == "zeros":
            return 0
        if name in ("constexpr_next_power_of_2",):
            return 1 if arguments[0] == 1 else DATA
        if any(isinstance(argument, Data) for argument in arguments):
            return DATA
        if name == "broadcast_to" and isinstance(arguments[0], np.ndarray | int | np.integer):
            return arguments[0]
        if name in ("reshape", "max_contiguous", "multiple_of"):
            return arguments[0]
        function = FUNCTIONS.get(name)
        return DATA if function is None else function(*arguments)

    def helper(self, function: ast.FunctionDef, arguments: list[Any]) -> Any:
        """A function of the kernel's own text, in names of its own."""
        outer = self.env
        self.env = dict(zip((a.arg for a in function.args.args), arguments, strict=True))
        with contextlib.suppress(ReturnedError):
            self.statements(function.body)
        self.env = outer
        return DATA

    def full(self, arguments: list[Any], dtype: str) -> Any:
        value = arguments[1]
        if isinstance(value, Data | str):
            return DATA
        if dtype in ("tl.float32", "tl.float64"):
            return np.float32(value) if dtype == "tl.float32" else np.float64(value)
        if dtype.startswith("tl.int1") and dtype in ("tl.int1",):
            return np.bool_(value)
        return np.int64(value) if dtype.startswith(("tl.int", "tl.uint")) else DATA

    def cast(self, value: Any, dtype: str) -> Any:
        if isinstance(value, Ptr):
            return value
        if isinstance(value, Data):
            return DATA
        if dtype == "tl.float32":
            return np.asarray(value).astype(np.float32)
        if dtype == "tl.float64":
            return np.asarray(value).astype(np.float64)
        if dtype in ("tl.int32", "tl.int64", "tl.uint32", "tl.uint64", "INDEX_DTYPE", "tl.int16", "tl.int8"):
            return np.trunc(np.asarray(value)).astype(np.int64)
        return DATA

    def block(self, arguments: list[Any], named: dict[str, Any], names: list[str]) -> BlockPtr:
        given = {**dict(zip(names, arguments, strict=False)), **named}
        sizes = tuple(int(size) for size in given["block_shape"])
        return BlockPtr(given["base"], given["shape"], given["strides"], sizes, given.get("offsets"))

    # -- memory

    def touch(self, name: str, owner: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        pointer = arguments[0]
        if isinstance(pointer, BlockPtr):
            address, mask = self.block_addresses(pointer, arguments, named)
            pointer = pointer.base
        else:
            place = 1 if name == "load" else 2
            mask = named.get("mask", arguments[place] if len(arguments) > place else None)
            if isinstance(pointer, Data):
                raise NotFollowedError(name)
            address = np.asarray(pointer.offset)
        if isinstance(mask, Data):
            self.result.unsure.add(pointer.name)
            mask = None
        if mask is None:
            reached = address
        else:
            shape = np.broadcast_shapes(np.shape(address), np.shape(mask))
            reached = np.broadcast_to(address, shape)[np.broadcast_to(mask, shape).astype(bool)]
        found = np.sort(reached, axis=None)
        found = found[np.append(True, np.diff(found) != 0)] if found.size else found
        if name == "load" or name.startswith("atomic"):
            self.result.reads.setdefault(pointer.name, []).append(found)
        if name != "load":
            self.result.writes.setdefault(pointer.name, []).append(found)
        if (
            name == "load"
            and re.fullmatch(r"\*[iu]\d+", self.types[pointer.name])
            and self.types[pointer.name] != "*i1"
        ):
            value = (address.astype(np.int64) * 40503 >> 3) % self.result.index_values
            return value if mask is None else np.where(mask, value, int(named.get("other") or 0))
        return DATA

    def block_addresses(
        self, pointer: BlockPtr, arguments: list[Any], named: dict[str, Any]
    ) -> tuple[Any, Any]:
        descriptor = pointer.offsets is None
        offsets = arguments[1] if descriptor else pointer.offsets
        assert offsets is not None
        checked = range(len(pointer.shape)) if descriptor else named.get("boundary_check", ())
        address: Any = np.asarray(pointer.base.offset)
        mask: Any = np.bool_(True)
        dimensions = len(pointer.shape)
        for d in range(dimensions):
            index = offsets[d] + np.arange(pointer.block[d], dtype=np.int64)
            index = index.reshape([-1 if k == d else 1 for k in range(dimensions)])
            address = address + index * pointer.strides[d]
            if d in checked:
                mask = mask & (index >= 0) & (index < pointer.shape[d])
        return address, mask


MODULES = {"tl", "tl.math", "triton.language", "triton_helpers", "libdevice", "tl_math", "triton", "math"}


def c_quotient(a: Any, b: Any) -> Any:
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.asarray(a) < 0) != (np.asarray(b) < 0), -quotient, quotient)


def plain(result: Any) -> Any:
    return result.item() if isinstance(result, np.ndarray) and result.ndim == 0 else result


OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: plain(c_quotient(a, b)),
    ast.Mod: lambda a, b: plain(a - b * c_quotient(a, b)),
    ast.Div: lambda a, b: a / b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
}

COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": np.where,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "min": np.minimum,
    "max": np.maximum,
    "cdiv": lambda a, b: -(-a // b),
    "div_floor_integer": np.floor_divide,
    "remainder_integer": np.mod,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "abs": np.abs,
}
