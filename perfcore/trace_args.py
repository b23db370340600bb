"""V2: bytes and numels from what the trace says of a launch's arguments, without any source.

The rule is the seed's: every tensor counts once, and a pointwise kernel writes its first tensor once more (it
is the `in_out_ptr`). Three corrections, each with a note, make it right where shapes can tell (docs/model.md):
a tensor counts at most the iteration space, the extra write is added only where the first tensor can be an
`in_out_ptr`, and all numels of a tiled kernel multiply.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfcore.dtypes import element_size
from perfcore.inductor.model import KernelSource
from perfcore.kernel_name import KernelName
from perfcore.numels import REDUCTIONS, Numels, numels_by_evidence, numels_by_parameter, parse_integer
from perfcore.problem import Note
from perfcore.trace.model import LaunchArgs

_MAKES_DATA = frozenset(
    "aten." + op
    for op in (
        "full",
        "full_like",
        "zeros",
        "zeros_like",
        "ones",
        "ones_like",
        "fill",
        "arange",
        "scalar_tensor",
    )
)


@dataclass(frozen=True, slots=True)
class TensorArg:
    """One tensor argument: shape, strides (None if not recorded), dtype as the trace spells it."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: str
    element_bytes: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class ArgsFigures:
    """What V2 makes of a launch. `bytes_moved` is None where the trace does not say enough; `notes` say why."""

    numels: Numels | None
    bytes_moved: int | None
    notes: tuple[Note, ...]
    tensors: tuple[TensorArg, ...] = ()


def figures_from_args(
    name: KernelName, args: LaunchArgs, source: KernelSource | None = None
) -> ArgsFigures | None:
    """V2 for one launch, None when shapes were not recorded. `source` only settles the numels' names."""
    if args.input_dims is None or args.input_types is None:
        return None
    concrete = args.concrete_inputs or ()
    tensors, unknown_dtypes = _tensors(args)
    notes: list[Note] = []
    numels = _numels(name, args, concrete, tensors, source)
    if numels and numels.others and source is None:
        notes.append(
            Note("leading-scalars", f"{_listed(numels.others)} before the numels are other arguments.")
        )
    if numels and len(numels.by_prefix) > (2 if name.category in REDUCTIONS else 1):
        sizes = " × ".join(f"{prefix.rstrip('_')}={size:,}" for prefix, size in numels.by_prefix)
        notes.append(Note("tiled-numels", f"The iteration space is tiled: all of {sizes} multiply."))
    if unknown_dtypes:
        notes.append(
            Note(
                "unknown-dtype", f"Bytes are unknown: no element size is known for {_listed(unknown_dtypes)}."
            )
        )
        return ArgsFigures(numels, None, tuple(notes), tuple(tensors))
    if name.category in (None, "tem") and not name.generic and not name.ops:
        return _whole_tensors(numels, tensors, notes)
    if numels is None:
        if name.category == "tem":
            return _whole_tensors(numels, tensors, notes)
        notes.append(
            Note(
                "no-numels",
                "The launch passes no numels (a combo or foreach kernel, or a static launcher), so its bytes are"
                " unknown without its source: point inductorCacheDirs (--inductor-cache-dir) at the Inductor cache.",
            )
        )
        return ArgsFigures(None, None, tuple(notes))
    if not numels.possible:
        notes.append(Note("no-numels", "A numel is zero or negative, so the bytes are unknown."))
        return ArgsFigures(numels, None, tuple(notes))
    pointwise = name.category == "poi" or (name.category is None and len(numels.by_prefix) == 1)
    return ArgsFigures(numels, _bytes(name, tensors, numels.iteration_space, pointwise, notes), tuple(notes))


def _tensors(args: LaunchArgs) -> tuple[list[TensorArg], list[str]]:
    """The tensor arguments in order, and the dtypes that have no known size."""
    tensors: list[TensorArg] = []
    unknown: list[str] = []
    dims, types = args.input_dims or (), args.input_types or ()
    concrete = args.concrete_inputs or ()
    strides = args.input_strides if args.input_strides and len(args.input_strides) == len(dims) else None
    for i, (shape, dtype) in enumerate(zip(dims, types, strict=False)):
        value = concrete[i] if i < len(concrete) else ""
        if dtype in ("Scalar", "ScalarList", "") or (value and not shape):
            continue
        size = element_size(dtype)
        if size is None:
            unknown.append(dtype)
        else:
            tensors.append(TensorArg(shape, strides[i] if strides else None, dtype, size))
    return tensors, unknown


