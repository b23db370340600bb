"""Calls that touch memory → `Access` records: which pointer, which index, under which mask, how often."""

from __future__ import annotations

import ast

from perfcore.inductor.access.assertions import read_assertions
from perfcore.inductor.access.block_pointer import BlockPointer, block_address
from perfcore.inductor.access.body import Body, Place, Site, UnreadableError, called_name
from perfcore.inductor.access.callees import kind_of
from perfcore.inductor.access.index_reader import IndexReader
from perfcore.inductor.access.mentions import WORKSPACE, read_mention
from perfcore.inductor.access.model import Access, Accesses, AccessKind
from perfcore.inductor.access.pointer import Pointer
from perfcore.inductor.access.pointer_names import parameters_in
from perfcore.inductor.access.scopes import UnknownValueError

_SIZES = ("M", "N", "K", "BATCH", "idx_q")
_OFFSET_METHODS = frozenset(
    {"load", "store", "atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor"}
)


class MemorySites:
    """Reads the sites of one body. `by_shapes`: an access that cannot be followed may be anywhere in its buffer
    (templates and users' kernels, whose operands have known shapes) instead of making the kernel unreadable."""

    def __init__(
        self, body: Body, sizes: dict[str, int | None], constants: dict[str, int], by_shapes: bool
    ) -> None:
        self.body = body
        self.sizes = sizes
        self.reader = IndexReader(body, frozenset(sizes), constants)
        self.by_shapes = by_shapes
        self.accesses: list[Access] = []
        self.workspaces: dict[str, None] = {}

    def read(self) -> Accesses:
        """Raises UnreadableError or TooLargeError where the kernel cannot be understood."""
        loads: list[int | None] = []
        for site in self.body.sites:
            before = len(self.accesses)
            self._site(site)
            loads.append(before if len(self.accesses) > before else None)
        for mention in self.body.mentions:
            read_mention(self, mention)
        if not self.accesses and not self.workspaces:
            raise UnreadableError("no load or store was found", self.body.first_line)
        asserted, sizes = read_assertions(self.reader), self._sizes() if self.by_shapes else ()
        return Accesses(
            asserted=asserted,
            sizes=sizes,
            nodes=tuple(self.reader.expressions.nodes),
            accesses=tuple(self.accesses),
            loads=tuple(loads),
            pointers=tuple(self.sizes.items()),
            workspaces=tuple(self.workspaces),
        )

    # -- one site ------------------------------------------------------------------------------------------------

    def _site(self, site: Site) -> None:
        name = called_name(site.call)
        kind = kind_of(name)
        if name == "bucketize_binary_search":
            self._bucketize(site)
            return
        arguments = {keyword.arg: keyword.value for keyword in site.call.keywords if keyword.arg}
        function = site.call.func
        positional = list(site.call.args)
        if isinstance(function, ast.Attribute) and not _is_language(function.value):
            target: ast.expr | None = function.value
            offsets = positional[0] if positional else arguments.get("offsets")
            mask = None
        elif name in ("gather", "scatter"):
            return  # tl.gather(src, index, axis) moves within a tensor
        else:
            target = positional[0] if positional else arguments.get("pointer")
            described = "descriptor" in name
            offsets = (
                (positional[1] if len(positional) > 1 else arguments.get("offsets")) if described else None
            )
            place = {"read": 1, "write": 2, "atomic": 2}[kind]
            mask = arguments.get(
                "mask", positional[place] if len(positional) > place and not described else None
            )
            if name == "atomic_cas":
                mask = None
        if target is None:
            raise UnreadableError(f"{name} without a pointer", site.line)
        try:
            pointer = self._pointer(target, site)
            base = pointer if isinstance(pointer, Pointer) else pointer.pointer
            if WORKSPACE.fullmatch(base.parameter):
                self.workspaces[base.parameter] = None
                return
            if offsets is not None and isinstance(pointer, Pointer):
                raise UnknownValueError("a descriptor that the host made")
            if isinstance(pointer, BlockPointer):
                self._block(pointer, offsets, kind, arguments, site)
            else:
                self._add(pointer, kind, pointer.offset, self._mask(mask, site), site)
        except UnknownValueError as error:
            if not self.is_workspace_only(target):
                self._anywhere(target, kind, site, str(error))

    def _pointer(self, target: ast.expr, site: Site) -> Pointer | BlockPointer:
        """The pointer of a load. An offset that cannot be followed is some value at each point of the loops."""
        try:
            value = self.reader.read(target, site.place)
        except UnknownValueError:
            if not (isinstance(target, ast.BinOp) and isinstance(target.op, ast.Add)):
                raise
            value = self.reader.read(target.left, site.place)
            if not isinstance(value, Pointer):
                raise
            points = self.reader.loops.all_variables(site.place)
            unknown = self.reader.expressions.add("call", points, f"value at line {site.line}")
            return Pointer(value.parameter, unknown, value.element_bytes)
        if isinstance(value, int):
            raise UnknownValueError("a number where a pointer is needed")
        return value

    def _mask(self, mask: ast.expr | None, site: Site) -> int | None:
        """The mask's node; what cannot be followed is a condition that may or may not hold."""
        if mask is None or (isinstance(mask, ast.Constant) and mask.value is None):
            return None
        try:
            value = self.reader.read(mask, site.place)
        except UnknownValueError:
            value = self.reader.expressions.add("call", (), f"mask at line {site.line}")
        if not isinstance(value, int):
            raise UnreadableError("a mask that is a pointer", site.line)
        return value

    def _block(
        self,
        block: BlockPointer,
        offsets: ast.expr | None,
        kind: AccessKind,
        arguments: dict[str, ast.expr],
        site: Site,
    ) -> None:
        if block.offsets is None:
            if not isinstance(offsets, ast.List | ast.Tuple):
                raise UnknownValueError("a descriptor whose offsets are not written out")
            index, mask = block_address(self.reader, block, site.place, offsets=offsets.elts)
        else:
            checked = arguments.get("boundary_check")
            dimensions = [
                item.value
                for item in (checked.elts if isinstance(checked, ast.List | ast.Tuple) else [])
                if isinstance(item, ast.Constant) and isinstance(item.value, int)
            ]
            index, mask = block_address(self.reader, block, site.place, checked=dimensions)
        self._add(block.pointer, kind, index, mask, site)

    def _add(self, pointer: Pointer, kind: AccessKind, index: int, mask: int | None, site: Site) -> None:
        if self._is_conditional(site):
            condition = self.reader.expressions.add("call", (), f"condition at line {site.line}")
            mask = condition if mask is None else self.reader.expressions.binary("&", mask, condition)
        variables = self.reader.loops.variables_at(site.place)
        operation, arguments, _ = self.reader.expressions.nodes[index]
        points = dict.fromkeys((*variables.points, *(arguments if operation == "call" else ())))
        self.accesses.append(
            Access(
                pointer.parameter,
                kind,
                pointer.element_bytes or self.sizes[pointer.parameter],
                index,
                mask,
                tuple(points),
                variables.tile,
                self._loop(site.place.path),
                site.line,
            )
        )

    def _loop(self, path: tuple[int, ...]) -> int | None:
        return next((block for block in path if self.body.blocks[block].loop is not None), None)

    def _is_conditional(self, site: Site) -> bool:
        """Whether the access stands in a branch that may not be taken for all its points: not in the part of a combo
        kernel, whose loop variables are its own, and not where the programs of one split do the writing."""
        early = self.body.ends_early
        if early is not None and site.place.order > early:
            return True
        for block in site.place.path:
            branch = self.body.blocks[block]
            if branch.loop is not None or self._defines_loop_variable(block):
                continue
            if not branch.tested <= {"rsplit_id", "RSPLIT", "HAS_RSPLIT"}:
                return True
        return False

    def _defines_loop_variable(self, block: int) -> bool:
        return any(
            block in definition.place.path
            for name in ("xindex", "yindex", "zindex", "rindex", "r0_index")
            for definition in self.body.definitions.get(name, ())
        )

    def _bucketize(self, site: Site) -> None:
        """triton_helpers.bucketize_binary_search(values, boundaries_ptr, BOUNDARIES_SIZE, …, sorter_ptr, …): each value
        reads some of the boundaries (and of the sorter), at most all of them."""
        sizes = (self._constant(argument, site) for argument in site.call.args[2:])
        size = next((size for size in sizes if size is not None), None)
        for argument in site.call.args[1:]:
            try:
                value = self.reader.read(argument, site.place)
            except UnknownValueError:
                continue
            if isinstance(value, Pointer):
                self.record_anywhere(
                    value.parameter, "read", site, "a binary search reads some of its boundaries", size
                )

    def _constant(self, node: ast.expr, site: Site) -> int | None:
        if isinstance(node, ast.Constant) and not isinstance(node.value, int | float):
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return None
        try:
            value = self.reader.read(node, site.place)
        except UnknownValueError:
            return None
        return self.reader.expressions.constant(value) if isinstance(value, int) else None

    # -- what cannot be followed ---------------------------------------------------------------------------------

    def _anywhere(self, target: ast.expr, kind: AccessKind, site: Site, reason: str) -> None:
        if not self.by_shapes:
            raise UnreadableError(f"the address of a {kind} cannot be followed: {reason}", site.line)
        parameters = parameters_in(self.body, self.sizes, target)
        if not parameters:
            raise UnreadableError(f"the pointer of a {kind} cannot be followed: {reason}", site.line)
        for parameter in parameters:
            self.record_anywhere(parameter, kind, site, reason, None)

    def record_anywhere(
        self, parameter: str, kind: AccessKind, site: Site, why: str, most: int | None
    ) -> None:
        self.accesses.append(
            Access(
                parameter,
                kind,
                self.sizes[parameter],
                None,
                None,
                (),
                (),
                self._loop(site.place.path),
                site.line,
                why,
                most,
            )
        )

    def is_workspace_only(self, target: ast.expr) -> bool:
        """Whether all pointers that an expression names are workspaces, which are then noted."""
        parameters = parameters_in(self.body, self.sizes, target)
        if not parameters or not all(WORKSPACE.fullmatch(parameter) for parameter in parameters):
            return False
        self.workspaces.update(dict.fromkeys(parameters))
        return True

    def _sizes(self) -> tuple[tuple[str, int], ...]:
        """A template's sizes: `M = 1024`, `K = ks0`."""
        found: list[tuple[str, int]] = []
        for name in _SIZES:
            definitions = self.body.definitions.get(name)
            if definitions:
                try:
                    value = self.reader.name(
                        name, Place(definitions[0].place.order + 1, definitions[0].place.path)
                    )
                except UnknownValueError:
                    continue
                if isinstance(value, int):
                    found.append((name, value))
        return tuple(found)


def _is_language(node: ast.expr) -> bool:
    """Whether a function's owner is a module: `tl`, `triton.language`, `triton_helpers`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("tl", "triton", "triton_helpers", "language")
