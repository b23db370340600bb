"""Where a kernel's function, and the functions that it calls for their effect, stand in its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Final

from perfcore.inductor.access.body import UnreadableError

MAX_BODY_CHARS: Final = 4_000_000

_DEFINITION = re.compile(r"^def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_STATEMENT_CALL = re.compile(r"^[ \t]+(\w+)\(", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^[^\s#)]", re.MULTILINE)


def function_text(text: str, name: str) -> tuple[str, int, list[str]]:
    """The function `name` without decorators, with what stands between it and the functions that it calls for their
    effect; the zero-based line at which that starts; and those functions' names.

    Raises UnreadableError where the text has no such function.
    """
    defined: dict[str, int] = {}
    for found in _DEFINITION.finditer(text):
        defined.setdefault(found[1], found.start())
    if name not in defined:
        raise UnreadableError(f"no function {name} was found", 0)
    start, end = defined[name], _end_of(text, defined[name])
    helpers = _called(text[start:end], defined.keys() - {name}) if len(defined) > 1 else set()
    seen: set[str] = set()
    while helpers - seen:
        one = min(helpers - seen)
        seen.add(one)
        begins, ends = defined[one], _end_of(text, defined[one])
        helpers |= _called(text[begins:ends], defined.keys() - {name})
        start, end = min(start, begins), max(end, ends)
    line = text.count("\n", 0, start)
    if end - start > MAX_BODY_CHARS:
        raise UnreadableError("the function is longer than any that Inductor writes", line)
    return text[start:end], line, sorted(seen)


def _end_of(text: str, start: int) -> int:
    end = _TOP_LEVEL.search(text, start + 1)
    return end.start() if end else len(text)


def _called(source: str, names: Collection[str]) -> set[str]:
    return {found[1] for found in _STATEMENT_CALL.finditer(source)} & {*names}


def parse_functions(source: str, first_line: int) -> dict[str, ast.FunctionDef]:
    """The syntax trees of a text's functions, by name. Raises UnreadableError."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise UnreadableError(
            f"not valid Python: {error.msg}", first_line + (error.lineno or 1) - 1
        ) from None
    except (RecursionError, MemoryError):
        raise UnreadableError("nested deeper than any kernel that Inductor writes", first_line) from None
    except ValueError as error:
        raise UnreadableError(f"not valid Python: {error}", first_line) from None
    functions: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, node)
    return functions
