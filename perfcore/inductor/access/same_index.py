"""Which accesses go through the same loaded index: two loops that load it anew reach no more than one."""

from __future__ import annotations

from perfcore.inductor.access.model import Access, Accesses


class SameIndex:
    """Keys of accesses of one kernel. Equal keys: the same elements at the same points."""

    def __init__(self, accesses: Accesses) -> None:
        self._accesses = accesses
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[int, int] = {}
        self._written = {access.pointer for access in accesses.accesses if access.kind != "read"}

    def key(self, access: Access) -> tuple[object, ...]:
        if access.index is None:
            return (access.why, access.most)
        mask = self._number(access.mask) if access.mask is not None else None
        return (self._number(access.index), mask)

    def _number(self, root: int) -> int:
        """One number for all nodes of one meaning: loads of one place are one, unless the kernel writes there."""
        waiting = [root]
        while waiting:
            node = waiting[-1]
            if node in self._known:
                waiting.pop()
                continue
            operation, arguments, value = self._accesses.nodes[node]
            load = self._loaded(int(value)) if operation == "load" else None
            if load is not None:
                arguments = (load.index or 0, *((load.mask,) if load.mask is not None else ()))
                value = load.pointer
            missing = [argument for argument in arguments if argument not in self._known]
            if missing:
                waiting += missing
                continue
            meaning = (operation, tuple(self._known[argument] for argument in arguments), value)
            self._known[node] = self._numbers.setdefault(meaning, len(self._numbers))
            waiting.pop()
        return self._known[root]

    def _loaded(self, load: int) -> Access | None:
        place = self._accesses.loads[load]
        access = self._accesses.accesses[place] if place is not None else None
        return None if access is None or access.index is None or access.pointer in self._written else access
