"""Whether a GPU function may be the kernel that a Triton cpu_op launched, judged by the two names.

The cpu_op carries Inductor's `kernel_name` (torch/_inductor/runtime/triton_heuristics.py records it), the GPU
event the function's name. They differ where a tool cut one of them, where ROCm appends `.kd` or an old Triton
its argument suffix, where unique kernel names are off (every function is `triton_`), and for a user's own
kernels (`my_kernel_0` launches `my_kernel`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import IntEnum

_ROCM_SUFFIX = ".kd"
_ELLIPSIS = re.compile(r"(\.\.\.|…)$")
_ARGUMENT_SUFFIX = re.compile(r"_(?=\d*[dce])0[dce]*(?:1[0-9dce]*)?$")
"""Triton before 2.2 appended each argument's index, with d (divisible by 16), e or c: `triton__0d1d2de3`."""
_GENERIC = re.compile(r"triton_?(?:\d+_?)?$|triton kernel$")
_NUMBERED = re.compile(r"(?!triton_[a-z]{3}_)(.+)_\d+$")
"""Inductor numbers a user's kernels; its own kernels' numbers belong to the function's name too."""
_FOREIGN = re.compile(
    r"_Z|Cijk_|__amd_|nccl|rccl|cutlass|cublas|cudnn|ampere_|volta_|turing_|sm\d+_|mem(set|cpy)", re.I
)
_USUAL_CUTS = frozenset({63, 64, 127, 128, 255, 256})
_SHORTEST_CUT = 31


class Agreement(IntEnum):
    """How well a GPU function's name fits a cpu_op's, best last."""

    FOREIGN = 0
    """Not a Triton function, or another Inductor kernel's: never this launch's kernel."""
    OTHER = 1
    """Any other function name that Triton could have compiled (a combo or a user's own kernel)."""
    GENERIC = 2
    """One of the names says nothing (`triton_`): unique kernel names were off."""
    CUT = 3
    """One name is the beginning of the other, as tools that shorten names leave it."""
    SAME = 4
    """The same kernel's name."""


def function_name(name: str) -> str:
    """A GPU event's kernel name without what the runtime or the compiler appended to it."""
    bare = name.removesuffix(_ROCM_SUFFIX)
    return _ARGUMENT_SUFFIX.sub("", bare) or bare


def is_inductor_name(name: str) -> bool:
    """Whether a GPU function of this name is a Triton kernel of Inductor's (a path or a C++ name is not)."""
    return name.startswith("triton_") and name.isidentifier()


def agreement(op_name: str, function: str) -> Agreement:
    """How `function` (see `function_name`) fits a cpu_op called `op_name`."""
    if function == op_name:
        return Agreement.SAME
    numbered = _NUMBERED.match(op_name)
    if numbered and numbered[1] == function:
        return Agreement.SAME
    if _GENERIC.match(function) or _GENERIC.match(op_name):
        return _generic(op_name, function)
    if _is_cut(op_name, function):
        return Agreement.CUT
    if not function.isidentifier() or _FOREIGN.match(function) or is_inductor_name(function):
        return Agreement.FOREIGN
    return Agreement.OTHER


class Names:
    """Names of kernels or functions, to be asked which may agree with another without comparing them all."""

    def __init__(self, names: Iterable[str]) -> None:
        self._all = sorted(set(names))
        self._generic = [name for name in self._all if _GENERIC.match(name)]
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for name in self._all:
            for key in _keys(name):
                self._by_key[key].append(name)

    def like(self, name: str) -> Sequence[str]:
        """All that `agreement` may find at least `GENERIC`, in either direction, and perhaps others."""
        if _GENERIC.match(name):
            return self._all
        found = set(self._generic)
        for key in _keys(name):
            found.update(self._by_key.get(key, ()))
        return sorted(found)


def _keys(name: str) -> set[str]:
    numbered = _NUMBERED.match(name)
    return {name, numbered[1] if numbered else name, name[:_SHORTEST_CUT]}


def _generic(op_name: str, function: str) -> Agreement:
    if _GENERIC.match(function):
        both_numbered = function[-1].isdigit() and _GENERIC.match(op_name) and op_name[-1].isdigit()
        inductors = op_name.startswith("triton") and not both_numbered
        return Agreement.GENERIC if inductors else Agreement.FOREIGN
    compiled = function.isidentifier() and not _FOREIGN.match(function)
    return Agreement.GENERIC if compiled else Agreement.FOREIGN


def _is_cut(one: str, other: str) -> bool:
    one, other = _ELLIPSIS.sub("", one), _ELLIPSIS.sub("", other)
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_CUT or not long.startswith(short):
        return False
    # `..._1` begins `..._10`, which is another kernel, unless the cut is where tools are known to cut.
    another_number = short[-1].isdigit() and long[len(short) :][:1].isdigit()
    return not another_number or len(short) in _USUAL_CUTS
