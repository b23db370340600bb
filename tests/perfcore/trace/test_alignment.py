"""What all longest common subsequences agree on, judged by trying every one."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from perfcore.trace.alignment import certain_matches

words = st.text(alphabet="abc", max_size=7)


def all_longest(one: str, other: str) -> list[dict[int, int]]:
    """Every longest alignment, as a map of positions."""
    for length in range(min(len(one), len(other)), -1, -1):
        found = [
            dict(zip(left, right, strict=True))
            for left in combinations(range(len(one)), length)
            for right in combinations(range(len(other)), length)
            if all(one[i] == other[j] for i, j in zip(left, right, strict=True))
        ]
        if found:
            return found
    raise AssertionError("the empty alignment always exists")


@given(words, words)
def test_agrees_with_trying_every_alignment(one: str, other: str) -> None:
    longest = all_longest(one, other)
    alignment = certain_matches(one, other, range(len(one)))
    assert alignment is not None
    assert alignment.length == len(longest[0])
    expected = {
        i: sorted({match[i] for match in longest})
        for i in range(len(one))
        if all(i in match for match in longest)
    }
    assert alignment.possible == expected


def test_gives_up_rather_than_take_minutes() -> None:
    assert certain_matches("a" * 20_000, "a" * 20_000, range(5)) is None
    assert certain_matches("a" * 4_000, "a" * 4_000, range(4_000)) is None
