"""FLOP weights: the seed's are fixed, the rest follow from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfcore.ops import flops_per_element

SEED = {
    1: "add sub mul div abs neg relu mean sum ne eq lt gt",
    2: "pow sqrt rsqrt var reciprocal",
    4: "exp log sigmoid tanh silu",
    8: "gelu",
    0: "_to_copy copy_ clone embedding view _unsafe_view permute transpose expand unsqueeze slice",
}


@pytest.mark.parametrize(("weight", "ops"), SEED.items())
def test_the_weights_of_the_seed(weight: int, ops: str) -> None:
    for op in ops.split():
        assert flops_per_element(op) == weight, op
        assert flops_per_element(f"aten.{op}") == weight, op


def test_operators_that_other_tools_count_as_nothing() -> None:
    # native_layer_norm: mean 1, var 2, add 1, rsqrt 2, sub 1, mul 1, mul 1, add 1
    assert flops_per_element("aten.native_layer_norm") == 10
    # _softmax: amax 1, sub 1, exp 4, sum 1, div 1
    assert flops_per_element("aten._softmax") == 8
    # native_dropout: gt 1, mul 1, mul 1
    assert flops_per_element("aten.native_dropout") == 3
    assert [flops_per_element(op) for op in ("where", "maximum", "erf", "cos")] == [1, 1, 4, 4]


def test_in_place_foreach_and_overloads_weigh_like_their_plain_form() -> None:
    assert flops_per_element("aten.add_") == flops_per_element("aten._foreach_add") == 1
    assert flops_per_element("torch.ops.aten.mul.Tensor") == 1


def test_an_operator_without_a_weight_is_unknown_not_zero() -> None:
    assert flops_per_element("moe_forward") is None
    assert flops_per_element("vllm.moe_forward") is None


def test_every_operator_that_inductor_fused_in_the_corpus_has_a_weight(shared: Path) -> None:
    files = shared.glob("corpus/*/*/kernels.json")
    ops = {
        op
        for file in files
        for kernel in json.loads(file.read_text())
        for op in kernel.get("original_aten") or ()
    }
    assert len(ops) > 100
    assert {op for op in ops if flops_per_element(op) is None} == set()
