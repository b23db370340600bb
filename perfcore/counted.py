"""Numbers of things as people say them, the same in every message: `1 launch`, `2,076 launches`."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """1 → `1 launch`, 2076 → `2,076 launches`; of several words the last one is the noun."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun}es" if noun.endswith(("ch", "sh", "s", "x")) else f"{noun}s"
    return f"{number:,} {plural}"


def part_of(number: int, total: int, noun: str) -> str:
    """`3 of 4 launches`, `all 4 launches`, `the only launch`."""
    if total == 1:
        return f"the only {noun}"
    return f"all {counted(total, noun)}" if number == total else f"{number:,} of {counted(total, noun)}"
