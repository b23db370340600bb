"""The records that a trace becomes: `Trace`, its `Launch`es and their arguments.

All times are integer nanoseconds: Kineto writes microseconds with three decimals around 10^12 to 10^15,
which a float cannot add without losing digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from perfcore.problem import Note, Problem

MetadataFrom = Literal["op", "capture", "none"]
"""Where a launch's arguments come from: its own cpu_op, a cpu_op recorded at graph capture, or nowhere."""

Grid = tuple[int, int, int]
"""Programs that a launch starts, by x, y and z."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where an event stands: its index in `traceEvents`, and the byte range of its JSON object in the
    (decompressed) text. `length` 0 means unknown."""

    event_index: int
    offset: int
    length: int


class LaunchArgs(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """What a cpu_op says of its launch (torch/_inductor/runtime/triton_heuristics.py and Kineto write it).

    `input_dims` has one entry an argument, () for scalars, and `input_types`/`concrete_inputs` run
    parallel to it; all three are None when the trace was recorded without `record_shapes=True`.
    Equal arguments are one shared object within a trace, so `is` and `==` agree and memory stays small.
    """

    input_dims: tuple[tuple[int, ...], ...] | None = None
    input_strides: tuple[tuple[int, ...], ...] | None = None
    input_types: tuple[str, ...] | None = None
    concrete_inputs: tuple[str, ...] | None = None
    kernel_file: str | None = None
    kernel_hash: str | None = None
    kernel_backend: str | None = None
    kernel_kwargs: str = ""
    num_warps: int | None = None
    num_stages: int | None = None
    kernel_num_gb: float | None = None
    kernel_flop: float | None = None


class Launch(msgspec.Struct, frozen=True, gc=False):
    """One execution of one Triton kernel.

    `name` is the kernel's name: the cpu_op's, or without a cpu_op the GPU event's (without `.kd`).
    `place` is the cpu_op's, or without one the GPU kernel's; `gpu_places` are its GPU kernels'.
    `busy_ns` is the length of the union of its GPU kernels' intervals, None when no GPU kernel was
    found or a duration cannot be believed (`notes` says which).
    `graph_id` is the graph launch's correlation for a replayed kernel, else None. `grid` is what the GPU event
    says; ROCm does not for replayed kernels.
    """

    name: str
    place: Place
    ts_ns: int
    busy_ns: int | None
    args: LaunchArgs | None
    args_from: MetadataFrom = "op"
    gpu_places: tuple[Place, ...] = ()
    device: int | None = None
    stream: str | None = None
    graph_id: int | None = None
    grid: Grid | None = None
    autotuning: bool = False
    stack: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """One entry of the trace's `deviceProperties` (Kineto writes it; the name may be empty)."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace file. `complete` is False when anything was lost; `problems` says what and where.

    `record_shapes` is None when the trace does not say and holds no cpu_op to tell by.
    `host` are the version hints the file gives, such as ("cuda_runtime_version", "12090").
    `launches` are in order of time; those of the same time in one that does not depend on the file's.
    `gpu_kernels` counts all GPU kernels, Triton or not. `text_bytes` is the (decompressed) length.
    `processes` are the pids that recorded cpu_ops or runtime calls (a capture and its replays share one).
    """

    path: str
    events: int
    gpu_kernels: int
    launches: tuple[Launch, ...]
    record_shapes: bool | None
    complete: bool
    devices: tuple[DeviceProperties, ...] = ()
    host: tuple[tuple[str, str], ...] = ()
    processes: tuple[str, ...] = ()
    text_bytes: int = 0
    problems: tuple[Problem, ...] = field(default=())
