"""Statements that name a pointer without touching memory: a new name for it, or a call that it is given to."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from perfcore.inductor.access.body import Mention, Site, UnreadableError, called_name
from perfcore.inductor.access.model import AccessKind
from perfcore.inductor.access.pointer_names import parameters_in
from perfcore.inductor.access.scopes import UnknownValueError

if TYPE_CHECKING:
    from perfcore.inductor.access.memory_sites import MemorySites

_SYNCHRONISING: Final = frozenset(
    {"x_grid_barrier", "exclusive_scan_decoupled_lookback", "exclusive_scan_decoupled_lookback_64"}
)
"""Functions of triton_helpers through which programs talk to each other in a workspace."""

WORKSPACE = re.compile(r"(?:ws|sem|workspace|semaphores?)(?:_ptr)?\d*")
"""Pointers through which programs talk to each other."""

_KINDS: Final[tuple[AccessKind, ...]] = ("read", "write", "atomic")


def read_mention(sites: MemorySites, mention: Mention) -> None:
    """A statement that names a pointer outside of a load or store must be a new name for it, or be known."""
    statement = mention.statement
    value = getattr(statement, "value", None)
    if value is None:
        return
    if isinstance(statement, ast.AugAssign) or (
        isinstance(value, ast.Call) and called_name(value) == "advance"
    ):
        return  # whoever uses the name looks at its steps
    if isinstance(value, ast.Call) and called_name(value) in _SYNCHRONISING:
        sites.workspaces.update(dict.fromkeys(parameters_in(sites.body, sites.sizes, value)))
        return
    try:
        sites.reader.read(value, mention.place)
    except UnknownValueError as error:
        _given_away(sites, value, mention, str(error))
        return
    if isinstance(statement, ast.Expr):
        _given_away(sites, value, mention, "it is given to a function")


def _given_away(sites: MemorySites, value: ast.expr, mention: Mention, reason: str) -> None:
    """Pointers given to a function: what a function of the same text does to them, else they are read."""
    if sites.is_workspace_only(value):
        return
    callees = sites.body.callees
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    given = [pair for call in calls for pair in callees.given(call) or ()]
    if not isinstance(value, ast.Call) or callees.given(value) is None:
        given.append((value, frozenset(("read",))))  # by whatever is around the calls, too
    done: dict[tuple[str, AccessKind], None] = {}
    for argument, effects in given:
        for parameter in parameters_in(sites.body, sites.sizes, argument):
            done.update(dict.fromkeys((parameter, kind) for kind in _KINDS if kind in effects))
    if done and not sites.by_shapes:
        raise UnreadableError(
            f"{next(iter(done))[0]} is used in a way that cannot be followed: {reason}", mention.line
        )
    site = Site(ast.Call(ast.Name(""), [], []), mention.place, mention.line)
    for parameter, kind in done:
        sites.record_anywhere(parameter, kind, site, reason, None)
