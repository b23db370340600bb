"""What the reader keeps of a trace's events for linking: few, compact, in file order.

A trace of a gigabyte holds millions of events and tens of thousands of launches, so GPU kernels, runtime
calls and flows are columns of machine integers (`array('q')`), and only Triton cpu_ops are objects.
`ABSENT` stands for a field that the event does not have.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import msgspec

from perfcore.trace.model import LaunchArgs, Place

ABSENT = -(2**63)
"""No such field in the event (a value no trace can hold)."""

NO_IDS = frozenset({ABSENT, 0, -1})
"""What tracers write for an External id or a correlation where there is none."""


class OpEvent(msgspec.Struct, frozen=True, gc=False):
    """A cpu_op that is a Triton launch (named `triton_*`, or with `kernel_backend: triton`).

    `thread` identifies (pid, tid); `end_ns` is None without `dur`. External id and correlation are ABSENT
    where the event has none. `stack` holds the Python frames the event names, innermost first.
    """

    name: str
    thread: int
    ts_ns: int
    end_ns: int | None
    external_id: int
    correlation: int
    args: LaunchArgs
    place: Place
    stack: tuple[str, ...] = ()


def _column() -> array[int]:
    return array("q")


@dataclass(slots=True)
class GpuKernelColumns:
    """All GPU kernels (cat `kernel`), one row each. `dur_ns` ABSENT without `dur`. `name`, `stream`,
    `device` and `grid` (its JSON text) are indices into `TraceEvents.strings` (ABSENT where missing). `registers`
    are those of one thread (libkineto/src/CuptiActivity.cpp writes them, ROCm and XPU do not)."""

    name: array[int] = field(default_factory=_column)
    ts_ns: array[int] = field(default_factory=_column)
    dur_ns: array[int] = field(default_factory=_column)
    correlation: array[int] = field(default_factory=_column)
    external_id: array[int] = field(default_factory=_column)
    device: array[int] = field(default_factory=_column)
    stream: array[int] = field(default_factory=_column)
    grid: array[int] = field(default_factory=_column)
    registers: array[int] = field(default_factory=_column)
    thread: array[int] = field(default_factory=_column)
    event_index: array[int] = field(default_factory=_column)
    offset: array[int] = field(default_factory=_column)
    length: array[int] = field(default_factory=_column)


@dataclass(slots=True)
class RuntimeCallColumns:
    """Runtime and driver calls that launch something (`cudaLaunchKernel`, `cuLaunchKernelEx`,
    `hipModuleLaunchKernel`, `hipGraphLaunch`, `urEnqueueKernelLaunch`...); `name` as above."""

    name: array[int] = field(default_factory=_column)
    ts_ns: array[int] = field(default_factory=_column)
    dur_ns: array[int] = field(default_factory=_column)
    thread: array[int] = field(default_factory=_column)
    correlation: array[int] = field(default_factory=_column)
    external_id: array[int] = field(default_factory=_column)


@dataclass(slots=True)
class FlowColumns:
    """Flow ends (`ph` s, t, f of cat `ac2g` or `async_cpu_to_gpu`): `phase` is ord(ph)."""

    phase: array[int] = field(default_factory=_column)
    id: array[int] = field(default_factory=_column)
    thread: array[int] = field(default_factory=_column)
    ts_ns: array[int] = field(default_factory=_column)


@dataclass(slots=True)
class TraceEvents:
    """Everything kept of one file. `strings` and `threads` are interned: columns hold indices into them."""

    ops: list[OpEvent] = field(default_factory=list)
    kernels: GpuKernelColumns = field(default_factory=GpuKernelColumns)
    calls: RuntimeCallColumns = field(default_factory=RuntimeCallColumns)
    flows: FlowColumns = field(default_factory=FlowColumns)
    strings: list[str] = field(default_factory=list)
    threads: list[tuple[str, str]] = field(default_factory=list)
