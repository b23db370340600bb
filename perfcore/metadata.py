"""V2, V1 and exact → one `KernelMetadata`: what a kernel does and moves, with its origin and every doubt.

The tiers, the best first: the kernel's own source (exact), the trace's arguments (V2), the Inductor cache's
signature and numels or size hints (V1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from perfcore.exact import (
    Bindings,
    bindings_of_call,
    bindings_of_launch,
    exact_bytes,
    flops_of_template,
    why_different,
)
from perfcore.inductor.access import Moved, Unanalysed
from perfcore.inductor.choose import Choice
from perfcore.inductor.model import CallSite, KernelSource
from perfcore.kernel_name import KernelName, clean_kernel_name, parse_kernel_name
from perfcore.numels import Numels, prefix_of_parameter
from perfcore.ops import bare_name, flops_per_element, qualified_name
from perfcore.problem import Note
from perfcore.signature_bytes import bytes_from_signature
from perfcore.template_flops import epilogue_flops, product_flops
from perfcore.trace.model import Launch, LaunchArgs
from perfcore.trace_args import ArgsFigures, figures_from_args

Origin = Literal["trace", "cache", "source"]

NO_SOURCE = Choice((), "none")
"""No source is known."""

_REMEMBERED = 1 << 14
"""Kernels with arguments: when one source or a setting changes, all the other figures stay."""


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

    @property
    def differs_from_trace(self) -> bool:
        """Whether the source counts another figure than the trace's shapes, by more than one percent."""
        return (
            self.origin == "source"
            and self.trace_bytes is not None
            and self.bytes_moved is not None
            and abs(self.trace_bytes - self.bytes_moved) > 0.01 * self.bytes_moved
        )


def launch_metadata(launch: Launch, choice: Choice = NO_SOURCE) -> KernelMetadata:
    """The metadata of a launch. `choice` are the sources that may be its kernel's; of several none is used."""
    return kernel_metadata(launch.name, launch.args, choice)


def source_metadata(kernel: KernelSource, call_site: CallSite | None = None) -> KernelMetadata:
    """The metadata of a kernel that no trace has launched: its numels from the body, from its call site in the
    wrapper, else from size hints."""
    return _metadata(kernel.name, None, Choice((kernel,), "name"), call_site)


def kernel_metadata(
    launched_name: str, args: LaunchArgs | None, choice: Choice = NO_SOURCE
) -> KernelMetadata:
    """As `launch_metadata`, from the two parts of a launch that decide."""
    return _metadata(launched_name, args, choice, None)


