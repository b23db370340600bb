"""V2, V1 and exact → one `KernelMetadata`: what a kernel does and moves, with its origin and every doubt.

The tiers, the best first: the kernel's own source (exact), the trace's arguments (V2), the Inductor cache's
signature and numels or size hints (V1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from perfcore.inductor.choose import Choice
from perfcore.inductor.model import KernelSource
from perfcore.kernel_name import KernelName, clean_kernel_name, parse_kernel_name
from perfcore.numels import Numels
from perfcore.ops import bare_name, flops_per_element, qualified_name
from perfcore.problem import Note
from perfcore.signature_bytes import bytes_from_signature
from perfcore.trace.model import Launch, LaunchArgs
from perfcore.trace_args import ArgsFigures, figures_from_args

Origin = Literal["trace", "cache", "source"]

NO_SOURCE = Choice((), "none")
"""No source is known."""


@dataclass(frozen=True, slots=True)
class KernelMetadata:
    """What one kernel with one set of arguments does.

    `ops` are qualified operator names; `unknown_ops` those that have no weight. `flops` and `bytes_moved` are
    None where unknown. `origin` says which tier gave the bytes (or, without bytes, the numels).
    `trace_bytes` is the V2 figure and `inductor_bytes` Inductor's own `kernel_num_gb`, where there is one.
    `source` is the kernel's source where exactly one fits.
    """

    name: str
    category: str | None
    ops: tuple[str, ...]
    unknown_ops: tuple[str, ...]
    numels: tuple[tuple[str, int], ...]
    xnumel: int | None
    rnumel: int | None
    bytes_moved: int | None
    flops: int | None
    origin: Origin
    notes: tuple[Note, ...] = ()
    trace_bytes: int | None = None
    inductor_bytes: int | None = None
    source: KernelSource | None = None


def launch_metadata(launch: Launch, choice: Choice = NO_SOURCE) -> KernelMetadata:
    """The metadata of a launch. `choice` are the sources that may be its kernel's; of several none is used."""
    return kernel_metadata(launch.name, launch.args, choice)


def source_metadata(kernel: KernelSource) -> KernelMetadata:
    """The metadata of a kernel that no trace has launched: its numels from the body, else from size hints."""
    return kernel_metadata(kernel.name, None, Choice((kernel,), "name"))


def kernel_metadata(
    launched_name: str, args: LaunchArgs | None, choice: Choice = NO_SOURCE
) -> KernelMetadata:
    """As `launch_metadata`, from the two parts of a launch that decide."""
    source = choice.candidates[0] if len(choice.candidates) == 1 else None
    name = _name(launched_name, source)
    notes = list(choice.notes)
    ops, unknown_ops = _operators(name, source)
    from_args = figures_from_args(name, args, source) if args else None
    if from_args:
        notes.extend(from_args.notes)
    numels, bytes_moved, origin = _numels_and_bytes(source, from_args, notes)
    return KernelMetadata(
        name=clean_kernel_name(launched_name),
        category=name.category,
        ops=ops,
        unknown_ops=unknown_ops,
        numels=numels.by_prefix if numels else (),
        xnumel=numels.xnumel if numels else None,
        rnumel=numels.rnumel if numels else None,
        bytes_moved=bytes_moved,
        flops=_flops(name, ops, unknown_ops, numels, notes),
        origin=origin,
        notes=tuple(notes),
        trace_bytes=from_args.bytes_moved if from_args else None,
        inductor_bytes=_inductor_bytes(args, source),
        source=source,
    )


def _name(launched_name: str, source: KernelSource | None) -> KernelName:
    """The name that tells the operators and the category; the source knows better than a generic one."""
    name = parse_kernel_name(launched_name)
    if source is None:
        return name
    if name.generic:
        name = parse_kernel_name(source.name)
    return replace(name, category=source.category or name.category)


def _operators(name: KernelName, source: KernelSource | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All operators, and those without a weight. `Original ATen` is the full list where it is known."""
    if source is not None and source.original_aten:
        ops = tuple(dict.fromkeys(qualified_name(op) for op in source.original_aten))
    else:
        ops = name.ops
    unknown = tuple(op for op in ops if flops_per_element(op) is None)
    words = name.unknown_ops if ops is name.ops else ()
    return tuple(op for op in ops if op not in unknown), unknown + words


def _numels_and_bytes(
    source: KernelSource | None, from_args: ArgsFigures | None, notes: list[Note]
) -> tuple[Numels | None, int | None, Origin]:
    """The best tier's numels and bytes, and which tier it is."""
    if from_args and from_args.bytes_moved is not None:
        return from_args.numels, from_args.bytes_moved, "trace"
    if source is None:
        return (from_args.numels if from_args else None), None, "trace"
    how: Note | None = None
    numels = from_args.numels if from_args else None
    if numels is None:
        numels, how = _numels_of_source(source)
    if numels is None:
        return None, None, "cache"
    if how:
        notes.append(how)
    return numels, bytes_from_signature(source.signature, numels.xnumel, numels.rnumel), "cache"


def _numels_of_source(source: KernelSource) -> tuple[Numels | None, Note | None]:
    """Numels without a launch: the constants in the body where all stand there, else the size hints."""
    constants, hints = dict(source.numels), dict(source.size_hints)
    if constants and hints.keys() <= constants.keys():
        return (
            Numels(source.numels),
            Note("exact-numels", "The numels are the constants in the kernel's body."),
        )
    if not hints:
        return None, None
    sizes = tuple((prefix, constants.get(prefix, size)) for prefix, size in source.size_hints)
    return (
        Numels(sizes),
        Note("size-hints", "The numels are Inductor's size hints, rounded up to powers of two."),
    )


def _flops(
    name: KernelName,
    ops: tuple[str, ...],
    unknown_ops: tuple[str, ...],
    numels: Numels | None,
    notes: list[Note],
) -> int | None:
    if unknown_ops:
        notes.append(
            Note(
                "unknown-ops",
                f"No FLOP weight is known for {', '.join(unknown_ops)}: the FLOPs are a lower bound.",
            )
        )
    if name.generic and not ops:
        notes.append(
            Note(
                "generic-names",
                "The kernel's name does not tell its operators, so its FLOPs are unknown: compile with"
                " TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1 (the default since PyTorch 2.6).",
            )
        )
    if not ops or numels is None or name.category in ("tem", "for"):
        return None
    weight = sum(flops_per_element(op) or 0 for op in ops)
    if weight == 0 and unknown_ops:
        return None
    return weight * numels.iteration_space


def _inductor_bytes(args: LaunchArgs | None, source: KernelSource | None) -> int | None:
    """Inductor's own estimate: `kernel_num_gb`, written with `TORCHINDUCTOR_PROFILE_BANDWIDTH`."""
    gigabytes: object = args.kernel_num_gb if args else None
    if gigabytes is None and source is not None:
        gigabytes = dict(source.inductor_meta).get("kernel_num_gb")
    return round(gigabytes * 1e9) if isinstance(gigabytes, int | float) and 0 < gigabytes < 1e9 else None


def operator_weights(metadata: KernelMetadata) -> tuple[tuple[str, int | None], ...]:
    """(operator without namespace, weight) of every operator, those without a weight last."""
    known = tuple((bare_name(op), flops_per_element(op)) for op in metadata.ops)
    return known + tuple((bare_name(op), None) for op in metadata.unknown_ops)
