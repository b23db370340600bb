"""The grid that a launch's arguments ask for, against what GPUs were asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from perfcore.trace import read_trace
from perfcore.trace.launch_grid import expected_grid, parse_grid
from perfcore.trace.model import Grid, LaunchArgs


def args(kwargs: str, *numels: int, dims: tuple[int, ...] | None = None) -> LaunchArgs:
    return LaunchArgs(
        input_dims=(dims if dims is not None else numels, *[()] * len(numels)),
        concrete_inputs=("", *map(str, numels)),
        kernel_kwargs=kwargs,
    )


@pytest.mark.parametrize(
    ("name", "made", "grid"),
    [
        ("triton_poi_fused_add_0", args("XBLOCK=1024", 268_435_456), (262_144, 1, 1)),
        ("triton_poi_fused_add_0", args("XBLOCK=512,waves_per_eu=1", 513), (2, 1, 1)),
        ("triton_poi_fused_clone_1", args("XBLOCK=4,YBLOCK=32", 8192, 2432), (608, 256, 1)),
        ("triton_poi_fused_clone_1", args("XBLOCK=4,YBLOCK=1", 100_000, 8), (2, 50_000, 2)),
        ("triton_red_fused_mean_0", args("XBLOCK=2,R0_BLOCK=2048", 32_768, 2048), (16_384, 1, 1)),
        ("triton_red_fused_mean_0", args("XBLOCK=4,YBLOCK=32,R0_BLOCK=16", 8192, 19, 128), (5, 256, 1)),
        ("triton_per_fused_mean_0", args("XBLOCK=8", 768, 128), (96, 1, 1)),
    ],
)
def test_each_dimension_is_divided_by_its_block(name: str, made: LaunchArgs, grid: Grid) -> None:
    assert expected_grid(name, made) == grid


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("triton_poi_fused_0", args("XBLOCK=64")),
        ("triton_poi_fused_add_0", args("", 64)),
        ("triton_poi_fused_add_0", args("XBLOCK=64,RSPLIT=8", 64)),
        ("triton_poi_fused_add_0", args("XBLOCK=0", 64)),
        ("triton_poi_fused_add_0", args("XBLOCK=64", 64, dims=(5, 5))),
        ("triton_unk_fused_sum_0", args("XBLOCK=64", 64)),
        ("my_kernel_0", args("XBLOCK=64", 64)),
        ("triton_red_fused_sum_0", args("XBLOCK=64,R0_BLOCK=64", 64)),
    ],
)
def test_what_leaves_a_doubt_is_unknown(name: str, made: LaunchArgs) -> None:
    assert expected_grid(name, made) is None


def test_reads_the_traces_own_spelling() -> None:
    assert parse_grid("[16384, 1, 1]") == (16_384, 1, 1)
    assert parse_grid("grid(100,)") is None


def test_no_real_launch_contradicts(shared: Path) -> None:
    known = 0
    for name in ("sd35.mi300x", "transformer_block.mi300x", "eager.b200"):
        for launch in read_trace(shared / "traces" / f"{name}.json.gz").launches:
            expected = expected_grid(launch.name, launch.args) if launch.args else None
            if expected:
                known += 1
                assert launch.grid == expected
    assert known > 1_000
