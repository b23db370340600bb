"""Pointers given to functions of the kernel's own text, as attention templates and users' kernels do."""

from __future__ import annotations

import pytest

from perfcore.inductor import read_inductor_file
from perfcore.inductor.access import Accesses, Moved, analyse, moved

SHAPES = {"Q": (64,), "K": (32,), "LSE": (16,), "out": (64,)}

KERNEL = """\
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics

@triton_heuristics.template(
    num_stages=3, num_warps=4,
    triton_meta={{'signature': {{'Q': '*fp32', 'K': '*fp32', 'LSE': '*fp32', 'out': '*fp32'}}, 'constants': {{}}}},
    inductor_meta={{'kernel_name': 'triton_tem_fused_attention_0'}},
)
@triton.jit
def triton_tem_fused_attention_0(Q, K, LSE, out):
    offs = tl.program_id(0) * 16 + tl.arange(0, 16)
    q = load_checked(Q, offs)
    acc = inner(Q, K, LSE, out, q, offs)
    tl.store(out + offs, acc)

@triton.jit
def load_checked(ptr, offs):
    return tl.load(ptr + offs)

@triton.jit
def inner(Q, K, LSE, out, q, offs):
{inner}
    return q
"""


def counted(*inner: str) -> Moved:
    text = KERNEL.format(inner="\n".join(f"    {line}" for line in inner))
    (kernel,) = read_inductor_file("kernel.py", text).kernels
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses), accesses
    return moved(accesses, {}, shapes=SHAPES)


def traffic(*inner: str) -> dict[str, tuple[int | None, int | None]]:
    return {one.pointer: (one.read, one.written) for one in counted(*inner).pointers}


def test_a_pointer_that_the_function_leaves_alone_moves_nothing() -> None:
    """The output and LSE go through `inner` for what a score_mod might need of them: 64 + 32 read, 64 written."""
    assert traffic("k = tl.load(K + offs)", "q += k") == {
        "Q": (64, 0),
        "K": (32, 0),
        "LSE": (0, 0),
        "out": (0, 64),
    }


@pytest.mark.parametrize(
    ("inner", "lse"),
    [
        (["tl.store(LSE + offs, q)"], (0, 16)),
        (["p = LSE + offs", "for i in range(4):", "    p += 4", "    tl.store(p, q)"], (0, 16)),
        (["tl.atomic_add(LSE + offs, q)"], (16, 16)),
        (["q += load_checked(LSE, offs)"], (16, 0)),  # a function that calls another
        (["q += inner(Q, K, LSE, out, q, offs)"], (16, 16)),  # itself: anything
        (["q += elsewhere(LSE)"], (16, 16)),  # of another text
        (["q += tl.load(load_checked(LSE, offs) + K)"], (16, 0)),  # only what is loaded from points nowhere
    ],
)
def test_what_the_function_does_is_what_counts(inner: list[str], lse: tuple[int, int]) -> None:
    assert traffic(*inner)["LSE"] == lse


def test_a_call_within_arithmetic_counts_too() -> None:
    """acc = inner(…, LSE, …) * 2: LSE is written, and as far as the arithmetic goes may be read."""
    text = KERNEL.format(inner="    tl.store(LSE + offs, q)").replace("offs)\n    tl", "offs) * 2\n    tl")
    (kernel,) = read_inductor_file("kernel.py", text).kernels
    accesses = analyse(kernel)
    assert isinstance(accesses, Accesses)
    (lse,) = [one for one in moved(accesses, {}, shapes=SHAPES).pointers if one.pointer == "LSE"]
    assert (lse.read, lse.written) == (16, 16)


def test_it_is_a_bound() -> None:
    """Which elements the function touches is not followed: at most all of them."""
    assert not counted("tl.store(LSE + offs, q)").exact
