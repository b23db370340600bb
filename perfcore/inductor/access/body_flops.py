"""Arithmetic operations counted in a kernel's body: a second figure beside the one from its operators.

Each operation on data counts with the weight that the operator of that name has (`perfcore.ops`), at each point of
the loop variables that its operands depend on. Index arithmetic (of loaded indices too), masks, casts and views count
nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from perfcore.inductor.access.analyse import pointer_sizes
from perfcore.inductor.access.body import Body, UnreadableError, called_name
from perfcore.inductor.access.expression import Node, TooLargeError
from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.kernel_body import read_body
from perfcore.inductor.access.linear import Failure
from perfcore.inductor.access.memory_sites import MemorySites
from perfcore.inductor.access.model import Accesses
from perfcore.inductor.model import KernelSource
from perfcore.ops import flops_per_element

_FREE: Final = frozenset(
    {
        "to", "broadcast_to", "reshape", "view", "full", "zeros", "load", "store", "trans", "join", "split",
        "promote_to_tensor", "debug_barrier", "arange", "sort_with_index",
        "rand", "randn", "rand4x", "randn4x", "randint64", "exclusive_scan_decoupled_lookback", "if_mask", "dot",
    }
)  # fmt: skip
"""Moves, names or synchronises; a matrix product has its own formula."""

_WEIGHTS: Final = {
    "fma": 2, "sqrt_rn": 2, "div_rn": 1, "mul_rn": 1, "add_rn": 1, "nearbyint": 1, "rint": 1, "exp2": 4,
    "log2": 4, "welford_reduce": 3, "welford_combine": 3, "online_softmax_combine": 7,
    "associative_scan": 1,
}  # fmt: skip
"""Functions that are no operator of their own name. A Welford step is a mean and a variance, a step of the online
softmax a maximum, a difference, an exponential and a sum."""

_REDUCTIONS: Final = frozenset(
    {
        "sum", "max2", "min2", "max", "min", "prod", "any", "reduce", "argmax", "argmin", "xor_sum", "max_with_index",
        "min_with_index", "welford", "online_softmax_reduce",
    }
)  # fmt: skip

Points = frozenset[int]
"""Nodes of the loop variables that a value differs over."""


def body_flops(
    kernel: KernelSource, numels: Mapping[str, int], *, scalars: Mapping[str, int] | None = None
) -> int | None:
    """Arithmetic operations of one launch, counted from the kernel's text. None where the text cannot be followed or a
    numel is missing. Not remembered: it reads the whole text, on demand."""
    sizes = pointer_sizes(kernel.signature)
    try:
        body = read_body(kernel.text, kernel.def_name, frozenset(sizes))
        sites = MemorySites(body, sizes, {}, by_shapes=True)
        accesses = sites.read()
    except (UnreadableError, TooLargeError, RecursionError):
        return None
    space = IndexSpace(accesses.nodes, numels, scalars or {}, {}, cuts={}, extents={})
    try:
        return _Counter(body, accesses, sites.reader.sites, space).count()
    except (_UnknownPointsError, RecursionError):
        return None


def _live(function: ast.FunctionDef) -> set[str]:
    """The names whose values end in a store: not those that only say where to load or store."""
    statements = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr)
    ]
    statements.sort(key=lambda statement: -statement.lineno)
    live: set[str] = set()
    before = -1
    while before < len(live):  # a second round for what a loop hands on to its next
        before = len(live)
        for statement in statements:
            if statement.value is None:
                continue
            if isinstance(statement, ast.Expr):
                live |= _value_names(statement.value)
            else:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                if not live.isdisjoint(name for target in targets for name in _names(target)):
                    live |= _value_names(statement.value)
    return live


def _value_names(node: ast.expr) -> set[str]:
    """The names that an expression's value is made of, addresses, masks and assertions left out."""
    if isinstance(node, ast.Name):
        return {node.id}
    inner: list[ast.expr] = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, ast.Call):
        name = called_name(node)
        if name == "device_assert" or name.endswith("load"):
            return set()
        inner = [*inner[:1], *node.args, *(keyword.value for keyword in node.keywords)]
        if name.endswith("store") or name.startswith("atomic"):
            inner = node.args[1:2]
    return set().union(*(_value_names(child) for child in inner)) if inner else set()


def _names(node: ast.expr) -> list[str]:
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]


class _UnknownPointsError(Exception):
    pass


