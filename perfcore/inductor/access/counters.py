"""Indices that count up without being one of Inductor's loop variables: tl.arange, and programs × blocks of it.

Users' kernels and templates make their indices of these.
"""

from __future__ import annotations

from perfcore.inductor.access.expression import Expressions


class Counters:
    """What is known of the counters in a table of expressions."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self.nodes = expressions.nodes
        self._known: dict[int, bool] = {}
        self._moved: dict[tuple[int, int], int] = {}

    def shared_out(self, left: int, right: int) -> int | None:
        """program × BLOCK + tl.arange(0, BLOCK) counts up from 0, as far as the launch grid goes; and so does
        tl.program_id(1) + tl.program_id(2) * tl.num_programs(1)."""
        nodes = self.nodes
        for start, block in ((left, right), (right, left)):
            operation, factors, _ = nodes[start]
            counter, extent, name = nodes[block]
            if operation == "*" and self.is_unbounded(block) and self.is_unbounded(factors[0]):
                if nodes[factors[1]][2] == "num_programs":
                    return self._expressions.add("var", (), f"programs {left}, {right}")
                continue
            if operation == "*" and counter == "var" and extent and is_counter(name):
                by = {*factors} - {*extent}
                if len(by) == 1 and self._depends_on_program(by.pop()):
                    return self._expressions.add("var", (), f"arange of programs {start}, {name}")
        return None

    def is_unbounded(self, node: int) -> bool:
        return self.nodes[node][:2] == ("var", ())

    def _depends_on_program(self, node: int) -> bool:
        waiting, seen = [node], {node}
        while waiting:
            one = waiting.pop()
            if self.is_unbounded(one):
                return True
            arguments = self.nodes[one][1]
            waiting.extend(argument for argument in arguments if argument not in seen)
            seen.update(arguments)
        return False

    def along(self, node: int, axis: int) -> int:
        """The node with its tl.arange counters along another axis: offs[:, None] * n + offs[None, :] has two."""
        if axis == 0 or not self.has_counter(node):
            return node
        known = self._moved.get((node, axis))
        if known is None:
            operation, arguments, value = self.nodes[node]
            if operation == "var" and is_counter(value):
                known = self._expressions.add(operation, arguments, f"{value}, axis {axis}")
            else:
                along = tuple(self.along(argument, axis) for argument in arguments)
                known = self._expressions.add(operation, along, value)
            self._moved[node, axis] = known
        return known

    def has_counter(self, node: int) -> bool:
        known = self._known.get(node)
        if known is None:
            operation, arguments, value = self.nodes[node]
            if operation == "var":
                known = is_counter(value)
            else:
                known = any(self.has_counter(argument) for argument in arguments)
            self._known[node] = known
        return known


def is_counter(name: object) -> bool:
    """Whether a variable counts the elements of a tl.arange, not those of one of Inductor's loop variables."""
    return str(name).startswith("arange")
