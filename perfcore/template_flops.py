"""FLOPs of a template (`triton_tem_…`): a matrix product, convolution or attention by its operands' shapes.

A template's numels are those of its output, so weights per element say nothing of the product. Its operands carry
fixed names (torch/_inductor/kernel/mm.py, bmm.py, conv.py, flex_attention.py): `arg_A` and `arg_B`, `arg_X` and
`arg_W`, `arg_Q` and `arg_K`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from perfcore.ops import bare_name, flops_per_element

Shape = tuple[int, ...]

_PRODUCTS = frozenset(
    "mm addmm bmm baddbmm matmul linear _scaled_mm _int_mm _grouped_mm _scaled_grouped_mm mixed_mm".split()  # noqa: SIM905
)
_CONVOLUTIONS = frozenset(("convolution", "conv1d", "conv2d", "conv3d"))
_BIASED = frozenset(("addmm", "baddbmm"))


def template_flops(ops: Sequence[str], shapes: Mapping[str, Shape]) -> int | None:
    """2·M·N·K of the product (4·M·N·D of attention) and the epilogue's weights for each element of the output.

    `shapes` are the tensors' by parameter name, or by position (`"0"`, `"1"`…) where no source names them. None
    where the operands are not known or do not fit each other.
    """
    names = [bare_name(op) for op in ops]
    if any(name in _CONVOLUTIONS for name in names):
        product = _convolution(*_operands(shapes, "arg_X", "arg_W"), _output(shapes))
    elif "arg_Q" in shapes:
        product = _attention(*_operands(shapes, "arg_Q", "arg_K"))
    elif any(name in _PRODUCTS for name in names) or "arg_A" in shapes:
        product = _matrix_product(*_operands(shapes, "arg_A", "arg_B"))
    else:
        return None
    if product is None:
        return None
    epilogue = sum(
        1 if name in _BIASED else flops_per_element(name) or 0
        for name in names
        if name not in (_PRODUCTS | _CONVOLUTIONS) - _BIASED
    )
    return product + epilogue * math.prod(_output(shapes) or ())


def _operands(shapes: Mapping[str, Shape], one: str, other: str) -> tuple[Shape | None, Shape | None]:
    return shapes.get(one, shapes.get("0")), shapes.get(other, shapes.get("1"))


def _output(shapes: Mapping[str, Shape]) -> Shape | None:
    """Pointers come in the order of inputs, then outputs, so the output is the last."""
    return next(reversed(list(shapes.values())), None)


def _matrix_product(a: Shape | None, b: Shape | None) -> int | None:
    if not a or not b or len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        return None
    batches = math.prod(a[:-2]) if len(a) >= len(b) else math.prod(b[:-2])
    return 2 * batches * a[-2] * a[-1] * b[-1]


def _convolution(x: Shape | None, w: Shape | None, output: Shape | None) -> int | None:
    """Every output element sums over one filter."""
    if not x or not w or not output or len(w) < 3:
        return None
    return 2 * math.prod(output) * math.prod(w[1:])


def _attention(q: Shape | None, k: Shape | None) -> int | None:
    """Scores and their product with V over [batch, heads, rows, dim]; a block mask may skip a part of it."""
    if not q or not k or len(q) != 4 or len(k) != 4:
        return None
    return 4 * math.prod(q) * k[-2]
