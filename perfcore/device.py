"""What a GPU can do at best, by the name that a trace's `deviceProperties` gives it.

Peaks are the vendors' published ones for the whole package: memory bandwidth in TB/s (10^12 bytes a second),
vector (not matrix) throughput in TFLOPS/s for FP32, which is what Inductor's pointwise and reduction kernels
compute in, and the last-level cache in bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU and its peaks. A peak is None where it is not known."""

    name: str
    peak_bandwidth_tb_s: float | None
    peak_tflops_s: float | None = None
    l2_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class _Model:
    """`pattern` must match within the trace's name, whose case and punctuation do not count."""

    pattern: str
    name: str
    bandwidth_tb_s: float
    tflops_s: float
    l2_mib: int


# The first match wins, so the special stands before the general.
_MODELS = (
    _Model(r"mi355x", "AMD Instinct MI355X", 8.0, 157.3, 256),
    _Model(r"mi350x", "AMD Instinct MI350X", 8.0, 144.2, 256),
    _Model(r"mi325x", "AMD Instinct MI325X", 6.0, 163.4, 256),
    _Model(r"mi308x", "AMD Instinct MI308X", 5.3, 43.0, 256),
    _Model(r"mi300x", "AMD Instinct MI300X", 5.3, 163.4, 256),
    _Model(r"mi300a", "AMD Instinct MI300A", 5.3, 122.6, 256),
    _Model(r"mi250x?\b", "AMD Instinct MI250X (one die)", 1.6384, 23.95, 8),
    _Model(r"mi210", "AMD Instinct MI210", 1.6384, 22.6, 8),
    _Model(r"mi100", "AMD Instinct MI100", 1.2288, 23.1, 8),
    _Model(r"gb300|b300", "NVIDIA B300", 8.0, 77.0, 126),
    _Model(r"gb200", "NVIDIA GB200", 8.0, 80.0, 126),
    _Model(r"b200", "NVIDIA B200", 8.0, 75.0, 126),
    _Model(r"gh200 144g|gh200 .*hbm3e", "NVIDIA GH200 144GB", 4.9, 67.0, 50),
    _Model(r"gh200", "NVIDIA GH200 96GB", 4.0, 67.0, 50),
    _Model(r"h200 nvl", "NVIDIA H200 NVL", 4.8, 60.0, 50),
    _Model(r"h200", "NVIDIA H200", 4.8, 67.0, 50),
    _Model(r"h100 nvl", "NVIDIA H100 NVL", 3.9, 60.0, 50),
    _Model(r"h100 pcie", "NVIDIA H100 PCIe", 2.0, 51.2, 50),
    _Model(r"h100", "NVIDIA H100 SXM", 3.35, 66.9, 50),
    _Model(r"h800", "NVIDIA H800", 3.35, 66.9, 50),
    _Model(r"h20\b", "NVIDIA H20", 4.0, 44.0, 60),
    _Model(r"a100 sxm4 80gb|a100 sxm 80gb|a100 sxm4 64gb", "NVIDIA A100 SXM 80GB", 2.039, 19.5, 40),
    _Model(r"a100 .*80gb", "NVIDIA A100 80GB PCIe", 1.935, 19.5, 40),
    _Model(r"a100", "NVIDIA A100 40GB", 1.555, 19.5, 40),
    _Model(r"a800 .*80gb", "NVIDIA A800 80GB", 2.039, 19.5, 40),
    _Model(r"a40\b", "NVIDIA A40", 0.696, 37.4, 6),
    _Model(r"a30\b", "NVIDIA A30", 0.933, 10.3, 24),
    _Model(r"a10g\b", "NVIDIA A10G", 0.600, 31.2, 6),
    _Model(r"a10\b", "NVIDIA A10", 0.600, 31.2, 6),
    _Model(r"rtx pro 6000", "NVIDIA RTX PRO 6000 Blackwell", 1.792, 125.0, 128),
    _Model(r"rtx 6000 ada", "NVIDIA RTX 6000 Ada", 0.960, 91.1, 96),
    _Model(r"rtx a6000|a6000", "NVIDIA RTX A6000", 0.768, 38.7, 6),
    _Model(r"l40s", "NVIDIA L40S", 0.864, 91.6, 96),
    _Model(r"l40\b", "NVIDIA L40", 0.864, 90.5, 96),
    _Model(r"l4\b", "NVIDIA L4", 0.300, 30.3, 48),
    _Model(r"v100 .*32gb|v100s", "NVIDIA V100 32GB", 0.900, 15.7, 6),
    _Model(r"v100", "NVIDIA V100", 0.900, 15.7, 6),
    _Model(r"t4\b", "NVIDIA T4", 0.320, 8.1, 4),
    _Model(r"rtx 5090", "NVIDIA GeForce RTX 5090", 1.792, 104.8, 96),
    _Model(r"rtx 5080", "NVIDIA GeForce RTX 5080", 0.960, 56.3, 64),
    _Model(r"rtx 4090", "NVIDIA GeForce RTX 4090", 1.008, 82.6, 72),
    _Model(r"rtx 4080", "NVIDIA GeForce RTX 4080", 0.7168, 48.7, 64),
    _Model(r"rtx 3090 ti", "NVIDIA GeForce RTX 3090 Ti", 1.008, 40.0, 6),
    _Model(r"rtx 3090", "NVIDIA GeForce RTX 3090", 0.9362, 35.6, 6),
    _Model(r"rtx 3080", "NVIDIA GeForce RTX 3080", 0.760, 29.8, 5),
    _Model(r"rx 7900 xtx", "AMD Radeon RX 7900 XTX", 0.960, 61.4, 96),
    _Model(r"rx 9070 xt", "AMD Radeon RX 9070 XT", 0.640, 48.7, 64),
    _Model(r"w7900", "AMD Radeon PRO W7900", 0.864, 61.3, 96),
    _Model(r"max 1550", "Intel Data Center GPU Max 1550 (one stack)", 1.6384, 26.2, 204),
    _Model(r"max 1100", "Intel Data Center GPU Max 1100", 1.2288, 22.2, 108),
    _Model(r"arc b580", "Intel Arc B580", 0.456, 13.7, 18),
    _Model(r"arc a770", "Intel Arc A770", 0.560, 19.7, 16),
)


def find_device(name: str) -> Device | None:
    """The device that a name means, None for an empty or unknown one. The returned name is the caller's."""
    plain = " ".join(re.sub(r"[^a-z0-9]+", " ", name[:200].lower()).split())
    if not plain:
        return None
    for model in _MODELS:
        if re.search(rf"\b(?:{model.pattern})(?![0-9])", plain):
            return Device(name, model.bandwidth_tb_s, model.tflops_s, model.l2_mib * MIB)
    return None


def with_peak_bandwidth(device: Device | None, peak_bandwidth_tb_s: float) -> Device:
    """The device with the bandwidth that the user measured or knows better."""
    return replace(device or Device("", None), peak_bandwidth_tb_s=peak_bandwidth_tb_s)
