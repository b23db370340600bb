"""A function's last few results, by the identity of its arguments: records are never changed, and hashing or
comparing a report would cost more than making it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 4


class Remembered(Generic[P, T]):
    """Calls `function` only for arguments that are other objects than those of its last calls."""

    def __init__(self, function: Callable[P, T]) -> None:
        self._function = function
        self._known: list[tuple[tuple[object, ...], T]] = []

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        for known, value in self._known:
            if len(known) == len(args) and all(one is other for one, other in zip(known, args, strict=True)):
                return value
        value = self._function(*args, **kwargs)
        self._known = [(args, value), *self._known[: KEPT - 1]]
        return value

    def forget(self) -> None:
        """Lets go of the arguments and results."""
        self._known = []