def _numels(
    name: KernelName,
    args: LaunchArgs,
    concrete: Sequence[str],
    tensors: Sequence[TensorArg],
    source: KernelSource | None,
) -> Numels | None:
    if source is not None:
        settled = numels_by_parameter([parameter for parameter, _ in source.signature], concrete)
        if settled:
            return settled
    integers = [number for text in concrete if (number := parse_integer(text)) is not None]
    return numels_by_evidence(name.category, integers, {t.elements for t in tensors}, args.kernel_kwargs)


def _whole_tensors(numels: Numels | None, tensors: Sequence[TensorArg], notes: list[Note]) -> ArgsFigures:
    if not tensors:
        return ArgsFigures(numels, None, tuple(notes))
    notes.append(
        Note(
            "whole-tensors",
            "Every operand counts once and in full: what the kernel really reads is its own affair.",
        )
    )
    moved = sum(t.elements * t.element_bytes for t in tensors)
    return ArgsFigures(numels, moved, tuple(notes), tuple(tensors))


def _bytes(
    name: KernelName, tensors: Sequence[TensorArg], space: int, pointwise: bool, notes: list[Note]
) -> int:
    total = 0
    capped: list[str] = []
    for i, tensor in enumerate(tensors):
        if tensor.elements > space:
            capped.append(f"argument {i} ({tensor.elements:,} elements)")
        total += min(tensor.elements, space) * tensor.element_bytes
    if capped:
        notes.append(
            Note(
                "capped",
                f"{_listed(capped)} is larger than the iteration space of {space:,} and counts at most that:"
                " a slice or a gather reads a part of it.",
            )
        )
    if pointwise:
        total += _extra_write(name, tensors, space, notes)
    return total


def _extra_write(name: KernelName, tensors: Sequence[TensorArg], space: int, notes: list[Note]) -> int:
    """Bytes of the pointwise rule's extra write: the first tensor again, if it can be an `in_out_ptr`.

    Pointers come in the order in_out, in, out, and a pointwise output has as many elements as the iteration
    space, so the first tensor is no in_out when it has another count or is an expanded view, and when the last
    tensor shows itself as the output: as large as the iteration space but of another dtype than the first
    (in 30 of 30 such kernels of the corpus), or laid out so that neither shape is a view of the other.
    """
    if not tensors:
        return 0
    first, last = tensors[0], tensors[-1]
    reason = None
    if first.elements != space:
        reason = f"the first tensor has {first.elements:,} elements, the iteration space {space:,}"
    elif first.strides and any(
        stride == 0 and size > 1 for stride, size in zip(first.strides, first.shape, strict=False)
    ):
        reason = "the first tensor is an expanded view"
    elif len(tensors) == 1 and name.ops and all(op in _MAKES_DATA for op in name.ops):
        reason = "the only tensor is made, not read"
    elif len(tensors) > 1 and last.elements == space and last.dtype != first.dtype:
        reason = f"the last tensor ({last.dtype}) is the output, the first is {first.dtype}"
    elif len(tensors) > 1 and last.elements == space and not _view_compatible(first.shape, last.shape):
        reason = "the last tensor is the output, laid out otherwise than the first"
    if reason:
        notes.append(Note("no-extra-write", f"No extra write of the first tensor: {reason}."))
        return 0
    notes.append(
        Note(
            "extra-write",
            "The first tensor counts as written once more (in_out_ptr0); shapes cannot tell, only the source can.",
        )
    )
    return space * first.element_bytes


def _view_compatible(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one contiguous shape is the other with neighbouring dimensions merged."""

    def suffix_products(shape: tuple[int, ...]) -> set[int]:
        products, product = set(), 1
        for size in reversed(shape):
            product *= size
            products.add(product)
        return products - {1}

    a, b = suffix_products(one), suffix_products(other)
    return a <= b or b <= a


def _listed(items: Sequence[object]) -> str:
    return ", ".join(f"{item:,}" if isinstance(item, int) else str(item) for item in items)
