"""The records that an Inductor-generated file becomes: `InductorFile`, `KernelSource`, `CallSite`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from perfcore.inductor.content_hash import hash_in_path
from perfcore.problem import Problem

FileKind = Literal["wrapper", "kernel", "other"]


@dataclass(frozen=True, slots=True)
class Span:
    """A range in a file's text: zero-based lines, columns in UTF-16 code units as LSP counts them,
    end exclusive."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user's own program: a path as it was where the program ran, and a zero-based line. `function`
    and `code` (the line's text) are None where they are not given."""

    path: str
    line: int
    function: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class KernelSource:
    """One generated kernel, from a wrapper's triple-quoted text or a single-kernel file.

    `name` is what the trace's cpu_op shows: `inductor_meta['kernel_name']`, else the wrapper's variable,
    else the function's name. `def_name` is the function's own (`triton_` in PyTorch 2.4 and with unique
    names off), which is what the GPU event shows.
    `category` is the short form poi, red, per, tem, for, spl, or None (a user's own kernel, unknown).
    It follows the decorator, and the name where the decorator does not say: a cooperative reduction, which is
    named `triton_unk_…`, is a red. `decorator` is its last word, such as `persistent_reduction`.
    `size_hints` and `numels` are keyed by prefix: x, y, z, r0_, r1_ (2.4's `rnumel` is keyed r0_).
    `numels` holds only what stands as a constant in the body's own block (a combo kernel's branches have
    theirs deeper) or in triton_meta's `constants`. `signature` runs parallel to `params`' part that is not
    declared constexpr: (parameter, Triton type such as `*bf16` or `i32`, "" where none is given).
    In the two metas, calls stand as `literal.Constructed` and names as their text.
    `text` is the kernel's own Python text, `text_line` the zero-based line in the file at which it starts.
    `content_hash` is the base name of its single-kernel file: the file's own, and for a kernel in a wrapper the
    hash that Inductor gives that text (the `kernel path` comment over a template names another file).
    `graph_nodes` are the nodes of the compiled graph that it computes, and `user_lines` the lines of the user's
    program, as far as the comment over it names them (`provenance` says more).
    `variable` is the wrapper's name for it, None in a file of its own. `edited` says that the file's text is no longer what its name was made from.
    """

    name: str
    def_name: str
    path: str
    category: str | None
    decorator: str
    params: tuple[str, ...]
    signature: tuple[tuple[str, str], ...]
    size_hints: tuple[tuple[str, int], ...]
    numels: tuple[tuple[str, int], ...]
    original_aten: tuple[str, ...] | None
    source_nodes: tuple[str, ...]
    inductor_meta: tuple[tuple[str, object], ...] = field(hash=False)
    triton_meta: tuple[tuple[str, object], ...] = field(hash=False)
    kernel_path: str | None
    content_hash: str | None
    text: str
    text_line: int
    def_span: Span
    name_span: Span
    path_span: Span | None = None
    graph_nodes: tuple[str, ...] = ()
    user_lines: tuple[UserLine, ...] = ()
    variable: str | None = None
    edited: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def line(self) -> int:
        """Zero-based line of the kernel's `def`."""
        return self.def_span.start_line


@dataclass(frozen=True, slots=True)
class KernelOutline:
    """What is seen of a kernel without reading it: `name`, `def_name` and `content_hash` as in `KernelSource` (the
    name as far as the text's usual form tells it), and all names and hashes that it may be looked up by (the comment
    over it may name another file)."""

    name: str
    def_name: str
    content_hash: str
    names: frozenset[str]
    hashes: frozenset[str]


@dataclass(frozen=True, slots=True)
class TensorShape:
    """A buffer as the wrapper allocates or asserts it. Symbolic sizes are kept as text."""

    sizes: tuple[int | str, ...]
    strides: tuple[int | str, ...]
    dtype: str | None


@dataclass(frozen=True, slots=True)
class CallSite:
    """One `<kernel>.run(...)` in a wrapper's `call`.

    `kernel` is the wrapper's variable, `kernels` the names of the kernels that the call may launch: that one, or
    the choices of a multi-kernel. `args` are the texts of the arguments that the kernel gets, in the order of its
    parameters (without `grid=` and `stream=`; a user's own kernel gets keywords in PyTorch 2.4), with a scalar's
    name replaced by its expression (`4096*s27*s77`). `shapes` run parallel: None for scalars and for buffers of
    which the wrapper does not say.
    """

    kernel: str
    span: Span
    args: tuple[str, ...]
    shapes: tuple[TensorShape | None, ...]
    comment_span: Span | None = None
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True)
class InductorFile:
    """One generated file. A broken kernel costs one kernel and leaves a problem.

    A file may hold ten thousand kernels, so who calls whom is looked up and not searched for.
    """

    path: str
    kind: FileKind
    kernels: tuple[KernelSource, ...]
    call_sites: tuple[CallSite, ...]
    problems: tuple[Problem, ...] = field(default=())

    def called(self, site: CallSite) -> tuple[KernelSource, ...]:
        """The kernels of this file that one of its call sites may launch."""
        names = dict.fromkeys(site.kernels or (site.kernel,))
        return tuple(kernel for name in names for kernel in self._by_name.get(name, ()))

    def first_call(self, kernel: KernelSource) -> CallSite | None:
        """The first call in this file that may launch one of its kernels."""
        return self._first_calls.get(kernel.name)

    def known_as(self, key: str) -> list[KernelSource]:
        """The kernels of a name (their own, or their function's) or of a content hash (their text's, or that of the file
        that the comment over them names)."""
        return self._by_key.get(key, [])

    @cached_property
    def _by_key(self) -> Mapping[str, list[KernelSource]]:
        found: dict[str, list[KernelSource]] = {}
        for kernel in self.kernels:
            keys = (kernel.name, kernel.def_name, kernel.content_hash, hash_in_path(kernel.kernel_path))
            for key in {key for key in keys if key is not None}:
                found.setdefault(key, []).append(kernel)
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, list[KernelSource]]:
        found: dict[str, list[KernelSource]] = {}
        for kernel in self.kernels:
            found.setdefault(kernel.name, []).append(kernel)
        return found

    @cached_property
    def _first_calls(self) -> Mapping[str, CallSite]:
        found: dict[str, CallSite] = {}
        for site in self.call_sites:
            for name in site.kernels or (site.kernel,):
                found.setdefault(name, site)
        return found
