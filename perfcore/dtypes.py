"""Element sizes for every spelling of a dtype: ATen's in traces, C++'s, Triton's in signatures, torch's."""

from __future__ import annotations

_BITS_BY_NAME: dict[str, int] = {
    # c10 type names and C++ spellings, as Kineto writes them into `Input type` (c10::toString / typeMetaToName)
    "bfloat16": 16, "half": 16, "float": 32, "double": 64,
    "long int": 64, "long": 64, "long long": 64, "long long int": 64,
    "unsigned long": 64, "unsigned long int": 64, "unsigned long long": 64,
    "int": 32, "unsigned int": 32, "short int": 16, "short": 16, "unsigned short": 16, "unsigned short int": 16,
    "signed char": 8, "char": 8, "unsigned char": 8, "byte": 8, "bool": 8,
    "int64_t": 64, "int32_t": 32, "int16_t": 16, "int8_t": 8,
    "uint64_t": 64, "uint32_t": 32, "uint16_t": 16, "uint8_t": 8,
    "float8_e4m3fn": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8,
    "float4_e2m1fn_x2": 8,
    "complex<half>": 32, "complex<float>": 64, "complex<double>": 128,
    "complexhalf": 32, "complexfloat": 64, "complexdouble": 128,
    "qint8": 8, "quint8": 8, "qint32": 32, "quint4x2": 8, "quint2x4": 8,
    "bits1x8": 8, "bits2x4": 8, "bits4x2": 8, "bits8": 8, "bits16": 16,
    # torch's own
    "float16": 16, "float32": 32, "float64": 64,
    "int8": 8, "int16": 16, "int32": 32, "int64": 64,
    "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
    "complex32": 32, "complex64": 64, "complex128": 128,
    # Triton's, in a kernel's signature (torch/_inductor/utils.py, `_type_of`); a bool is stored as a byte
    "fp8e4nv": 8, "fp8e4b8": 8, "fp8e4b15": 8, "fp8e5": 8, "fp8e5b16": 8, "fp8e8m0": 8, "fp8e4": 8,
    "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64,
    "i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "u1": 8, "u8": 8, "u16": 16, "u32": 32, "u64": 64, "b8": 8,
    "int1": 8,
}  # fmt: skip

_PREFIXES = ("c10::", "at::", "torch.", "tl.", "std::")


def element_size(dtype: str) -> int | None:
    """Bytes an element of `dtype` takes in memory, None for what is no element type (Scalar, ScalarList,
    TensorList, constexpr, an empty or unknown name). A leading `*` (Triton pointer) is ignored."""
    name = dtype.strip().lstrip("*").removeprefix("const ").strip()
    while prefix := next((p for p in _PREFIXES if name.startswith(p)), None):
        name = name.removeprefix(prefix)
    bits = _BITS_BY_NAME.get(name.lower().replace("c10::", ""))
    return None if bits is None else bits // 8


def is_pointer(triton_type: str) -> bool:
    """Whether a signature's type is a pointer to elements (`*bf16`), not a scalar or a constexpr."""
    return triton_type.startswith("*")
