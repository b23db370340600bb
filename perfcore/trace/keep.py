"""What is kept of a trace's events: Triton cpu_ops, GPU kernels, the calls that launch them, and flows."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from perfcore.trace.chunk import Chunk
from perfcore.trace.event_args import as_id, external_id, id_args, op_args, scalar, what_was_launched
from perfcore.trace.event_json import Event, Scalar
from perfcore.trace.events import ABSENT, OpEvent, TraceEvents
from perfcore.trace.halves import CALL, KERNEL, OP, Halves
from perfcore.trace.model import LaunchArgs, Place
from perfcore.trace.positions import event_places
from perfcore.trace.times import parse_ns

_DROP, _BY_PROCESS = 0, -1
_UNRELATED_FLOWS = {"fwdbwd", "forward_backward"}
_LEGACY_GPU_PROCESS = b'"CUDA functions"'
"""torch/autograd/profiler_util.py wrote events without `cat`, GPU kernels under this `pid`."""


class EventKeeper:
    """Takes the chunks of one trace and fills `events`. `finish` must be called after the last.

    `phases` counts events that have a phase, `op_count` all cpu_ops and `flow_count` all flows, kept or not.
    """

    def __init__(self, keep_flows: bool = True) -> None:
        self.events = TraceEvents()
        self.flow_count = 0
        self.event_count = 0
        self.phases = 0
        self.op_count = 0
        self.saw_shapes = False
        self._kinds = _Kinds()
        self._launch_names = _LaunchNames()
        self._keep_flows = keep_flows
        self._strings: dict[str, int] = {}
        self._indices: dict[Scalar | bytes, int] = {}
        self._threads: dict[tuple[bytes, bytes], int] = {}
        self._launch_args: dict[tuple[Any, ...], LaunchArgs] = {}
        self._halves = Halves()
        self._chunk = Chunk(b"[]", 0, [])
        self._may_name_backend = False
        self._places: tuple[list[int], list[Raw]] | None = None

    def add(self, chunk: Chunk) -> None:
        """Keep what a launch needs of the chunk's events; they are the next ones of the trace."""
        self._chunk, self._places = chunk, None
        self.event_count += chunk.lost_before
        self._may_name_backend = b"kernel_backend" in chunk.text
        kinds = self._kinds
        without_phase = 0
        for ordinal, event in enumerate(chunk.events):
            phase = event.ph
            if phase == "X":
                kind = kinds[event.cat]
                if kind:
                    self._keep(kind, event, ordinal)
            elif phase in ("s", "f", "t"):
                self.flow_count += 1
                if self._keep_flows:
                    self._keep_flow(event)
            elif phase == "B":
                kind, row = self._keep(kinds[event.cat], event, ordinal)
                self._halves.begin(self._thread(event), parse_ns(bytes(event.ts), 0), kind, row)
            elif phase == "E":
                self._halves.end(self._thread(event), parse_ns(bytes(event.ts), 0))
            elif not phase:
                without_phase += 1
        self.event_count += len(chunk.events)
        self.phases += len(chunk.events) - without_phase

    def finish(self) -> None:
        """Close what is open: begins get their ends, interned texts become lists."""
        self._halves.close(self.events)
        self.events.strings.extend(self._strings)
        self.events.threads.extend((_plain(pid), _plain(tid)) for pid, tid in self._threads)

    def _keep(self, kind: int, event: Event, ordinal: int) -> tuple[int, int]:
        """The kind and the row among its like that the event got, ABSENT when it is not kept after all."""
        if kind == _BY_PROCESS:
            kind = KERNEL if event.pid == _LEGACY_GPU_PROCESS else OP
        if kind == OP:
            return kind, self._keep_op(event, ordinal)
        if kind == KERNEL:
            return kind, self._keep_kernel(event, ordinal)
        if kind == CALL:
            return kind, self._keep_call(event)
        return kind, ABSENT

    def _keep_kernel(self, event: Event, ordinal: int) -> int:
        args = id_args(event.args)
        index, offset, length = self._place(ordinal)
        columns = self.events.kernels
        columns.name.append(self._string(event.name))
        columns.ts_ns.append(parse_ns(bytes(event.ts), 0))
        columns.dur_ns.append(parse_ns(bytes(event.dur), ABSENT))
        columns.correlation.append(as_id(args.correlation))
        columns.external_id.append(external_id(args))
        columns.device.append(self._string(args.device))
        columns.stream.append(self._string(args.stream))
        columns.grid.append(self._string(bytes(args.grid)))
        columns.thread.append(self._thread(event))
        columns.event_index.append(index)
        columns.offset.append(offset)
        columns.length.append(length)
        return len(columns.name) - 1

    def _keep_call(self, event: Event) -> int:
        if not self._launch_names[event.name]:
            return ABSENT
        args = id_args(event.args)
        columns = self.events.calls
        columns.name.append(self._string(event.name))
        columns.ts_ns.append(parse_ns(bytes(event.ts), 0))
        columns.dur_ns.append(parse_ns(bytes(event.dur), ABSENT))
        columns.thread.append(self._thread(event))
        columns.correlation.append(as_id(args.correlation))
        columns.external_id.append(external_id(args))
        return len(columns.name) - 1

    def _keep_op(self, event: Event, ordinal: int) -> int:
        self.op_count += 1
        named_triton = event.name.startswith("triton_")
        if not named_triton and not self._may_name_backend and self.saw_shapes:
            return ABSENT
        text = bytes(event.args)
        if not self.saw_shapes:
            self.saw_shapes = b'"Input Dims"' in text or b'"Input dims"' in text
        if not named_triton and b'"kernel_backend"' not in text:
            return ABSENT
        args = op_args(text)
        if not named_triton and args.kernel_backend != "triton":
            return ABSENT
        ts_ns, dur_ns = parse_ns(bytes(event.ts), 0), parse_ns(bytes(event.dur), ABSENT)
        self.events.ops.append(
            OpEvent(
                name=event.name,
                thread=self._thread(event),
                ts_ns=ts_ns,
                end_ns=None if dur_ns == ABSENT else ts_ns + dur_ns,
                external_id=external_id(args),
                correlation=as_id(args.correlation),
                args=self._shared_args(what_was_launched(args)),
                place=Place(*self._place(ordinal)),
                stack=_frames(args.call_stack) if args.call_stack else (),
            )
        )
        return len(self.events.ops) - 1

    def _keep_flow(self, event: Event) -> None:
        if event.cat in _UNRELATED_FLOWS:
            return
        columns = self.events.flows
        columns.phase.append(ord(event.ph))
        columns.id.append(as_id(scalar(event.id)))
        columns.thread.append(self._thread(event))
        columns.ts_ns.append(parse_ns(bytes(event.ts), 0))

    def _string(self, value: Scalar | bytes) -> int:
        """The text's place among the interned ones; ABSENT for none. (JSON text is its own text.)"""
        index = self._indices.get(value)
        if index is None:
            if value is None or value == b"":
                return ABSENT
            text = value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)
            index = self._indices[value] = self._strings.setdefault(text, len(self._strings))
        return index

    def _shared_args(self, values: tuple[Any, ...]) -> LaunchArgs:
        made = self._launch_args.get(values)
        if made is None:
            made = self._launch_args[values] = LaunchArgs(*values)
        return made

    def _thread(self, event: Event) -> int:
        return self._threads.setdefault((bytes(event.pid), bytes(event.tid)), len(self._threads))

    def _place(self, ordinal: int) -> tuple[int, int, int]:
        """Index in the trace, offset and length of an event of the chunk."""
        if self._places is None:
            self._places = event_places(self._chunk.text)
        starts, texts = self._places
        return self.event_count + ordinal, self._chunk.offset + starts[ordinal], len(texts[ordinal])


class _Kinds(dict[str, int]):
    """Category → what its events are to a launch, learned as categories appear. Names are those of
    libkineto/include/ActivityType.h; PyTorch 1.8 wrote `Operator`, `Kernel` and `Runtime`."""

    def __missing__(self, category: str) -> int:
        words = category.split(",")
        if category == "":
            kind = _BY_PROCESS
        elif "cpu_op" in words or "Operator" in words:
            kind = OP
        elif "kernel" in words or "Kernel" in words:
            kind = KERNEL
        elif "Runtime" in words or any(word.endswith(("_runtime", "_driver")) for word in words):
            kind = CALL
        else:
            kind = _DROP
        self[category] = kind
        return kind


class _LaunchNames(dict[str, bool]):
    """Name of a runtime call → whether it launches kernels."""

    def __missing__(self, name: str) -> bool:
        launches = self[name] = any(word in name.lower() for word in ("launch", "enqueue"))
        return launches


def _frames(call_stack: str) -> tuple[str, ...]:
    return tuple(frame for frame in call_stack.split(";") if frame)


def _plain(text: bytes) -> str:
    value = scalar(text) if text else None
    return "" if value is None else str(value)
