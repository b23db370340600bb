"""Which source a launch ran: by content hash where the trace has it, else by name and by fit; never by guess."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from perfcore.counted import counted
from perfcore.dtypes import is_pointer
from perfcore.inductor.cache import SourceIndex
from perfcore.inductor.content_hash import hash_in_path, is_content_hash
from perfcore.inductor.model import KernelSource
from perfcore.numels import prefix_of_parameter
from perfcore.problem import Note
from perfcore.trace.model import LaunchArgs

ChosenBy = Literal["kernel-file", "kernel-hash", "name", "none"]

_TRITON_DTYPES: dict[str, tuple[str, ...]] = {
    "c10::BFloat16": ("bf16",),
    "c10::Half": ("fp16",),
    "c10::Float": ("fp32",),
    "float": ("fp32",),
    "double": ("fp64",),
    "long int": ("i64",),
    "long": ("i64",),
    "int": ("i32",),
    "short int": ("i16",),
    "short": ("i16",),
    "signed char": ("i8",),
    "char": ("i8",),
    "unsigned char": ("u8", "i8"),
    "bool": ("i1", "i8", "u8"),
    "c10::Float8_e4m3fn": ("fp8e4nv",),
    "c10::Float8_e4m3fnuz": ("fp8e4b8",),
    "c10::Float8_e5m2": ("fp8e5",),
    "c10::Float8_e5m2fnuz": ("fp8e5b16",),
}
"""`Input type` in a trace → the pointer types that a signature has for it (torch/_inductor/utils.py `_type_of`).
A type that is not here fits every pointer."""


_EDITED = (Note("edited-source", "The source file was changed after Inductor wrote it."),)


@dataclass(frozen=True, slots=True)
class Choice:
    """`candidates` are the different kernels that the launch may have run: one when it is known, several when it is
    ambiguous, none when no source is found or none fits. Each is the best place of its kernel; `places` are all
    places where they stand. `how` says by what they were found."""

    candidates: tuple[KernelSource, ...]
    how: ChosenBy
    notes: tuple[Note, ...] = ()
    places: tuple[KernelSource, ...] = ()


def choose_source(args: LaunchArgs | None, name: str, index: SourceIndex) -> Choice:
    """The sources of a launch: by the content hash in `kernel_file`, else `kernel_hash`, else by name with the
    same pointers, dtypes and constant numels. Equal kernels in several places count as one."""
    kernel_file = args.kernel_file if args else None
    hashes: list[tuple[ChosenBy, str | None]] = [
        ("kernel-file", hash_in_path(kernel_file)),
        ("kernel-hash", args.kernel_hash if args else None),
    ]
    for how, content_hash in hashes:
        if content_hash and is_content_hash(content_hash):
            places = index.by_hash(content_hash, kernel_file)
            as_written = tuple(kernel for kernel in places if not kernel.edited)
            if places:
                return Choice(distinct(as_written or places), how, () if as_written else _EDITED, places)
    named = index.by_name(name)
    if not named:
        return Choice((), "none")
    fitting = tuple(kernel for kernel in named if args is None or fits(kernel, args))
    candidates = distinct(fitting)
    if not candidates:
        text = f"{_sources(len(named))} of this name, but none with these arguments."
        return Choice((), "none", (Note("source-mismatch", text),), named)
    notes: tuple[Note, ...] = _EDITED if any(kernel.edited for kernel in candidates) else ()
    if any(content_hash for _, content_hash in hashes):
        text = "The source was found by its name; the trace names a file of another content."
        notes = (*notes, Note("source-by-name", text))
    if len(candidates) > 1:
        text = (
            f"{_sources(len(candidates))} of this name and with these arguments differ; none of them is used."
        )
        notes = (*notes, Note("ambiguous-source", text))
    return Choice(candidates, "name", notes, fitting)


def fits(kernel: KernelSource, args: LaunchArgs) -> bool:
    """Whether a launch's arguments can be this kernel's: as many pointers, of the same dtypes in the same order,
    as many scalars, and every numel that is a constant in the body passed as that constant. What was not recorded fits."""
    types = args.input_types
    if types is None:
        return True
    pointers = [type_ for _, type_ in kernel.signature if is_pointer(type_)]
    if not pointers and kernel.signature and not any(type_ for _, type_ in kernel.signature):
        return True  # no signature was given
    tensors = [type_ for type_ in types if type_ not in {"Scalar", ""}]
    scalars = types.count("Scalar")
    if "" not in types and len(tensors) != len(pointers):
        return False
    if scalars not in {0, len(kernel.signature) - len(pointers)} and kernel.decorator != "user_autotune":
        return False  # some launchers record no scalars at all; a user's kernel may be passed constexprs
    if len(types) == len(kernel.signature):
        return all(
            _same_type(type_, triton_type)
            for type_, (_, triton_type) in zip(types, kernel.signature, strict=True)
        ) and _same_numels(kernel, args.concrete_inputs or ())
    return all(map(_same_type, tensors, pointers))


def distinct(kernels: Iterable[KernelSource]) -> tuple[KernelSource, ...]:
    """The first of each different kernel. Kernels are equal if nothing but names, paths, comments and the device
    they were compiled for differs; of equal ones that whose operators are known is taken."""
    by_text: dict[str, KernelSource] = {}
    for kernel in kernels:
        text = kernel.text.strip()
        if by_text.setdefault(text, kernel).original_aten is None and kernel.original_aten is not None:
            by_text[text] = kernel
    groups: dict[object, dict[frozenset[str] | None, KernelSource]] = {}
    for kernel in by_text.values():
        operators = None if kernel.original_aten is None else frozenset(kernel.original_aten)
        groups.setdefault(_essence(kernel), {}).setdefault(operators, kernel)
    return tuple(
        kernel
        for group in groups.values()
        for operators, kernel in group.items()
        if operators is not None or len(group) == 1
    )


def _essence(kernel: KernelSource) -> object:
    lines = kernel.text.split("\n")[kernel.line - kernel.text_line + 1 :]
    body = "\n".join(line.rstrip() for line in lines).strip()
    return body, kernel.params, kernel.signature, kernel.size_hints, kernel.numels, kernel.category


def _same_type(trace_type: str, triton_type: str) -> bool:
    if trace_type == "Scalar":
        return not is_pointer(triton_type)
    expected = _TRITON_DTYPES.get(trace_type)
    return not triton_type or not expected or (is_pointer(triton_type) and triton_type[1:] in expected)


def _same_numels(kernel: KernelSource, concrete: tuple[str, ...]) -> bool:
    constants = dict(kernel.numels)
    for (param, _), value in zip(kernel.signature, concrete, strict=False):
        constant = constants.get(prefix_of_parameter(param) or "")
        if constant is not None and value.isdecimal() and int(value[:30]) != constant:
            return False
    return True


def _sources(count: int) -> str:
    return f"There {'is' if count == 1 else 'are'} {counted(count, 'source')}"
