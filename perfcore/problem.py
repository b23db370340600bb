"""What went wrong, where, and what to do: the one way in which any part reports bad input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, worded for the person who has it.

    `code` is stable and documented in docs/rules.md. `offset` is a byte offset into the text (for a
    `.json.gz`, into the decompressed text), None where the problem has no place.
    """

    code: str
    severity: Severity
    message: str
    path: str | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """One reason why a figure is uncertain or corrected. `code` is stable, `text` is one sentence."""

    code: str
    text: str
