"""FLOPs of Inductor's templates by their formulas: matrix products, attention, convolution.

A template's products are its work; an epilogue's operators (in `Original ATen`) come on top and are not counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from perfcore.inductor.access.index_space import IndexSpace
from perfcore.inductor.access.linear import Linear
from perfcore.inductor.access.model import Access, Accesses
from perfcore.inductor.model import KernelSource

Shapes = Mapping[str, tuple[int, ...]]


def template_flops(
    kernel: KernelSource,
    accesses: Accesses,
    *,
    shapes: Shapes | None = None,
    scalars: Mapping[str, int] | None = None,
) -> int | None:
    """Multiplications and additions of a template's products; None where its text and shapes do not tell them.

    Matrix product (torch/_inductor/kernel/mm.py, bmm.py): 2·M·N·K a batch, sizes from the text, or from `shapes`.
    Attention (flex_attention.py) over the whole Q × KV area, which a block mask may skip parts of: forward
    2·B·H·Q·KV·(D + Dv), backward, with five products, 2·B·H·Q·KV·(3·D + 2·Dv). Convolution (conv.py): 2 × output
    elements × weights an output channel.
    """
    known = shapes or {}
    if {"arg_Q", "arg_K", "arg_V"} <= {*kernel.params}:
        return _attention(known, backward="arg_DO" in kernel.params)
    if {"arg_X", "arg_W"} <= {*kernel.params}:
        return _convolution(accesses, known)
    return _product(accesses, known, scalars or {})


def _product(accesses: Accesses, shapes: Shapes, scalars: Mapping[str, int]) -> int | None:
    sizes = _sizes(accesses, scalars)
    if not {"M", "N", "K"} <= sizes.keys():
        return _product_of_shapes(shapes)
    flops = 2 * sizes["M"] * sizes["N"] * sizes["K"]
    if "BATCH" in sizes:
        return flops * sizes["BATCH"]
    area = sizes["M"] * sizes["N"]
    if not any(name == "idx_q" for name, _ in accesses.sizes):
        return flops
    for access in accesses.accesses:
        elements = _elements(shapes, access)
        if access.kind == "write" and elements and area and elements % area == 0:
            return flops * (elements // area)
    return None


def _sizes(accesses: Accesses, scalars: Mapping[str, int]) -> dict[str, int]:
    space = IndexSpace(accesses.nodes, {}, scalars, {}, cuts={}, extents={})
    sizes: dict[str, int] = {}
    for name, node in accesses.sizes:
        form = space.forms[node]
        if isinstance(form, Linear) and not form.terms:
            sizes[name] = form.constant
    return sizes


def _product_of_shapes(shapes: Shapes) -> int | None:
    a, b = shapes.get("arg_A"), shapes.get("arg_B")
    if not a or not b or len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        return None
    return 2 * prod(a) * b[-1]


def _attention(shapes: Shapes, *, backward: bool) -> int | None:
    q, k, v = (shapes.get(name, ()) for name in ("arg_Q", "arg_K", "arg_V"))
    if not len(q) == len(k) == len(v) == 4:
        return None
    area = q[0] * q[1] * q[2] * k[2]
    depth = 3 * q[3] + 2 * v[3] if backward else q[3] + v[3]
    return 2 * area * depth


def _convolution(accesses: Accesses, shapes: Shapes) -> int | None:
    weights = shapes.get("arg_W", ())
    out = next((n for a in accesses.accesses if a.kind == "write" and (n := _elements(shapes, a))), None)
    return 2 * out * prod(weights[1:]) if out and len(weights) > 2 else None


def _elements(shapes: Shapes, access: Access) -> int | None:
    return prod(shapes[access.pointer]) if access.pointer in shapes else None
