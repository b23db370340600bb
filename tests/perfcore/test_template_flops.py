"""FLOPs of matrix products, convolutions and attention by their operands' shapes."""

from __future__ import annotations

from perfcore.kernel_name import parse_kernel_name
from perfcore.metadata import kernel_metadata
from perfcore.template_flops import template_flops
from perfcore.trace.model import LaunchArgs


def test_a_product_with_its_epilogue() -> None:
    shapes = {"arg_A": (1024, 512), "arg_B": (512, 2048), "in_ptr2": (2048,), "out_ptr1": (1024, 2048)}
    # 2 × 1,024 × 2,048 × 512, and an add and a relu for each of 1,024 × 2,048 elements
    assert template_flops(["aten.add", "aten.mm", "aten.relu"], shapes) == 2_147_483_648 + 2 * 2_097_152


def test_a_batched_product() -> None:
    shapes = {"arg_A": (16, 512, 256), "arg_B": (16, 256, 384), "out_ptr1": (16, 512, 384)}
    # 2 × 16 × 512 × 256 × 384, and a mul for each of 16 × 512 × 384 elements
    assert template_flops(["aten.bmm", "aten.mul"], shapes) == 1_610_612_736 + 3_145_728


def test_addmm_adds_its_bias() -> None:
    shapes = {"in_ptr0": (8,), "arg_A": (2, 4), "arg_B": (4, 8), "out_ptr0": (2, 8)}
    assert template_flops(["aten.addmm"], shapes) == 2 * 2 * 4 * 8 + 16


def test_a_convolution_sums_over_one_filter_an_output() -> None:
    shapes = {"arg_X": (1, 3, 10, 10), "arg_W": (4, 3, 3, 3), "out_ptr0": (1, 4, 8, 8)}
    assert template_flops(["aten.convolution"], shapes) == 2 * 256 * 27


def test_attention_is_two_products() -> None:
    shapes = {
        "arg_Q": (1, 2, 64, 16),
        "arg_K": (1, 2, 128, 16),
        "arg_V": (1, 2, 128, 16),
        "out_ptr0": (1, 2, 64, 16),
    }
    assert template_flops([], shapes) == 4 * 2 * 64 * 16 * 128


def test_operands_that_do_not_fit_are_unknown() -> None:
    assert template_flops(["aten.mm"], {"arg_A": (2, 3), "arg_B": (4, 5)}) is None
    assert template_flops(["aten.mm"], {}) is None


def test_a_launch_without_source_takes_its_operands_by_position() -> None:
    args = LaunchArgs(((1024, 512), (512, 2048), (1024, 2048)), None, ("c10::BFloat16",) * 3, ("", "", ""))
    metadata = kernel_metadata("triton_tem_fused_mm_0", args)
    assert parse_kernel_name("triton_tem_fused_mm_0").category == "tem"
    assert metadata.flops == 2_147_483_648
    assert metadata.bytes_moved == 2 * (1024 * 512 + 512 * 2048 + 1024 * 2048)
