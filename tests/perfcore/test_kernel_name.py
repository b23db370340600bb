"""Kernel names split into category, operators and index."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfcore.kernel_name import clean_kernel_name, parse_kernel_name
from perfcore.ops import COMPOSITES, flops_per_element

FUSED_OPS = sorted(
    """add sub mul div neg relu mean sum pow sqrt rsqrt exp log sigmoid tanh silu gelu gelu_backward where eq ne
    _to_copy _unsafe_view view clone copy_ embedding cat slice split unsqueeze expand permute transpose t cumsum
    native_layer_norm native_layer_norm_backward _softmax _log_softmax native_dropout native_dropout_backward
    _native_batch_norm_legit_no_training max_pool2d_with_indices threshold_backward __lshift__ bitwise_and
    index_add scatter_add index_put constant_pad_nd _scaled_dot_product_flash_attention""".split()
)


def check(name: str, category: str | None, ops: str, unknown: str = "", index: int | None = None) -> None:
    parsed = parse_kernel_name(name)
    assert parsed.category == category
    assert [op.split(".")[1] for op in parsed.ops] == ops.split()
    assert list(parsed.unknown_ops) == unknown.split()
    assert parsed.index == index


def test_a_leading_underscore_belongs_to_the_operator() -> None:
    check("triton_poi_fused__unsafe_view_mul_silu_2", "poi", "_unsafe_view mul silu", index=2)


def test_reduction_and_persistent_reduction() -> None:
    check("triton_red_fused_add_mean_mul_pow_rsqrt_0", "red", "add mean mul pow rsqrt", index=0)
    check(
        "triton_per_fused__softmax_prepare_softmax_online_3",
        "per",
        "_softmax prepare_softmax_online",
        index=3,
    )


def test_a_trailing_underscore_belongs_to_the_operator() -> None:
    name = "triton_per_fused__native_batch_norm_legit_functional_copy__2"
    check(name, "per", "_native_batch_norm_legit_functional copy_", index=2)


def test_the_longest_operator_wins_over_its_parts() -> None:
    name = "triton_poi_fused_max_pool2d_with_indices_max_pool2d_with_indices_backward_0"
    check(name, "poi", "max_pool2d_with_indices max_pool2d_with_indices_backward", index=0)


def test_operators_of_other_namespaces_keep_theirs() -> None:
    parsed = parse_kernel_name("triton_red_fused__softmax_prepare_softmax_online_0")
    assert parsed.ops == ("aten._softmax", "prims.prepare_softmax_online")
    parsed = parse_kernel_name("triton_poi_fused_add_all_to_all_single_5")
    assert parsed.ops == ("aten.add", "_c10d_functional.all_to_all_single")


def test_an_unknown_operator_never_loses_the_known_ones() -> None:
    check("triton_poi_fused_constant_pad_nd_moe_forward_0", "poi", "constant_pad_nd", "moe_forward", 0)
    check("triton_poi_fused_add_my_own_thing_mul_silu_7", "poi", "add mul silu", "my_own_thing", 7)


def test_a_name_without_operators() -> None:
    check("triton_poi_fused_0", "poi", "", index=0)


@pytest.mark.parametrize("name", ["triton_", "triton_0", "triton_17", "triton__0d1d2d3de"])
def test_generic_names_are_recognised(name: str) -> None:
    assert parse_kernel_name(name).generic


def test_a_cut_name_keeps_its_whole_operators() -> None:
    name = "triton_poi_fused_abs_add_clamp_cos_div_erf_exp_floor_gt_log1p_ma"
    check(name, "poi", "abs add clamp cos div erf exp floor gt log1p", "ma")


def test_suffixes_of_others_are_dropped() -> None:
    check("triton_poi_fused_add_mul_3.kd", "poi", "add mul", index=3)
    check("triton_poi_fused_add_mul_3_0d1d2d3de4de", "poi", "add mul", index=3)
    assert clean_kernel_name("triton_poi_fused_add_mul_3_0d1d2de") == "triton_poi_fused_add_mul_3"


def test_the_oldest_names_have_no_category() -> None:
    check("triton_fused_add_relu_4", None, "add relu", index=4)


@pytest.mark.parametrize(
    "name",
    ["", "triton", "void at::native::add<float>()", "my_kernel_0", "triton_kernels/matmul.py(12): matmul"],
)
def test_what_is_no_inductor_name_has_nothing(name: str) -> None:
    check(name, None, "")


def test_a_gigantic_name_is_bounded() -> None:
    check("triton_poi_fused_" + "add_" * 100_000 + "0", None, "")


@given(
    st.sets(st.sampled_from(FUSED_OPS), max_size=12),
    st.integers(0, 9999),
    st.sampled_from(["poi", "red", "per"]),
)
def test_sorted_operator_lists_round_trip(ops: set[str], index: int, category: str) -> None:
    name = "_".join(["triton", category, "fused", *sorted(ops), str(index)])
    check(name, category, " ".join(sorted(ops)), index=index)


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_kernel_name(text)
    parse_kernel_name("triton_poi_fused_" + text)


def test_every_name_of_the_corpus_agrees_with_its_original_aten(shared: Path) -> None:
    names = 0
    for file in shared.glob("corpus/*/*/kernels.json"):
        for kernel in json.loads(file.read_text()):
            if kernel["name"].startswith("triton_") and kernel.get("original_aten"):
                expected = sorted({op.split(".")[1] for op in kernel["original_aten"]})
                parsed = parse_kernel_name(kernel["name"])
                assert [op.split(".")[1] for op in parsed.ops] == expected, kernel["name"]
                assert not parsed.unknown_ops
                names += 1
    assert names > 700


def test_every_name_of_the_traces_splits(shared: Path) -> None:
    import gzip

    names: set[str] = set()
    for file in shared.glob("traces/*.json.gz"):
        text = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
        names |= set(re.findall(r'"name": "(triton_[a-z]{3}_fused_[A-Za-z0-9_]+)"', text))
    assert len(names) > 50
    unknown = {
        name: parse_kernel_name(name).unknown_ops for name in names if parse_kernel_name(name).unknown_ops
    }
    assert unknown == {"triton_poi_fused_constant_pad_nd_moe_forward_0": ("moe_forward",)}


def test_composites_are_spelled_in_weighed_operators() -> None:
    for name, parts in COMPOSITES.items():
        assert flops_per_element(name) == sum(flops_per_element(part) or 0 for part in parts.split())
        assert all(flops_per_element(part) is not None for part in parts.split()), name
