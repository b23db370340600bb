"""Exact: a launch, or a wrapper's call site, and the kernel's own source → what is moved.

`perfcore.inductor.access` reads the source; this module gives it what the launch knows: numels, other integer
parameters (`ks0`) and tensor shapes by parameter name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from perfcore.inductor.access import (
    Moved,
    Traffic,
    Unanalysed,
    analyse,
    body_flops,
    moved,
    template_flops,
)
from perfcore.inductor.model import CallSite, KernelSource
from perfcore.numels import Numels, parse_integer, prefix_of_parameter
from perfcore.problem import Note
from perfcore.trace.model import LaunchArgs


@dataclass(frozen=True, slots=True)
class Bindings:
    """What is known of a kernel's parameters: integers and tensor shapes by name."""

    integers: tuple[tuple[str, int], ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()


def bindings_of_launch(source: KernelSource, args: LaunchArgs) -> Bindings:
    """A launch's arguments by parameter name; nothing where their numbers do not fit the signature."""
    parameters = [parameter for parameter, _ in source.signature]
    dims, concrete = args.input_dims or (), args.concrete_inputs or ()
    types = args.input_types or ()
    if len(concrete) > len(parameters) or len(dims) != len(types):
        return Bindings()
    integers = [
        (parameter, number)
        for parameter, text in zip(parameters, concrete, strict=False)
        if (number := parse_integer(text)) is not None
    ]
    shapes = [
        (parameter, shape)
        for parameter, shape, dtype in zip(parameters, dims, types, strict=False)
        if dtype not in ("Scalar", "ScalarList", "")
    ]
    return Bindings(tuple(integers), tuple(shapes))


def bindings_of_call(source: KernelSource, call: CallSite) -> Bindings:
    """A wrapper's call site by parameter name: the sizes that are numbers there."""
    integers: list[tuple[str, int]] = []
    shapes: list[tuple[str, tuple[int, ...]]] = []
    parameters = [parameter for parameter, _ in source.signature]
    for parameter, text, shape in zip(parameters, call.args, call.shapes, strict=False):
        if (number := parse_integer(text)) is not None:
            integers.append((parameter, number))
        elif shape is not None:
            sizes = tuple(size for size in shape.sizes if isinstance(size, int))
            if len(sizes) == len(shape.sizes):
                shapes.append((parameter, sizes))
    return Bindings(tuple(integers), tuple(shapes))


def exact_bytes(source: KernelSource, numels: Numels | None, bindings: Bindings) -> Moved | Unanalysed:
    """What the kernel moves, or why its source does not tell. `bytes_moved` may still be None: a pointer whose
    traffic depends on something that is not known."""
    accesses = analyse(source)
    if isinstance(accesses, Unanalysed):
        return accesses
    given = dict(numels.by_prefix) if numels else {}
    for parameter, number in bindings.integers:
        if prefix := prefix_of_parameter(parameter):
            given[prefix] = number
    scalars = {
        parameter: number for parameter, number in bindings.integers if not prefix_of_parameter(parameter)
    }
    return moved(accesses, given, scalars=scalars, shapes=dict(bindings.shapes))


def flops_of_template(source: KernelSource, bindings: Bindings) -> int | None:
    """Multiplications and additions of a template's products, without its epilogue."""
    accesses = analyse(source)
    if isinstance(accesses, Unanalysed):
        return None
    return template_flops(source, accesses, shapes=dict(bindings.shapes), scalars=dict(bindings.integers))


def flops_of_body(source: KernelSource, numels: Mapping[str, int], args: LaunchArgs | None) -> int | None:
    """Arithmetic operations counted in the kernel's own text: a second opinion on what its operators weigh."""
    bindings = bindings_of_launch(source, args) if args else Bindings()
    scalars = {
        parameter: number for parameter, number in bindings.integers if not prefix_of_parameter(parameter)
    }
    return body_flops(source, numels, scalars=scalars)


def why_different(counted: Moved, trace_bytes: int, shapes: Mapping[str, tuple[int, ...]]) -> Note:
    """Why the trace's shapes give another figure than the source, pointer by pointer."""
    reasons = [
        reason for traffic in counted.pointers if (reason := _reason(traffic, shapes.get(traffic.pointer)))
    ]
    shown = "; ".join(reasons[:4]) + ("; …" if len(reasons) > 4 else "")
    text = f"The trace's shapes alone would give {trace_bytes:,} bytes" + (f": {shown}." if shown else ".")
    return Note("differs-from-trace", text)


def _reason(traffic: Traffic, shape: tuple[int, ...] | None) -> str:
    elements = math.prod(shape) if shape is not None else None
    if traffic.read is None or traffic.written is None or elements is None:
        return ""
    if traffic.read and traffic.written:
        return f"{traffic.pointer} is read and written"
    touched, verb = (traffic.read, "reads") if traffic.read else (traffic.written, "writes")
    if touched == elements:
        return ""
    return f"{traffic.pointer} {verb} {touched:,} of {elements:,} elements"
