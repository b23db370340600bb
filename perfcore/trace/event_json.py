"""One event of `traceEvents` as typed JSON: what is decoded of every event, and what of the kept ones only."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

_Raw = msgspec.Raw
_NOTHING = msgspec.Raw()
_LONG = 16 * 1024
_HUGE_NUMBER = re.compile(rb"[0-9]{1000}")
Scalar = int | float | str | bool | None
_Sizes = tuple[tuple[Annotated[int, msgspec.Meta(ge=0)], ...], ...]


class Event(msgspec.Struct, gc=False):
    """What tells whether an event is kept. The rest stays JSON text (`b""` when absent): for the nine of
    ten events that are dropped, nothing is built, and times keep every digit."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: _Raw = _NOTHING
    tid: _Raw = _NOTHING
    ts: _Raw = _NOTHING
    dur: _Raw = _NOTHING
    args: _Raw = _NOTHING
    id: _Raw = _NOTHING


class IdArgs(msgspec.Struct, gc=False):
    """`args` of GPU kernels and runtime calls. Kineto wrote `external id` until PyTorch 1.9."""

    correlation: Scalar = None
    external: Scalar = msgspec.field(default=None, name="External id")
    old_external: Scalar = msgspec.field(default=None, name="external id")
    device: Scalar = None
    stream: Scalar = None
    registers: Scalar = msgspec.field(default=None, name="registers per thread")
    grid: _Raw = _NOTHING


class OpArgs(msgspec.Struct, gc=False):
    """`args` of a Triton cpu_op (torch/_inductor/runtime/triton_heuristics.py writes the `kernel_*` ones,
    torch/csrc/autograd/profiler_kineto.cpp the others; `Input dims` and `Call stack` are PyTorch 1.x)."""

    external: Scalar = msgspec.field(default=None, name="External id")
    old_external: Scalar = msgspec.field(default=None, name="external id")
    correlation: Scalar = None
    dims: _Sizes | None = msgspec.field(default=None, name="Input Dims")
    old_dims: _Sizes | None = msgspec.field(default=None, name="Input dims")
    strides: tuple[tuple[int, ...], ...] | None = msgspec.field(default=None, name="Input Strides")
    types: tuple[str, ...] | None = msgspec.field(default=None, name="Input type")
    concrete: tuple[str, ...] | None = msgspec.field(default=None, name="Concrete Inputs")
    kernel_file: str | None = None
    kernel_hash: str | None = None
    kernel_backend: str | None = None
    kernel_kwargs: str | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    kernel_num_gb: float | None = None
    kernel_flop: float | None = None
    call_stack: str | None = msgspec.field(default=None, name="Call stack")


class _LooseEvent(msgspec.Struct, gc=False):
    """An event whose `ph`, `cat` or `name` may be of any type."""

    ph: _Raw = _NOTHING
    cat: _Raw = _NOTHING
    name: _Raw = _NOTHING
    pid: _Raw = _NOTHING
    tid: _Raw = _NOTHING
    ts: _Raw = _NOTHING
    dur: _Raw = _NOTHING
    args: _Raw = _NOTHING
    id: _Raw = _NOTHING


decode_events = msgspec.json.Decoder(list[Event]).decode
decode_value = msgspec.json.Decoder(msgspec.Raw).decode
decode_raw_events = msgspec.json.Decoder(list[msgspec.Raw]).decode
decode_id_args = msgspec.json.Decoder(list[IdArgs]).decode
decode_op_args = msgspec.json.Decoder(OpArgs).decode
_decode_anything = msgspec.json.Decoder(object).decode
_decode_event = msgspec.json.Decoder(Event).decode
_decode_loose_event = msgspec.json.Decoder(_LooseEvent).decode


def decode_anything(text: bytes) -> Any:
    """Any JSON value. Raises msgspec.DecodeError, also for numbers and nests that are too large to be meant."""
    refuse_huge_numbers(text)
    try:
        return _decode_anything(text)
    except RecursionError as error:
        raise msgspec.DecodeError("nested too deeply") from error


def refuse_huge_numbers(text: bytes) -> None:
    """Raise msgspec.DecodeError for a number of a thousand digits: Python would take quadratic time to read it."""
    if len(text) > _LONG and _HUGE_NUMBER.search(text):
        raise msgspec.DecodeError("a number of a thousand digits")


def decode_event(text: bytes) -> Event | None:
    """One event by itself, also one whose name is a number or null; None when the text is no object."""
    try:
        return _decode_event(text)
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, RecursionError):
        return None
    try:
        loose = _decode_loose_event(text)
        ph, cat, name = (_as_text(bytes(raw)) for raw in (loose.ph, loose.cat, loose.name))
    except (msgspec.DecodeError, RecursionError):
        return None
    return Event(ph, cat, name, loose.pid, loose.tid, loose.ts, loose.dur, loose.args, loose.id)


def _as_text(value: bytes) -> str:
    decoded = decode_anything(value) if value else None
    return "" if decoded is None else str(decoded)
