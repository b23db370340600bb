"""Where docs/rules.md lies, which explains every code."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def rules_page() -> Path:
    """The page: an installed package carries it beside its modules."""
    package = Path(__file__).parent
    installed = package / "rules.md"
    return installed if installed.is_file() else package.parents[1] / "docs" / "rules.md"


def rule_uri(code: str) -> str:
    """Where the page tells of one code."""
    return f"{rules_page().as_uri()}#{code}"
