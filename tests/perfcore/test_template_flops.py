"""FLOPs of templates: the product by formula, and the epilogue's weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfcore.inductor import read_inductor_file
from perfcore.inductor.calls import calls_by_kernel
from perfcore.metadata import kernel_metadata, source_metadata
from perfcore.template_flops import epilogue_flops, product_flops
from perfcore.trace.model import LaunchArgs


def test_a_matrix_product_by_its_first_two_tensors() -> None:
    assert product_flops(["aten.mm"], [(1024, 512), (512, 2048), (1024, 2048)]) == 2_147_483_648
    assert product_flops(["aten.bmm"], [(16, 512, 256), (16, 256, 384), (16, 512, 384)]) == 1_610_612_736


def test_operands_that_do_not_fit_are_unknown() -> None:
    assert product_flops(["aten.mm"], [(2, 3), (4, 5), (2, 5)]) is None
    assert product_flops(["aten.mm"], []) is None
    assert product_flops(["aten.convolution"], [(1, 3, 10, 10), (4, 3, 3, 3), (1, 4, 8, 8)]) is None


def test_the_epilogue_counts_for_each_element_of_the_output() -> None:
    assert epilogue_flops(["aten.add", "aten.mm", "aten.relu"], 2_097_152) == 4_194_304
    assert epilogue_flops(["aten.addmm"], 16) == 16


def test_a_launch_without_source_takes_its_operands_by_position() -> None:
    args = LaunchArgs(((1024, 512), (512, 2048), (1024, 2048)), None, ("c10::BFloat16",) * 3, ("", "", ""))
    metadata = kernel_metadata("triton_tem_fused_mm_0", args)
    assert metadata.flops == 2_147_483_648
    assert metadata.bytes_moved == 2 * (1024 * 512 + 512 * 2048 + 1024 * 2048)


@pytest.mark.parametrize("version", ["2.4.1", "2.7.1", "2.12.1", "2.13.0"])
def test_the_sources_of_templates_tell_their_sizes(shared: Path, version: str) -> None:
    # Inductor's own kernel_flop is the product alone: 2 × 1,024 × 2,048 × 512 and 2 × 16 × 512 × 384 × 256
    for model, product, epilogue in (
        ("matmul_template", 2_147_483_648, 2 * 1024 * 2048),
        ("bmm_template", 1_610_612_736, 16 * 512 * 384),
    ):
        path = shared / "corpus" / version / model / "output_code.py"
        file = read_inductor_file(str(path), path.read_text())
        (kernel,) = [kernel for kernel in file.kernels if kernel.category == "tem"]
        call = calls_by_kernel([file])[kernel.content_hash or ""]
        assert source_metadata(kernel, call).flops == product + epilogue
