"""V1: bytes from a kernel's signature and numels or size hints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perfcore.inductor import read_inductor_file
from perfcore.inductor.choose import Choice
from perfcore.inductor.model import KernelSource
from perfcore.metadata import kernel_metadata, source_metadata
from perfcore.signature_bytes import bytes_from_signature

EXAMPLE = Path(__file__).parents[2] / "examples" / "transformer_block"


def example_kernel(name: str) -> KernelSource:
    path = EXAMPLE / "output_code.py"
    (kernel,) = [k for k in read_inductor_file(str(path), path.read_text()).kernels if k.name == name]
    return kernel


def test_a_reduction_reads_all_pointers_in_full_but_the_last() -> None:
    signature = (
        ("in_ptr0", "*bf16"),
        ("in_ptr1", "*bf16"),
        ("out_ptr1", "*bf16"),
        ("xnumel", "i32"),
        ("r0_numel", "i32"),
    )
    # (2 + 2) × 32,768 × 2,048 + 2 × 32,768
    assert bytes_from_signature(signature, 32768, 2048) == 268_500_992


def test_a_pointwise_kernel_moves_its_in_out_pointer_twice() -> None:
    signature = (("in_out_ptr0", "*bf16"), ("in_ptr0", "*fp32"), ("xnumel", "i32"))
    # (2 + 4 + 2) × 1,000
    assert bytes_from_signature(signature, 1000, 1) == 8000


def test_an_element_type_without_a_size_makes_bytes_unknown() -> None:
    assert bytes_from_signature((("in_ptr0", "*mystery"), ("xnumel", "i32")), 1000, 1) is None


def test_the_rmsnorm_kernel_from_its_size_hints_alone() -> None:
    kernel = replace(
        example_kernel("triton_red_fused_add_mean_mul_pow_rsqrt_0"), numels=(), text="def broken("
    )
    metadata = source_metadata(kernel)
    assert metadata.bytes_moved == 268_500_992
    assert metadata.flops == 469_762_048
    assert metadata.origin == "cache"
    assert "size-hints" in {note.code for note in metadata.notes}


def test_constants_in_the_body_are_exact_and_said_so() -> None:
    kernel = replace(example_kernel("triton_poi_fused__unsafe_view_add_3"), size_hints=(("x", 2**27),))
    metadata = source_metadata(kernel)
    assert (metadata.xnumel, metadata.rnumel) == (67_108_864, 1)
    assert "exact-numels" in {note.code for note in metadata.notes}


def test_of_several_sources_none_is_used() -> None:
    one = example_kernel("triton_poi_fused__unsafe_view_add_3")
    other = replace(one, text=one.text.replace("67108864", "33554432"), path="elsewhere.py")
    metadata = kernel_metadata(one.name, None, Choice((one, other), "name"))
    assert metadata.source is None
    assert metadata.bytes_moved is None


@pytest.mark.parametrize("version", ["2.4.1", "2.7.1", "2.12.1", "2.13.0"])
def test_every_kernel_of_the_corpus_with_numels_has_bytes(shared: Path, version: str) -> None:
    kernels = 0
    for path in (shared / "corpus" / version).glob("*/output_code*.py"):
        for kernel in read_inductor_file(str(path), path.read_text()).kernels:
            kernels += 1
            metadata = source_metadata(kernel)
            if kernel.category in ("poi", "red", "per", "spl") and kernel.size_hints:
                assert metadata.bytes_moved, kernel.name
    assert kernels > 150