@lru_cache(maxsize=_REMEMBERED)
def _metadata(
    launched_name: str, args: LaunchArgs | None, choice: Choice, call_site: CallSite | None
) -> KernelMetadata:
    source = choice.candidates[0] if len(choice.candidates) == 1 else None
    name = _name(launched_name, source)
    ops, unknown_ops = _operators(name, source)
    from_args = figures_from_args(name, args, source) if args else None
    figures = _from_source(source, args, from_args, call_site) if source else None
    if figures is None:
        figures = _Figures(
            from_args.numels if from_args else None,
            from_args.bytes_moved if from_args else None,
            "trace",
            from_args.notes if from_args else (),
            tuple((str(i), tensor.shape) for i, tensor in enumerate(from_args.tensors)) if from_args else (),
        )
    flops, flop_notes = _flops(name, source, ops, unknown_ops, figures)
    return KernelMetadata(
        name=clean_kernel_name(launched_name),
        category=name.category,
        ops=ops,
        unknown_ops=unknown_ops,
        numels=figures.numels.by_prefix if figures.numels else (),
        xnumel=figures.numels.xnumel if figures.numels else None,
        rnumel=figures.numels.rnumel if figures.numels else None,
        bytes_moved=figures.bytes_moved,
        flops=flops,
        origin=figures.origin,
        notes=(*choice.notes, *figures.notes, *flop_notes),
        trace_bytes=from_args.bytes_moved if from_args else None,
        inductor_bytes=_inductor_bytes(args, source),
        source=source,
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    """One tier's answer."""

    numels: Numels | None
    bytes_moved: int | None
    origin: Origin
    notes: tuple[Note, ...]
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()


def _from_source(
    source: KernelSource, args: LaunchArgs | None, from_args: ArgsFigures | None, call_site: CallSite | None
) -> _Figures:
    """The exact tier where the source is understood, else V2 if the launch has shapes, else V1."""
    if args:
        bindings = bindings_of_launch(source, args)
    else:
        bindings = bindings_of_call(source, call_site) if call_site else Bindings()
    numels, numel_notes = (
        (from_args.numels, ()) if from_args and from_args.numels else _numels_of(source, bindings)
    )
    counted = exact_bytes(source, numels, bindings)
    if isinstance(counted, Moved) and counted.bytes_moved is not None:
        trace_bytes = from_args.bytes_moved if from_args else None
        notes = (*numel_notes, *counted.notes, *_bound(counted))
        if trace_bytes is not None and abs(trace_bytes - counted.bytes_moved) > 0.01 * counted.bytes_moved:
            notes = (*notes, why_different(counted, trace_bytes, dict(bindings.shapes)))
        return _Figures(numels, counted.bytes_moved, "source", notes, bindings.shapes)
    why = _not_exact(counted)
    if from_args and from_args.bytes_moved is not None:
        return _Figures(
            from_args.numels, from_args.bytes_moved, "trace", (*from_args.notes, why), bindings.shapes
        )
    is_combo = "combo_grid_meta" in dict(source.inductor_meta)  # whose size hints are its largest branch's
    if numels is None or is_combo:
        return _Figures(None, None, "cache", (*(from_args.notes if from_args else ()), why), bindings.shapes)
    moved_bytes = bytes_from_signature(source.signature, numels.xnumel, numels.rnumel)
    return _Figures(numels, moved_bytes, "cache", (*numel_notes, why), bindings.shapes)


def _bound(counted: Moved) -> tuple[Note, ...]:
    """Which pointers are only bounded, and why."""
    whys = {traffic.pointer: traffic.why for traffic in counted.pointers if traffic.why}
    if counted.exact or not whys:
        return ()
    listed = "; ".join(f"{pointer}: {why}" for pointer, why in list(whys.items())[:3])
    return (Note("upper-bound", f"The bytes are an upper bound ({listed})."),)


def _not_exact(counted: Moved | Unanalysed) -> Note:
    if isinstance(counted, Unanalysed):
        return Note(
            "not-analysed",
            f"The source does not tell what is moved: {counted.reason}, line {counted.line + 1}.",
        )
    unknown = [t for t in counted.pointers if t.bytes_moved is None]
    pointers = ", ".join(f"{t.pointer} ({t.why})" if t.why else t.pointer for t in unknown[:3])
    return Note("not-analysed", f"The source alone does not tell how much of {pointers} is moved.")


def _numels_of(source: KernelSource, bindings: Bindings) -> tuple[Numels | None, tuple[Note, ...]]:
    """Numels without a launch's shapes: constants in the body, then the call's own, then size hints."""
    known = {
        prefix: size for parameter, size in bindings.integers if (prefix := prefix_of_parameter(parameter))
    }
    known.update(source.numels)
    hints = dict(source.size_hints)
    prefixes = list(hints) if hints else list(known)
    if not prefixes:
        return None, ()
    numels = Numels(tuple((prefix, known.get(prefix, hints.get(prefix, 1))) for prefix in prefixes))
    if known.keys() >= set(prefixes):
        return numels, (Note("exact-numels", "The numels are constants in the kernel's source."),)
    return numels, (Note("size-hints", "The numels are Inductor's size hints, rounded up to powers of two."),)


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


def _template(source: KernelSource | None, ops: tuple[str, ...], figures: _Figures) -> int | None:
    """A template's product by its source or its operands, and what its epilogue does to each output element."""
    shapes = [shape for _, shape in figures.shapes]
    if source is None:
        product = product_flops(ops, shapes)
    else:
        product = flops_of_template(source, Bindings(shapes=figures.shapes))
    return None if product is None or not shapes else product + epilogue_flops(ops, math.prod(shapes[-1]))


def _flops(
    name: KernelName,
    source: KernelSource | None,
    ops: tuple[str, ...],
    unknown_ops: tuple[str, ...],
    figures: _Figures,
) -> tuple[int | None, tuple[Note, ...]]:
    """Weights × iteration space, a template's by its operands, and what makes them uncertain."""
    numels = figures.numels
    notes = []
    if unknown_ops:
        text = f"No FLOP weight is known for {', '.join(unknown_ops)}: the FLOPs are a lower bound."
        notes.append(Note("unknown-ops", text))
    if name.generic and not ops:
        text = (
            "The kernel's name does not tell its operators, so its FLOPs are unknown: compile with"
            " TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1 (the default since PyTorch 2.6)."
        )
        notes.append(Note("generic-names", text))
    if name.category == "tem":
        return _template(source, ops, figures), tuple(notes)
    weight = sum(flops_per_element(op) or 0 for op in ops)
    if (
        not ops
        or numels is None
        or not numels.possible
        or name.category == "for"
        or (weight == 0 and unknown_ops)
    ):
        return None, tuple(notes)
    return weight * numels.iteration_space, tuple(notes)


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
