"""V1: bytes from a kernel's signature and numels, as the seed counts them when there are no shapes.

Reduction: every pointer but the last moves xnumel × rnumel elements, the last xnumel. Pointwise: every pointer
moves xnumel elements, an `in_out_ptr` twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from perfcore.dtypes import element_size, is_pointer


def pointer_sizes(signature: Sequence[tuple[str, str]]) -> list[tuple[str, int]] | None:
    """(pointer parameter, bytes an element), None when an element type is unknown."""
    sizes: list[tuple[str, int]] = []
    for parameter, triton_type in signature:
        if not is_pointer(triton_type) or parameter.startswith("ws_ptr"):
            continue
        size = element_size(triton_type)
        if size is None:
            return None
        sizes.append((parameter, size))
    return sizes


def bytes_from_signature(signature: Sequence[tuple[str, str]], xnumel: int, rnumel: int) -> int | None:
    """The V1 formula, None when the signature has no pointers or one of unknown element type."""
    pointers = pointer_sizes(signature)
    if not pointers:
        return None
    if rnumel > 1:
        return sum(size for _, size in pointers[:-1]) * xnumel * rnumel + pointers[-1][1] * xnumel
    in_out_extra = sum(size for parameter, size in pointers if parameter.startswith("in_out_ptr"))
    return (sum(size for _, size in pointers) + in_out_extra) * xnumel