class _Counter:
    def __init__(self, body: Body, accesses: Accesses, sites: dict[int, int], space: IndexSpace) -> None:
        self.body = body
        self.accesses = accesses
        self.sites = sites
        self.space = space
        self.data: dict[str, Points] = {}
        self.accumulators: set[str] = set()
        self.total = 0
        self.live = _live(body.function)
        self._variables: dict[int, Points] = {}

    def count(self) -> int:
        self.statements(self.body.function.body, in_loop=False)
        return self.total

    def statements(self, statements: list[ast.stmt], *, in_loop: bool) -> None:
        for statement in statements:
            match statement:
                case (
                    ast.Assign(targets=[target], value=value)
                    | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    self.assign(target, value, in_loop=in_loop)
                case ast.AugAssign(target=ast.Name() as target, op=operator, value=value):
                    self.assign(target, ast.BinOp(target, operator, value), in_loop=in_loop)
                case ast.Expr(value=ast.Call() as value) if id(value) in self.sites:
                    self.points(value)
                case ast.For(body=inner):
                    self.statements(inner, in_loop=True)
                case ast.If(body=then, orelse=otherwise):
                    self.statements(then, in_loop=in_loop)
                    self.statements(otherwise, in_loop=in_loop)

    def assign(self, target: ast.expr, value: ast.expr, *, in_loop: bool) -> None:
        names = _names(target)
        if self.live.isdisjoint(names):
            return
        if not in_loop and isinstance(value, ast.Call) and called_name(value) in ("full", "zeros"):
            # What a loop adds up in; as a constant it counts nothing either.
            self.accumulators.update(names)
            return
        points = self.points(value)
        for name in names:
            if not in_loop:
                self.accumulators.discard(name)
            if points is None:
                self.data.pop(name, None)
            else:
                self.data[name] = points

    def points(self, node: ast.expr) -> Points | None:
        """Count the operations in an expression; over which variables its value differs, None where it is no data."""
        match node:
            case ast.Name(id=name):
                return self.data.get(name)
            case ast.BinOp(left=left, right=right):
                return self.operation(1, [left, right])
            case ast.UnaryOp(operand=operand):
                return self.operation(1, [operand])
            case ast.Compare(left=left, comparators=others):
                return self.operation(1, [left, *others])
            case ast.Subscript(value=value):
                return self.points(value)
            case ast.IfExp(body=then, orelse=otherwise):
                return self.joined([then, otherwise])
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return self.joined(elements)
            case ast.Call():
                return self.call(node)
        return None

    def operation(self, weight: int, operands: list[ast.expr]) -> Points | None:
        points = self.joined(operands)
        if points is not None:
            self.total += weight * self.size(points)
        return points

    def joined(self, operands: list[ast.expr]) -> Points | None:
        known = [points for operand in operands if (points := self.points(operand)) is not None]
        return frozenset().union(*known) if known else None

    def call(self, call: ast.Call) -> Points | None:
        name = called_name(call)
        if id(call) in self.sites:
            return self.touch(call)
        function = call.func
        operands = list(call.args)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.expr):
            operands.insert(0, function.value)
        if name in _REDUCTIONS:
            return self.reduction(operands)
        if name in _FREE:
            return self.joined(operands)
        if name == "where" and len(call.args) == 3 and self.points(call.args[0]) is None:
            return self.joined(call.args[1:])  # a mask chooses, no data does
        weight = _WEIGHTS.get(name)
        return self.operation((flops_per_element(name) or 1) if weight is None else weight, operands)

    def touch(self, call: ast.Call) -> Points | None:
        place = self.accesses.loads[self.sites[id(call)]]
        access = self.accesses.accesses[place] if place is not None else None
        for operand in call.args[1:]:
            stored = self.points(operand)
            if stored is not None and access is not None and access.kind == "atomic":
                self.total += self.size(stored)
        if access is None or access.index is None:
            return frozenset()
        return self.variables(access.index)

    def reduction(self, operands: list[ast.expr]) -> Points | None:
        """One operation an element, unless a loop has done them into an accumulator already."""
        points = self.joined(operands)
        if points is None:
            return None
        names = {name for operand in operands for name in _names(operand)}
        if self.accumulators.isdisjoint(names):
            self.total += self.size(points)
        return frozenset(v for v in points if not str(self.accesses.nodes[v][2]).startswith("r"))

    def size(self, points: Points) -> int:
        size = 1
        for variable in points:
            if isinstance(self.space.forms[variable], Failure):
                raise _UnknownPointsError
            size *= self.space.extents[variable]
        return size

    def variables(self, node: int) -> Points:
        """The loop variables in an index."""
        known = self._variables.get(node)
        if known is None:
            operation, arguments, _ = self.accesses.nodes[node]
            if operation == "var":
                known = frozenset((node,))
            elif operation == "load":
                known = self._loaded(self.accesses.nodes[node])
            else:
                known = frozenset().union(*(self.variables(argument) for argument in arguments))
            self._variables[node] = known
        return known

    def _loaded(self, node: Node) -> Points:
        place = self.accesses.loads[int(node[2])]
        index = self.accesses.accesses[place].index if place is not None else None
        return self.variables(index) if index is not None else frozenset()
