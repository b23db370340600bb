"""What clients give our own requests and commands, against what those take."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from pygls.exceptions import JsonRpcInvalidParams

from perfcore.counted import counted

T = TypeVar("T")


def params_as(kind: type[T], params: object) -> T:
    """The JSON of a request's params as a record. Raises InvalidParams, which says what is wrong."""
    record: T = _read({} if params is None else params, kind)
    return record


def command_arguments(command: Callable[..., Any], given: object) -> tuple[Any, ...]:
    """A command's arguments as its function takes them; clients may give more, which are left out.

    Raises InvalidParams where one is missing or of another kind."""
    taken = list(inspect.signature(command).parameters.values())
    needed = sum(parameter.default is parameter.empty for parameter in taken)
    values = _read([] if given is None else given, list[Any])
    if len(values) < needed:
        raise JsonRpcInvalidParams(f"Expected {counted(needed, 'argument')}, got {len(values)}")
    kinds = get_type_hints(command)
    return tuple(_read(value, kinds[parameter.name]) for parameter, value in zip(taken, values, strict=False))


def _read(value: object, kind: Any) -> Any:
    import msgspec  # not before it is needed: a start waits for no import

    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeError) as error:  # the latter for half a surrogate pair
        raise JsonRpcInvalidParams(str(error)) from error
