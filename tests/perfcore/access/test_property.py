"""Random index arithmetic: whatever is called exact is what the judge counts, and every bound holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfcore.inductor import KernelSource
from perfcore.inductor.access import Accesses, analyse, moved
from tests.perfcore.access.brute_force import touched
from tests.perfcore.access.kernel_text import pointwise, reduction

CONSTANTS = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 12, 16, 27, 64, 100])
SMALL = st.integers(1, 9)


def indices(variables: list[str]) -> st.SearchStrategy[str]:
    """Index expressions as Inductor prints them: sums of scaled digits, with the odd clamp or quotient."""
    digit = st.one_of(
        st.sampled_from(variables),
        st.builds(lambda v, d: f"({v} // {d})", st.sampled_from(variables), CONSTANTS),
        st.builds(lambda v, d: f"({v} % {d})", st.sampled_from(variables), CONSTANTS),
        st.builds(lambda v, d, m: f"(({v} // {d}) % {m})", st.sampled_from(variables), CONSTANTS, CONSTANTS),
    )

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds(lambda a, b: f"({a} + {b})", inner, inner),
            st.builds(lambda c, a: f"({c}*{a})", CONSTANTS, inner),
            st.builds(lambda c, a: f"(({-c})*{a})", SMALL, inner),
            st.builds(lambda c, a: f"({c} + {a})", st.integers(-5, 40), inner),
            st.builds(lambda a, d: f"(({a}) // {d})", inner, CONSTANTS),
            st.builds(lambda a, d: f"(({a}) % {d})", inner, CONSTANTS),
            st.builds(lambda a, c: f"triton_helpers.minimum({a}, {c})", inner, st.integers(0, 60)),
            st.builds(lambda a, c: f"triton_helpers.maximum({c}, {a})", inner, st.integers(-9, 60)),
            st.builds(lambda a, d: f"triton_helpers.div_floor_integer({a}, {d})", inner, SMALL),
            st.builds(lambda a, d: f"triton_helpers.remainder_integer({a}, {d})", inner, SMALL),
            st.builds(lambda a, b: f"((({a}) * (({a}) >= ({b}))) + (({b}) * (({b}) > ({a}))))", inner, inner),
            st.builds(lambda a, b, c: f"tl.where({a} < {c}, {a}, {b})", inner, inner, st.integers(0, 50)),
        )

    return st.recursive(digit, larger, max_leaves=6)


def masks(variables: list[str]) -> st.SearchStrategy[str]:
    test = st.builds(
        lambda i, op, c: f"(({i}) {op} {c})",
        indices(variables),
        st.sampled_from(["<", ">=", "==", "!=", ">", "<="]),
        st.integers(-3, 90),
    )
    return st.recursive(
        test,
        lambda inner: st.one_of(
            st.builds(lambda a, b: f"({a} & {b})", inner, inner),
            st.builds(lambda a, b: f"({a} | {b})", inner, inner),
            st.builds(lambda a: f"(~{a})", inner),
        ),
        max_leaves=3,
    )


def agrees(kernel: KernelSource, *, always_exact: bool = False) -> None:
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses), (accesses, kernel.text)
    judge = touched(kernel.text, kernel.def_name, dict(kernel.signature), dict(kernel.numels), {}, {})
    for one in moved(accesses, {}).pointers:
        for count, exact, truth in (
            (one.read, one.read_exact, judge.read(one.pointer)),
            (one.written, one.written_exact, judge.written(one.pointer)),
        ):
            assert count is not None, kernel.text
            assert count == truth if exact else count >= truth, (one, truth, kernel.text)
            assert exact or not always_exact, (one, kernel.text)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_one_loop_variable(data: st.DataObject) -> None:
    numel = data.draw(st.integers(1, 1300))
    loads = [
        f"tmp{i} = tl.load(in_ptr0 + ({data.draw(indices(['x0']))}), {mask} & xmask, other=0.0)"
        for i, mask in enumerate(data.draw(st.lists(masks(["x0"]), min_size=1, max_size=3)))
    ]
    kernel = pointwise(
        ["x0 = xindex", *loads, "tl.store(out_ptr0 + (x0), tmp0, xmask)"],
        pointers={"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
        numels={"x": numel},
    )
    agrees(kernel, always_exact=True)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_two_loop_variables(data: st.DataObject) -> None:
    numels = {"y": data.draw(st.integers(1, 50)), "x": data.draw(st.integers(1, 50))}
    index = indices(["x0", "y0"])
    kernel = pointwise(
        [
            "x0 = xindex",
            "y0 = yindex",
            f"tmp0 = tl.load(in_ptr0 + ({data.draw(index)}), xmask & ymask)",
            f"tmp1 = tl.load(in_ptr0 + ({data.draw(index)}), {data.draw(masks(['x0', 'y0']))} & xmask & ymask)",
            f"tl.store(out_ptr0 + ({data.draw(index)}), tmp0 + tmp1, xmask & ymask)",
        ],
        pointers={"in_ptr0": "*fp32", "out_ptr0": "*bf16"},
        numels=numels,
    )
    agrees(kernel, always_exact=True)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_a_reduction_that_flattens_and_splits_anew(data: st.DataObject) -> None:
    """r0_1 + n·x0 under divisions: what a split reduction over a view looks like."""
    x, r = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 60))
    flat = f"(r0_1 + {r}*x0)"
    total = data.draw(st.integers(1, x * r))
    d, m = data.draw(CONSTANTS), data.draw(CONSTANTS)
    kernel = reduction(
        ["x0 = xindex"],
        [
            "r0_1 = r0_index",
            f"tmp0 = {flat}",
            f"tmp1 = tmp0 < {total}",
            f"tmp2 = tl.load(in_ptr0 + ({data.draw(CONSTANTS)}*(({flat} // {d}) % {m}) + ({flat} % {d})), "
            "r0_mask & tmp1 & xmask)",
        ],
        ["tl.store(out_ptr0 + (x0), 0.0, xmask)"],
        pointers={"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
        numels={"x": x, "r0_": r},
    )
    agrees(kernel, always_exact=True)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_gathers_are_bounds_that_hold(data: st.DataObject) -> None:
    index = indices(["x0"])
    kernel = pointwise(
        [
            "x0 = xindex",
            f"tmp0 = tl.load(in_ptr0 + ({data.draw(index)}), {data.draw(masks(['x0']))} & xmask)",
            "tmp1 = tmp0 + 20",
            "tmp2 = tmp0 < 0",
            "tmp3 = tl.where(tmp2, tmp1, tmp0)",
            f"tmp4 = tl.load(in_ptr1 + (tmp3 * {data.draw(CONSTANTS)} + {data.draw(index)}), xmask)",
            "tl.store(out_ptr0 + (x0), tmp4, xmask)",
        ],
        pointers={"in_ptr0": "*i64", "in_ptr1": "*fp32", "out_ptr0": "*fp32"},
        numels={"x": data.draw(st.integers(1, 700))},
    )
    agrees(kernel)
