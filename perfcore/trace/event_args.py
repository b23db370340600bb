"""The `args` of kept events → ids and the values of `LaunchArgs`, also where a writer used other types than Kineto does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from perfcore.trace.event_json import (
    Event,
    IdArgs,
    OpArgs,
    Scalar,
    decode_anything,
    decode_id_args,
    decode_op_args,
    refuse_huge_numbers,
)
from perfcore.trace.events import ABSENT


def id_args(events: Sequence[Event]) -> list[IdArgs]:
    """`args` of GPU kernels or runtime calls; nothing in one that has none."""
    texts = [bytes(event.args) or b"{}" for event in events]
    try:
        for text in texts:
            refuse_huge_numbers(text)
        return decode_id_args(b"[" + b",".join(texts) + b"]")
    except (msgspec.DecodeError, RecursionError):
        return [msgspec.convert(_scalars(text), IdArgs) for text in texts]


def op_args(text: bytes) -> OpArgs:
    """`args` of a cpu_op. A field of an unexpected type is left out, the others stay."""
    if not text:
        return OpArgs()
    try:
        refuse_huge_numbers(text)
        return decode_op_args(text)
    except (msgspec.DecodeError, RecursionError):
        return _field_by_field(_anything(text))


def what_was_launched(args: OpArgs) -> tuple[Any, ...]:
    """The values of `LaunchArgs`, in the order of its fields. (A tenth of its cost: nearly all repeat.)"""
    return (
        args.dims if args.dims is not None else args.old_dims,
        args.strides,
        args.types,
        args.concrete,
        args.kernel_file,
        args.kernel_hash,
        args.kernel_backend,
        args.kernel_kwargs or "",
        args.num_warps,
        args.num_stages,
        args.kernel_num_gb,
        args.kernel_flop,
    )


def external_id(args: IdArgs | OpArgs) -> int:
    return as_id(args.external if args.external is not None else args.old_external)


def as_id(value: Scalar) -> int:
    """An id as a column holds it: ids of 64 bits without sign wrap, hexadecimal texts are read as numbers,
    other texts keep apart by their hash. ABSENT for null."""
    if type(value) is int and ABSENT < value < -ABSENT:
        return value
    if isinstance(value, str):
        try:
            value = int(value, 16 if value.lower().startswith("0x") else 10)
        except ValueError:
            value = hash(value) if value else None
    if value is None or (isinstance(value, float) and not value.is_integer()):
        return ABSENT
    return (int(value) - ABSENT) % 2**64 + ABSENT


def scalar(text: bytes) -> Scalar:
    """A JSON scalar, None for anything else."""
    value = _anything(text)
    return value if isinstance(value, (int, float, str)) else None


def _anything(text: bytes) -> Any:
    try:
        return decode_anything(text)
    except msgspec.DecodeError:
        return None


def _scalars(text: bytes) -> dict[str, Scalar]:
    args = _anything(text)
    if not isinstance(args, dict):
        return {}
    return {key: value for key, value in args.items() if isinstance(value, (int, float, str))}


def _field_by_field(args: Any) -> OpArgs:
    made = OpArgs()
    if isinstance(args, dict):
        for field in msgspec.structs.fields(OpArgs):
            if field.encode_name in args:
                try:
                    value = msgspec.convert(args[field.encode_name], field.type, strict=False)
                except msgspec.ValidationError:
                    continue
                setattr(made, field.name, value)
    return made
