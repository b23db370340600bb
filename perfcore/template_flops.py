"""FLOPs of a template (`triton_tem_…`): its product by formula, and its epilogue's weights.

A template's numels are those of its output, so weights per element say nothing of its product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from perfcore.ops import bare_name, flops_per_element

Shape = tuple[int, ...]

_PRODUCTS = frozenset(
    (
        "mm",
        "addmm",
        "bmm",
        "baddbmm",
        "matmul",
        "linear",
        "_scaled_mm",
        "_int_mm",
        "_grouped_mm",
        "_scaled_grouped_mm",
    )
)
_CONVOLUTIONS = frozenset(("convolution", "conv1d", "conv2d", "conv3d"))


def product_flops(ops: Sequence[str], shapes: Sequence[Shape]) -> int | None:
    """2·M·N·K of a matrix product whose operands are the first two tensors of a launch, as a trace without its
    source shows them. None where they do not fit each other, or for another template."""
    if not any(bare_name(op) in _PRODUCTS for op in ops) or len(shapes) < 3:
        return None
    a, b = shapes[0], shapes[1]
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        return None
    batches = math.prod(a[:-2]) if len(a) >= len(b) else math.prod(b[:-2])
    return 2 * batches * a[-2] * a[-1] * b[-1]


def epilogue_flops(ops: Sequence[str], output_elements: int) -> int:
    """What is done to each element of the output after the product; a bias (`addmm`, `convolution`) is an add."""
    names = [bare_name(op) for op in ops]
    biased = [name for name in names if name in ("addmm", "baddbmm")]
    others = [name for name in names if name not in _PRODUCTS | _CONVOLUTIONS]
    return output_elements * (len(biased) + sum(flops_per_element(name) or 0 for name in others))
