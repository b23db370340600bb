"""Unions of strided sets against sets."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from perfcore.inductor.access.distinct import Image, count_union, image
from perfcore.inductor.access.linear import Budget

strides = st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 6)), max_size=3)
images = st.builds(
    image,
    st.integers(-50, 50),
    strides,
    st.lists(st.lists(st.integers(-30, 60), min_size=1, max_size=5), max_size=1),
)


def elements(one: Image) -> set[int]:
    parts: list[list[int]] = [[step * i for i in range(count)] for step, count in one.strides]
    parts += [list(values) for values in one.scattered]
    return {one.offset + sum(choice) for choice in itertools.product(*parts)}


@given(st.integers(-50, 50), strides)
def test_the_simplest_form_is_the_same_set(offset: int, parts: list[tuple[int, int]]) -> None:
    plain = Image(offset, tuple(parts))
    assert elements(image(offset, parts)) == elements(plain)


@given(st.lists(images, min_size=1, max_size=5))
def test_a_union_is_counted_exactly(several: list[Image]) -> None:
    assert count_union(several, Budget(10**6)) == (len(set().union(*map(elements, several))), True)


@given(st.lists(images, min_size=1, max_size=5))
def test_without_budget_a_bound_is_left(several: list[Image]) -> None:
    count, exact = count_union(several, Budget(0))
    truth = len(set().union(*map(elements, several)))
    assert count == truth if exact else count >= truth


def test_strides_that_continue_each_other_are_one() -> None:
    assert image(0, [(1, 64), (64, 3), (192, 10)]) == Image(0, ((1, 1920),))
    assert image(0, [(2, 27), (1, 3)]) == Image(0, ((1, 55),))


def test_sets_with_different_unknown_offsets_do_not_mix() -> None:
    one = image(0, [(1, 10)], symbol=(("load_seed_offset", 1),))
    other = image(0, [(1, 10)], symbol=(("load_seed_offset1", 1),))
    assert count_union([one, one], Budget(1000)) == (10, True)
    assert count_union([one, other], Budget(1000)) == (20, False)
