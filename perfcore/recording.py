"""What recordings say of themselves: the device they ran on, and what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perfcore.counted import part_of
from perfcore.device import Device, find_device, with_peak_bandwidth
from perfcore.kernel_name import parse_kernel_name
from perfcore.problem import Problem
from perfcore.trace.model import Trace


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The device the figures are measured against, and who says its peak: our table, the user, or nobody."""

    device: Device | None
    peak_source: Literal["table", "user"] | None


def choose_device(
    traces: Sequence[Trace], name: str | None = None, peak_bandwidth_tb_s: float | None = None
) -> DeviceChoice:
    """The user's device, else the one of the traces' launches, with the user's peak where given."""
    name = name or next((n for trace in traces if (n := _device_name(trace))), "")
    device = find_device(name) or (Device(name, None) if name else None)
    if peak_bandwidth_tb_s:
        return DeviceChoice(with_peak_bandwidth(device, peak_bandwidth_tb_s), "user")
    return DeviceChoice(device, "table" if device and device.peak_bandwidth_tb_s else None)


def recorded_without(trace: Trace) -> list[Problem]:
    """What the whole recording lacks, said once, with what to do about it."""
    problems: list[Problem] = []
    bare = sum(launch.args is not None and launch.args.input_dims is None for launch in trace.launches)
    if bare:
        message = (
            f"The trace lacks the shapes of {part_of(bare, len(trace.launches), 'Triton launch')}, and with them the"
            " bytes: record with torch.profiler.profile(record_shapes=True), or give the Inductor cache."
        )
        problems.append(Problem("missing-shapes", "warning", message, trace.path))
    generic = sum(parse_kernel_name(launch.name).generic for launch in trace.launches)
    if generic:
        message = (
            f"Generic names, which do not tell the operators, for {part_of(generic, len(trace.launches), 'Triton launch')}:"
            " compile with TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1 (the default since PyTorch 2.6)."
        )
        problems.append(Problem("generic-names", "info", message, trace.path))
    return problems


def mixed_devices(traces: Sequence[Trace]) -> list[Problem]:
    """One problem where the traces come from different devices."""
    names = sorted({name for trace in traces if (name := _device_name(trace))})
    if len(names) < 2:
        return []
    message = (
        f"The traces come from different devices ({', '.join(names)}); percents of peak are of one of them."
    )
    return [Problem("mixed-devices", "warning", message)]


def _device_name(trace: Trace) -> str:
    """The name of the device that launches ran on; kernels may carry an index that the trace does not describe (ROCm
    numbers its agents), then the only name there is."""
    names = {device.index: device.name for device in trace.devices if device.name}
    used = next((names[launch.device] for launch in trace.launches if launch.device in names), None)
    return used or next(iter(names.values()), "")
