"""A pointer parameter plus an offset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pointer:
    """`offset` is the node of the offset in elements. `element_bytes` is set where the pointer was cast to another
    type."""

    parameter: str
    offset: int
    element_bytes: int | None = None
