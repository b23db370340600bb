"""One kernel's text → its `Accesses`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from perfcore.dtypes import element_size, is_pointer
from perfcore.inductor.access.body import UnreadableError
from perfcore.inductor.access.expression import TooLargeError
from perfcore.inductor.access.kernel_body import read_body
from perfcore.inductor.access.memory_sites import MemorySites
from perfcore.inductor.access.model import Accesses, Unanalysed
from perfcore.inductor.model import KernelSource

_REMEMBERED = 1 << 14
"""Kernels: more than one wrapper has, since of one that did not fit none would be found again."""


def analyse(kernel: KernelSource) -> Accesses | Unanalysed:
    """The accesses of a kernel, from its text alone. Pure, remembered by text, bounded in time by the text's length.

    A construct that it does not know makes the kernel Unanalysed, never a wrong figure.
    """
    found = _analyse(
        kernel.text,
        kernel.def_name,
        kernel.signature,
        _constants(dict(kernel.triton_meta).get("constants"), kernel.params),
        kernel.category in (None, "tem"),
    )
    if isinstance(found, Unanalysed) and kernel.text_line:
        return replace(found, line=found.line + kernel.text_line)
    return found


def _constants(constants: object, params: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """`triton_meta['constants']`: by name, up to PyTorch 2.5 by position."""
    if not isinstance(constants, dict):
        return ()
    named = (
        (params[key] if isinstance(key, int) and 0 <= key < len(params) else key, value)
        for key, value in constants.items()
    )
    return tuple((key, int(value)) for key, value in named if isinstance(key, str) and isinstance(value, int))


def pointer_sizes(signature: tuple[tuple[str, str], ...]) -> dict[str, int | None]:
    """Bytes an element of each pointer parameter, and of each tensor descriptor that the host made
    (`tensordesc<bf16[128, 64]>`, triton/runtime/jit.py)."""
    sizes: dict[str, int | None] = {}
    for parameter, type_ in signature:
        if is_pointer(type_):
            sizes[parameter] = element_size(type_)
        elif type_.startswith("tensordesc<"):
            sizes[parameter] = element_size(type_.removeprefix("tensordesc<").partition("[")[0])
    return sizes


@lru_cache(maxsize=_REMEMBERED)
def _analyse(
    text: str,
    function: str,
    signature: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, int], ...],
    by_shapes: bool,
) -> Accesses | Unanalysed:
    """As `analyse`, lines counting from the kernel's text. Remembered, since a kernel stands in the wrapper, in the
    wrapper's cached copy and in a file of its own."""
    sizes = pointer_sizes(signature)
    try:
        body = read_body(text, function, frozenset(sizes))
        return MemorySites(body, sizes, dict(constants), by_shapes).read()
    except UnreadableError as error:
        return Unanalysed(str(error), error.line)
    except TooLargeError as error:
        return Unanalysed(str(error), 0)
    except RecursionError:
        return Unanalysed("nested deeper than any kernel that Inductor writes", 0)
