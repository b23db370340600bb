"""Element sizes in every spelling that traces and sources use."""

from __future__ import annotations

import pytest

from perfcore.dtypes import element_size

SIZES = {
    8: ["double", "long int", "long", "c10::complex<float>", "torch.float64", "*fp64", "*i64", "int64_t"],
    4: [
        "float",
        "int",
        "unsigned int",
        "torch.float32",
        "*fp32",
        "*i32",
        "c10::Float",
        "c10::complex<c10::Half>",
    ],
    2: [
        "c10::BFloat16",
        "c10::Half",
        "short int",
        "short",
        "*bf16",
        "*fp16",
        "torch.bfloat16",
        "unsigned short",
    ],
    1: [
        *[
            "bool",
            "unsigned char",
            "signed char",
            "c10::Float8_e4m3fn",
            "c10::Float8_e4m3fnuz",
            "c10::Float8_e5m2",
        ],
        *["*i1", "*i8", "*u8", "*fp8e4nv", "*fp8e5", "torch.float8_e5m2", "torch.uint8"],
    ],
}


@pytest.mark.parametrize(
    ("size", "dtype"), [(size, dtype) for size, dtypes in SIZES.items() for dtype in dtypes]
)
def test_size(size: int, dtype: str) -> None:
    assert element_size(dtype) == size


@pytest.mark.parametrize(
    "dtype", ["Scalar", "ScalarList", "TensorList", "", "constexpr", "nvTmaDesc", "MyType"]
)
def test_what_is_no_element_type_has_no_size(dtype: str) -> None:
    assert element_size(dtype) is None
