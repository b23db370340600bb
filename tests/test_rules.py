"""Every code that the program can say is explained in docs/rules.md, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"""\b(?:Problem|_?[Nn]ote|Finding)\(\s*(?:code=)?"([a-z][a-z0-9-]+)\"""")


def test_every_code_has_its_page() -> None:
    sources = [*(ROOT / "perfcore").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
    said = {code for path in sources for code in CODE.findall(path.read_text("utf-8"))}
    explained = set(
        re.findall(r"^### ([a-z0-9-]+)$", (ROOT / "docs" / "rules.md").read_text("utf-8"), re.MULTILINE)
    )
    assert len(said) > 15
    assert said - explained == set()
