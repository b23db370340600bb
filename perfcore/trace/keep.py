"""What is kept of a trace's events: Triton cpu_ops, GPU kernels, the calls that launch them, and flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfcore.trace.categories import BY_PROCESS, CALL, DROPPED, KERNEL, OP, Categories
from perfcore.trace.chunk import Chunk
from perfcore.trace.event_args import as_id, external_id, id_args, op_args, scalar, what_was_launched
from perfcore.trace.event_json import Event, Scalar
from perfcore.trace.events import ABSENT, OpEvent, TraceEvents
from perfcore.trace.halves import Halves
from perfcore.trace.model import LaunchArgs, Place
from perfcore.trace.positions import event_spans
from perfcore.trace.times import parse_ns

Numbered = tuple[int, Event]
"""An event and its place among those of its chunk."""

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
        self._kinds = Categories()
        self._launch_names = _LaunchNames()
        self._keep_flows = keep_flows
        self._strings = _Strings()
        self._threads = _Threads()
        self._launch_args: dict[tuple[Any, ...], LaunchArgs] = {}
        self._halves = Halves()
        self._chunk = Chunk(b"[]", 0, [])
        self._spans: list[tuple[int, int]] | None = None

    def add(self, chunk: Chunk) -> None:
        """Keep what a launch needs of the chunk's events; they are the next ones of the trace."""
        self._chunk, self._spans = chunk, None
        self.event_count += chunk.lost_before
        kinds, launch_names = self._kinds, self._launch_names
        may_name_backend = b"kernel_backend" in chunk.text
        kernels: list[Numbered] = []
        calls: list[Event] = []
        op_count = flow_count = without_phase = 0
        for ordinal, event in enumerate(chunk.events):
            phase = event.ph
            if phase == "X":
                kind = kinds[event.cat]
                if not kind:
                    continue
                if kind == BY_PROCESS:
                    kind = _by_process(event)
                if kind == OP:
                    op_count += 1
                    if may_name_backend or not self.saw_shapes or event.name.startswith("triton_"):
                        self._keep_op(ordinal, event)
                elif kind == KERNEL:
                    kernels.append((ordinal, event))
                elif launch_names[event.name]:
                    calls.append(event)
            elif phase in ("s", "f", "t"):
                flow_count += 1
                if self._keep_flows:
                    self._keep_flow(event)
            elif phase in ("B", "E"):
                self._keep_half(ordinal, event)
            elif not phase:
                without_phase += 1
        if kernels:
            self._keep_kernels(kernels)
        if calls:
            self._keep_calls(calls)
        self.op_count += op_count
        self.flow_count += flow_count
        self.phases += len(chunk.events) - without_phase
        self.event_count += len(chunk.events)

    def finish(self) -> None:
        """Close what is open: begins get their ends, interned texts become lists."""
        self._halves.close(self.events)
        self.events.strings.extend(self._strings.texts)
        self.events.threads.extend((_plain(pid), _plain(tid)) for pid, tid in self._threads)

    def _keep_kernels(self, kernels: Sequence[Numbered]) -> None:
        events = [event for _, event in kernels]
        args = id_args(events)
        places = [self._place(ordinal) for ordinal, _ in kernels]
        columns, strings, threads = self.events.kernels, self._strings, self._threads
        columns.name.extend([strings[event.name] for event in events])
        columns.ts_ns.extend([parse_ns(bytes(event.ts), 0) for event in events])
        columns.dur_ns.extend([parse_ns(bytes(event.dur), ABSENT) for event in events])
        columns.correlation.extend([as_id(each.correlation) for each in args])
        columns.external_id.extend([external_id(each) for each in args])
        columns.device.extend([strings[each.device] for each in args])
        columns.stream.extend([strings[each.stream] for each in args])
        columns.grid.extend([strings[bytes(each.grid)] for each in args])
        columns.registers.extend([as_id(each.registers) for each in args])
        columns.thread.extend([threads.of(event) for event in events])
        columns.event_index.extend([place.event_index for place in places])
        columns.offset.extend([place.offset for place in places])
        columns.length.extend([place.length for place in places])

    def _keep_calls(self, events: Sequence[Event]) -> None:
        args = id_args(events)
        columns, strings, threads = self.events.calls, self._strings, self._threads
        columns.name.extend([strings[event.name] for event in events])
        columns.ts_ns.extend([parse_ns(bytes(event.ts), 0) for event in events])
        columns.dur_ns.extend([parse_ns(bytes(event.dur), ABSENT) for event in events])
        columns.thread.extend([threads.of(event) for event in events])
        columns.correlation.extend([as_id(each.correlation) for each in args])
        columns.external_id.extend([external_id(each) for each in args])

    def _keep_op(self, ordinal: int, event: Event) -> None:
        text = bytes(event.args)
        if not self.saw_shapes:
            self.saw_shapes = b'"Input Dims"' in text or b'"Input dims"' in text
        named_triton = event.name.startswith("triton_")
        if not named_triton and b'"kernel_backend"' not in text:
            return
        args = op_args(text)
        if not named_triton and args.kernel_backend != "triton":
            return
        ts_ns, dur_ns = parse_ns(bytes(event.ts), 0), parse_ns(bytes(event.dur), ABSENT)
        self.events.ops.append(
            OpEvent(
                name=event.name,
                thread=self._threads.of(event),
                ts_ns=ts_ns,
                end_ns=None if dur_ns == ABSENT else ts_ns + dur_ns,
                external_id=external_id(args),
                correlation=as_id(args.correlation),
                args=self._shared_args(what_was_launched(args)),
                place=self._place(ordinal),
                stack=_frames(args.call_stack) if args.call_stack else (),
            )
        )

    def _keep_flow(self, event: Event) -> None:
        if event.cat in _UNRELATED_FLOWS:
            return
        columns = self.events.flows
        columns.phase.append(ord(event.ph))
        columns.id.append(as_id(scalar(event.id)))
        columns.thread.append(self._threads.of(event))
        columns.ts_ns.append(parse_ns(bytes(event.ts), 0))

    def _keep_half(self, ordinal: int, event: Event) -> None:
        """A begin is kept as if it were whole, without a duration; an end only says where it stands."""
        kind = self._kinds[event.cat] if event.ph == "B" else DROPPED
        if kind == BY_PROCESS:
            kind = _by_process(event)
        row = ABSENT
        if kind == OP:
            before = len(self.events.ops)
            self._keep_op(ordinal, event)
            row = before if len(self.events.ops) > before else ABSENT
        elif kind == KERNEL:
            row = len(self.events.kernels.name)
            self._keep_kernels([(ordinal, event)])
        elif kind == CALL and self._launch_names[event.name]:
            row = len(self.events.calls.name)
            self._keep_calls([event])
        self._halves.add(
            event.ph == "E",
            self._threads.of(event),
            parse_ns(bytes(event.ts), 0),
            kind,
            row,
        )

    def _shared_args(self, values: tuple[Any, ...]) -> LaunchArgs:
        made = self._launch_args.get(values)
        if made is None:
            made = self._launch_args[values] = LaunchArgs(*values)
        return made

    def _place(self, ordinal: int) -> Place:
        if self._spans is None:
            self._spans = event_spans(self._chunk.text, len(self._chunk.events))
        start, end = self._spans[ordinal]
        return Place(self.event_count + ordinal, self._chunk.offset + start, end - start)


