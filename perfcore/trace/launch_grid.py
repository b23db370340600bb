"""The grid that a launch's arguments ask for, as evidence of which of several launches a GPU kernel was.

Inductor launches ceil(numel / BLOCK) programs a non-reduction dimension, x first, and folds a y that exceeds what
CUDA allows into z (torch/_inductor/runtime/triton_heuristics.py, `Grid1D` to `Grid3D`, `Grid2DWithYZOverflow`).
"""

from __future__ import annotations

import math
import re

from perfcore.numels import parse_integer
from perfcore.trace.model import Grid, LaunchArgs

_CATEGORY = re.compile(r"triton_(poi|red|per)_")
_CONFIG = re.compile(
    r"(?:(?P<block>[XYZ]BLOCK)|R\d?_?BLOCK|waves_per_eu|matrix_instr_nonkdim|kpack)=(?P<size>\d+)"
)
_LARGEST_Y = 65_535


def parse_grid(text: str) -> Grid | None:
    """`[16384, 1, 1]` as the trace writes it."""
    sizes = re.findall(r"\d{1,18}", text[:100])
    return (int(sizes[0]), int(sizes[1]), int(sizes[2])) if len(sizes) == 3 else None


def expected_grid(name: str, args: LaunchArgs) -> Grid | None:
    """The grid of a plain pointwise, reduction or persistent reduction kernel; None where its config, its numels or
    its kind leave any doubt."""
    category = _CATEGORY.match(name)
    settings = [_CONFIG.fullmatch(setting.strip()) for setting in args.kernel_kwargs.split(",")]
    blocks = {found["block"]: int(found["size"]) for found in settings if found and found["block"]}
    if category is None or not all(settings) or "XBLOCK" not in blocks or 0 in blocks.values():
        return None
    dimensions = [dimension for dimension in ("ZBLOCK", "YBLOCK", "XBLOCK") if dimension in blocks]
    reductions = 0 if category[1] == "poi" else max(1, args.kernel_kwargs.count("R1_BLOCK") + 1)
    numels = [parse_integer(value) for value in (args.concrete_inputs or ())[-len(dimensions) - reductions :]]
    known = [numel for numel in numels if numel is not None and numel > 0]
    if len(known) < len(dimensions) + reductions:
        return None
    # The integers are numels for certain if they span one of the tensors.
    if math.prod(known) not in {math.prod(dims) for dims in args.input_dims or ()}:
        return None
    programs = {d: -(-numel // blocks[d]) for d, numel in zip(dimensions, known, strict=False)}
    x, y, z = (programs.get(dimension, 1) for dimension in ("XBLOCK", "YBLOCK", "ZBLOCK"))
    if y > _LARGEST_Y and z == 1:
        z = -(-y // _LARGEST_Y)
        y = -(-y // z)
    return x, y, z
