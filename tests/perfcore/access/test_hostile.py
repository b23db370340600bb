"""Text that nobody's Inductor wrote: it ends in Unanalysed or a bound, in bounded time, and nothing escapes."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfcore.inductor import KernelSource
from perfcore.inductor.access import Moved, Unanalysed, analyse, body_flops, moved
from tests.perfcore.access.kernel_text import pointwise

FLOATS = {"in_ptr0": "*fp32", "out_ptr0": "*fp32"}
SECONDS = 10.0
"""Of processor time; most take a hundredth, the worst two."""


def judged(kernel: KernelSource) -> Moved | Unanalysed:
    start = time.process_time()
    found = analyse(kernel)
    result = found if isinstance(found, Unanalysed) else moved(found, {})
    body_flops(kernel, {})
    assert time.process_time() - start < SECONDS
    return result


def with_lines(*lines: str, numel: int = 1000) -> KernelSource:
    return pointwise(
        ["x0 = xindex", *lines, "tl.store(out_ptr0 + (x0), tmp0, xmask)"],
        pointers=FLOATS,
        numels={"x": numel},
    )


LOAD = "tmp0 = tl.load(in_ptr0 + ({}), xmask)"


@pytest.mark.parametrize(
    "index",
    [
        "(" * 150 + "x0" + ")" * 150,
        "-" * 20_000 + "x0",
        "+".join(["x0"] * 20_000),
        "*".join(["x0"] * 300),
        "x0" + " // 3" * 500,
        "9" * 4000 + "*x0",
        "x0 + 99999999999999999999999999",
        "10**10**10",
        "x0 ** x0 ** x0",
        "1 << 999999999999",
        "x0 // 0",
        "x0 % (3 - 3)",
        "x0 // (x0 - 5)",
        "triton_helpers.div_floor_integer(x0, 0)",
        "tl.where(x0 > 3, x0, 1 // 0)",
        "x0 % 9223372036854775807",
        "(x0 * 4611686018427387904) % 3",
        "tl.arange(0, 1000)",
        "lambda: x0",
        "[x0 for x0 in range(10)]",
        "undefined_name + x0",
        "x0 if x0 else x0",
        "None",
        "'x0'",
        "x0.to(tl.int8)",
        "float('nan')",
        "float('1e999')",
        "(x0 * 1e308 * 1e308).to(tl.int32)",
    ],
)
def test_an_absurd_index(index: str) -> None:
    result = judged(with_lines(LOAD.format(index)))
    if isinstance(result, Moved):
        read = result.pointers[0].read
        assert read is None or 0 <= read <= 1000 or not result.pointers[0].read_exact


@pytest.mark.parametrize(
    "lines",
    [
        ["a0 = a1", "a1 = a0", LOAD.format("a0 + x0")],
        ["x1 = x1 + 1", LOAD.format("x1")],
        ["a0 = x0", *(f"a{i + 1} = a{i} * a{i}" for i in range(60)), LOAD.format("a60")],
        ["a0 = x0", *(f"a{i + 1} = a{i} + a{i}" for i in range(200)), LOAD.format("a200")],
        ["a0 = x0", *(f"a{i + 1} = (a{i} // 3) + (a{i} % 7)" for i in range(300)), LOAD.format("a300")],
        ["a0 = x0", *(f"a{i + 1} = tl.where(a{i} > {i}, a{i}, {i})" for i in range(200)), LOAD.format("a200")],
        [*(LOAD.format(f"x0 * {i} // {i + 1}") for i in range(1, 300))],
        [*(f"tmp0 = tl.load(in_ptr0 + (x0), (x0 % {i}) != 1)" for i in range(2, 200))],
        ["m0 = x0 < 5", *(line for i in range(2000) for line in (
            f"m{i + 1} = m{i} & (x0 > {i})", f"tmp0 = tl.load(in_ptr0 + x0, m{i + 1})"))],
        ["a0 = x0", *(line for i in range(1500) for line in (
            f"a{i + 1} = a{i} * 1.5", f"tmp0 = tl.load(in_ptr0 + a{i + 1}.to(tl.int32))"))],
        ["a0 = x0", *(line for i in range(1500) for line in (
            f"a{i + 1} = (a{i} // 2) * x0 + {i}", f"tmp0 = tl.load(in_ptr0 + a{i + 1})"))],
        ["m0 = x0 < 5", *(f"m{i + 1} = m{i} | (x0 % {i + 2} == 1)" for i in range(60)), "tmp0 = tl.load(in_ptr0 + x0, m60)"],
        ["for i in range(10**18):", f"    {LOAD.format('x0 + i')}"],
        ["for i in range(0, 100, 0):", f"    {LOAD.format('x0 + i')}"],
        ["for i in something:", f"    {LOAD.format('x0 + i')}"],
        ["tmp0 = 0", "for i in range(100):", "    for j in range(100):", "        for k in range(100):",
         "            tmp0 = tl.load(in_ptr0 + (i * j + k * x0), xmask)"],
        ["tmp0 = tl.load(tl.make_block_ptr(in_ptr0, [], [], [], [], []))"],
        ["tmp0 = tl.load(tl.make_block_ptr(in_ptr0, shape=[1], strides=[1, 2], offsets=[0], block_shape=[1], order=[0]))"],
        ["tmp0 = tl.load(tl.advance(in_ptr0, [1]))"],
        ["tmp0 = tl.load()"],
        ["tmp0 = tl.load(*in_ptr0)"],
        ["tmp0 = tl.load(in_ptr0 + x0, in_ptr0)"],
        ["tmp0 = in_ptr0", "tmp0 = tl.load(tmp0 * 2 + x0)"],
        ["def inner():", f"    {LOAD.format('x0')}"],
        ["with x:", f"    {LOAD.format('x0')}"],
        ["try:", f"    {LOAD.format('x0')}", "except E:", "    pass"],
        ["xindex = xindex", LOAD.format("x0")],
        ["xnumel = xnumel * xnumel", LOAD.format("x0")],
    ],
)  # fmt: skip
def test_an_absurd_body(lines: list[str]) -> None:
    judged(with_lines(*lines))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def",
        "def triton_poi_fused_test_0(",
        "def triton_poi_fused_test_0(): pass\x00",
        "\n" * 100_000,
        "é\u2028(" * 1000,
    ],
)
def test_a_text_that_is_no_kernel(text: str) -> None:
    kernel = replace(with_lines(LOAD.format("x0")), text=text)
    assert isinstance(judged(kernel), Unanalysed)


def test_a_text_cut_off_anywhere() -> None:
    kernel = with_lines("x1 = (x0 // 10) % 4", LOAD.format("x1 + 8*x0"))
    for end in range(0, len(kernel.text), 7):
        judged(replace(kernel, text=kernel.text[:end]))


def test_huge_numels_and_strange_scalars() -> None:
    found = analyse(with_lines("x1 = x0 // ks0", LOAD.format("x1 % 77 + 13*(x1 // 5)")))
    assert not isinstance(found, Unanalysed)
    for x in (0, 1, 2**62, 10**30, -5):
        for ks0 in (0, 1, -3, 7, 10**20):
            start = time.process_time()
            moved(found, {"x": x}, scalars={"ks0": ks0}, shapes={"in_ptr0": (10**30,), "out_ptr0": ()})
            assert time.process_time() - start < SECONDS


@given(st.text(alphabet="x0 1+-*/%()[],.<>&|~:=\n tlload_ptrinwhere", max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_text_in_a_body(noise: str) -> None:
    kernel = with_lines(LOAD.format("x0"))
    judged(replace(kernel, text=kernel.text.replace("x0 = xindex", noise)))


def test_pointers_that_are_each_others_names_end() -> None:
    found = judged(with_lines("p = in_ptr0", "q = p", "p = q", LOAD.format("x0").replace("in_ptr0", "p")))
    assert isinstance(found, Moved)
    assert found.bytes_moved == 8000


def test_a_choice_with_more_branches_than_anything_writes() -> None:
    """What follows it would have to stand in each of them."""
    choice = "\n    ".join(
        f"{'if' if i == 0 else 'elif'} x0 == {i}:\n        p = in_ptr0" for i in range(1500)
    )
    tail = ["    tmp0 = tmp0 + 1"] * 300
    judged(with_lines(choice + "\n    else:\n        p = in_ptr0", LOAD.format("x0"), *map(str.strip, tail)))


def test_functions_that_call_each_other_end() -> None:
    kernel = with_lines("first(in_ptr0, out_ptr0)", LOAD.format("x0"))
    several = "\n".join(
        f"def {name}(p, q):\n" + f"    {other}(p, q)\n" * 50
        for name, other in (("first", "second"), ("second", "first"))
    )
    judged(replace(kernel, text=several + kernel.text))


@pytest.mark.parametrize(
    ("first", "step", "last"),
    [
        ("x0", "t{0} * t{0}", "t40.to(tl.int64)"),
        ("x0.to(tl.float32)", "t{0} * t{0}", "t40.to(tl.int64)"),
        ("x0.to(tl.float32)", "tl.where(t{0} > 3.0, t{0} * 5.0, t{0})", "t40.to(tl.int32)"),
        ("tl.arange(0, 64)", "t{0} * t{0}", "t40[:, None]"),
        ("x0", "triton_helpers.minimum(t{0}, t{0} * 3)", "t40"),
        ("x0", "tl.where(t{0} > 3, t{0} * 5, t{0} + 1)", "t40"),
        ("x0", "t{0} % 7 + t{0} // 3", "t40"),
        ("x0", "(t{0} + 1) * (t{0} + 2)", "t40"),
        ("x0 < 5", "t{0} & (t{0} | (x0 > {0}))", "tl.where(t40, x0, 0)"),
        ("x0", "tl.load(in_ptr0 + (t{0} + t{0} % 5), xmask).to(tl.int32)", "t40"),
    ],
)
def test_a_value_that_stands_twice_in_the_next_forty_times(first: str, step: str, last: str) -> None:
    """A tree of 2⁴⁰ operations, written in forty lines."""
    steps = [f"t{i + 1} = {step.format(i)}" for i in range(40)]
    found = judged(with_lines(f"t0 = {first}", *steps, f"y = {last}", LOAD.format("y"), numel=100))
    assert isinstance(found, Moved)
    (read, written) = found.pointers
    assert written.written == 100
    assert read.read is None or read.read >= 0