class _Strings(dict[Scalar | bytes, int]):
    """A value → its text's place among `texts`, ABSENT for none. (JSON text is its own text.)"""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def __missing__(self, value: Scalar | bytes) -> int:
        place = ABSENT
        if value is not None and value != b"":
            text = value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)
            place = self.texts.setdefault(text, len(self.texts))
        self[value] = place
        return place


class _Threads(dict[tuple[bytes, bytes], int]):
    """The JSON of a pid and a tid → a number of their own."""

    def of(self, event: Event) -> int:
        return self[bytes(event.pid), bytes(event.tid)]

    def __missing__(self, thread: tuple[bytes, bytes]) -> int:
        number = self[thread] = len(self)
        return number


class _LaunchNames(dict[str, bool]):
    """Name of a runtime call → whether it launches kernels."""

    def __missing__(self, name: str) -> bool:
        launches = self[name] = any(word in name.lower() for word in ("launch", "enqueue"))
        return launches


def _by_process(event: Event) -> int:
    """What an event without a category is."""
    return KERNEL if bytes(event.pid) == _LEGACY_GPU_PROCESS else OP


def _frames(call_stack: str) -> tuple[str, ...]:
    return tuple(frame for frame in call_stack.split(";") if frame)


def _plain(text: bytes) -> str:
    value = scalar(text) if text else None
    return "" if value is None else str(value)
