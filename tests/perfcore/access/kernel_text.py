"""Small kernels in Inductor's style, written for a test."""

from __future__ import annotations

from perfcore.inductor import KernelSource, read_inductor_file


def pointwise(
    body: list[str], *, pointers: dict[str, str], numels: dict[str, int], scalars: tuple[str, ...] = ()
) -> KernelSource:
    """A pointwise kernel over x, or y and x, whose numels stand in the body. `body` may use xindex, xmask, x0…"""
    names = [p for p in ("z", "y", "x") if p in numels]
    axes = {p: "[" + ", ".join(":" if q == p else "None" for q in names) + "]" for p in names}
    head = [line for p in names for line in _variable(p, numels[p], axes[p], names.index(p))]
    return _kernel("pointwise", "poi", [*head, *body], pointers, names, scalars)


def reduction(
    before: list[str], body: list[str], after: list[str], *, pointers: dict[str, str], numels: dict[str, int]
) -> KernelSource:
    """A looped reduction over r0_: `body` runs in the loop."""
    head = [
        *_variable("x", numels["x"], "[:, None]", 0),
        f"r0_numel = {numels['r0_']}",
        "r0_base = tl.arange(0, R0_BLOCK)[None, :]",
        *before,
        "for r0_offset in tl.range(0, r0_numel, R0_BLOCK):",
        "    r0_index = r0_offset + r0_base",
        "    r0_mask = r0_index < r0_numel",
        *(f"    {line}" for line in body),
    ]
    return _kernel("reduction", "red", [*head, *after], pointers, ["x", "r0_"], ())


def _variable(prefix: str, numel: int, axis: str, program: int) -> list[str]:
    return [
        f"{prefix}numel = {numel}",
        f"{prefix}offset = tl.program_id({program}) * {prefix.upper()}BLOCK",
        f"{prefix}index = {prefix}offset + tl.arange(0, {prefix.upper()}BLOCK){axis}",
        f"{prefix}mask = {prefix}index < {prefix}numel",
    ]


def _kernel(
    heuristic: str,
    category: str,
    lines: list[str],
    pointers: dict[str, str],
    prefixes: list[str],
    scalars: tuple[str, ...],
) -> KernelSource:
    name = f"triton_{category}_fused_test_0"
    numels = [f"{prefix}numel" for prefix in prefixes]
    blocks = [f"{prefix.upper()}BLOCK : tl.constexpr" for prefix in prefixes]
    signature = {**pointers, **dict.fromkeys(scalars, "i32"), **dict.fromkeys(numels, "i32")}
    hints = dict.fromkeys(prefixes, 1024)
    text = "\n".join(
        [
            "import triton",
            "import triton.language as tl",
            "from torch._inductor.runtime import triton_helpers, triton_heuristics",
            "",
            f"@triton_heuristics.{heuristic}(",
            f"    size_hints={hints!r}, filename=__file__,",
            f"    triton_meta={{'signature': {signature!r}, 'constants': {{}}}},",
            f"    inductor_meta={{'kernel_name': {name!r}}},",
            ")",
            "@triton.jit",
            f"def {name}({', '.join([*pointers, *scalars, *numels, *blocks])}):",
            *(f"    {line}" for line in lines),
            "",
        ]
    )
    (kernel,) = read_inductor_file("kernel.py", text).kernels
    return kernel
