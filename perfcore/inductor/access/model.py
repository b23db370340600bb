"""The records of the exact tier: `Accesses` (what a kernel's text touches) and `Moved` (how much that is)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from perfcore.inductor.access.expression import Node
from perfcore.problem import Note

AccessKind = Literal["read", "write", "atomic"]


@dataclass(frozen=True, slots=True)
class Access:
    """One load, store or atomic.

    `index` is the node of its element index, None where it may be anywhere in its buffer (`why` says why, `most`
    is the number of elements that its own text bounds it by). `mask` is the node of its mask, None without one.
    `points` are the nodes of the loop variables at its place: it runs once at each point; `tile` are those of them in
    which the threads of a block differ. `loop` tells the loops
    apart in which accesses stand, None outside. `line` is zero-based in the kernel's own text.
    """

    pointer: str
    kind: AccessKind
    element_bytes: int | None
    index: int | None
    mask: int | None
    points: tuple[int, ...]
    tile: tuple[int, ...]
    loop: int | None
    line: int
    why: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Assertion:
    """A device_assert: `lower <= value < upper` wherever `mask` holds (None: everywhere). All are nodes."""

    value: int
    lower: int
    upper: int
    mask: int | None


@dataclass(frozen=True, slots=True)
class Accesses:
    """All that a kernel does to memory. `nodes` is the table of its index arithmetic (module `expression`).

    A `load` node's value is a place in `loads`, which holds the access's place in `accesses`. `workspaces` are
    pointers for traffic between programs, which depends on the launch grid and is not counted. `pointers` are all
    pointer parameters with their element sizes. `sizes` are the nodes of a template's M, N, K, BATCH and idx_q.
    """

    nodes: tuple[Node, ...]
    accesses: tuple[Access, ...]
    loads: tuple[int | None, ...]
    pointers: tuple[tuple[str, int | None], ...]
    asserted: tuple[Assertion, ...] = ()
    workspaces: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Unanalysed:
    """A kernel that the analysis does not understand: why, and the zero-based line in its file."""

    reason: str
    line: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one pointer parameter moves: distinct elements read and written, None where unknown.

    The figures are exact, or upper bounds where `read_exact` or `written_exact` is False; `why` then says why.
    """

    pointer: str
    element_bytes: int | None
    read: int | None
    written: int | None
    read_exact: bool = True
    written_exact: bool = True
    why: str = ""

    @property
    def bytes_moved(self) -> int | None:
        if self.read is None or self.written is None or self.element_bytes is None:
            return None
        return (self.read + self.written) * self.element_bytes


@dataclass(frozen=True, slots=True)
class Moved:
    """What a kernel moves for given numels. `bytes_moved` is None where a pointer's traffic is unknown."""

    pointers: tuple[Traffic, ...]
    bytes_moved: int | None
    exact: bool
    notes: tuple[Note, ...] = ()
