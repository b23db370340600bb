"""Numbers of things in messages: none says `1 launches`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from perfcore.counted import counted, part_of

ROOT = Path(__file__).parents[1]
FILES = [*(ROOT / "perfcore").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
NOUNS = (
    "launches|kernels|events|places|sources|traces|sets|files|tensors|arguments|lines|problems|findings|calls"
)
_PLURAL = re.compile(rf" (?:[\w-]+ ){{0,2}}(?:{NOUNS})\b")


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "launch", "0 launches"),
        (1, "launch", "1 launch"),
        (2076, "Triton launch", "2,076 Triton launches"),
        (1, "GPU kernel", "1 GPU kernel"),
        (2, "argument set", "2 argument sets"),
    ],
)
def test_a_number_of_things(number: int, noun: str, said: str) -> None:
    assert counted(number, noun) == said


@pytest.mark.parametrize(
    ("number", "total", "said"),
    [
        (1, 1, "the only launch"),
        (1, 2, "1 of 2 launches"),
        (3, 3, "all 3 launches"),
        (9, 4000, "9 of 4,000 launches"),
    ],
)
def test_a_part_of_them(number: int, total: int, said: str) -> None:
    assert part_of(number, total, "launch") == said


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_message_puts_a_number_before_a_plural_by_itself(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            for value, text in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    number = ast.unparse(value.value)
                    if number.startswith(("counted(", "part_of(")) or number.lstrip("_").isupper():
                        continue  # worded already, or a limit
                    found = _PLURAL.match(str(text.value))
                    assert found is None, f"line {node.lineno}: use counted() for {ast.unparse(node)}"
