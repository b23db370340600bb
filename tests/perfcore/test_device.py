"""Peaks by the name a trace gives its device."""

from __future__ import annotations

import pytest

from perfcore.device import find_device, with_peak_bandwidth


@pytest.mark.parametrize(
    ("name", "tb_s"),
    [
        ("AMD Instinct MI300X", 5.3),
        ("NVIDIA A100-SXM4-80GB", 2.039),
        ("NVIDIA A100-SXM4-40GB", 1.555),
        ("NVIDIA H100 80GB HBM3", 3.35),
        ("NVIDIA H100 PCIe", 2.0),
        ("NVIDIA H200", 4.8),
        ("NVIDIA B200", 8.0),
        ("NVIDIA GeForce RTX 4090", 1.008),
        ("Tesla T4", 0.32),
    ],
)
def test_peak_bandwidth(name: str, tb_s: float) -> None:
    device = find_device(name)
    assert device is not None
    assert (device.name, device.peak_bandwidth_tb_s) == (name, tb_s)


@pytest.mark.parametrize("name", ["", "cpu", "NVIDIA Z9000", "A100000"])
def test_an_unknown_device_has_no_peak(name: str) -> None:
    assert find_device(name) is None


def test_the_users_peak_overrides_the_table() -> None:
    assert with_peak_bandwidth(find_device("NVIDIA H200"), 4.2).peak_bandwidth_tb_s == 4.2
    assert with_peak_bandwidth(None, 1.0).peak_bandwidth_tb_s == 1.0
