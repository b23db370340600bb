"""The formulas: bytes, FLOPs and busy time → rates. None in, None out."""

from __future__ import annotations

from perfcore.device import Device

MIB = 1024 * 1024


def tb_per_s(bytes_moved: int | None, busy_ns: int | None) -> float | None:
    """10^12 bytes a second; None without bytes or without a time above zero."""
    if bytes_moved is None or not busy_ns:
        return None
    return bytes_moved / busy_ns / 1e3


def tflops_per_s(flops: int | None, busy_ns: int | None) -> float | None:
    """10^12 operations a second; None without FLOPs or without a time above zero."""
    if flops is None or not busy_ns:
        return None
    return flops / busy_ns / 1e3


def flops_per_byte(flops: int | None, bytes_moved: int | None) -> float | None:
    """Arithmetic intensity."""
    if flops is None or not bytes_moved:
        return None
    return flops / bytes_moved


def attainable_tb_s(device: Device | None, intensity: float | None) -> float | None:
    """The roofline: the bandwidth that a kernel of this intensity (FLOP/byte) can reach at best."""
    if device is None or device.peak_bandwidth_tb_s is None:
        return None
    if intensity and device.peak_tflops_s is not None:
        return min(device.peak_bandwidth_tb_s, device.peak_tflops_s / intensity)
    return device.peak_bandwidth_tb_s


def is_memory_bound(device: Device | None, intensity: float | None) -> bool | None:
    """Whether the roofline's slope, not its roof, limits a kernel of this intensity. None without peaks."""
    if (
        device is None
        or device.peak_bandwidth_tb_s is None
        or device.peak_tflops_s is None
        or intensity is None
    ):
        return None
    return intensity * device.peak_bandwidth_tb_s < device.peak_tflops_s


def recoverable_us(total_us: float, tb_s: float | None, attainable: float | None) -> float | None:
    """Time saved if the kernel ran at its attainable bandwidth, never below 0."""
    if tb_s is None or not attainable:
        return None
    return max(0.0, total_us * (1 - tb_s / attainable))
