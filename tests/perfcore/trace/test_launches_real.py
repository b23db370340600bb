"""Linking on recordings by other people, against another tool's figures for them."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from perfcore.trace.launches import link
from tests.perfcore.trace.plain_reader import read_events


def recorded(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "traces" / f"{name}.json.gz") as file:
        return json.load(file, parse_float=Decimal)["traceEvents"]


def test_the_transformer_block_keeps_every_digit(shared: Path) -> None:
    launches, _ = link(read_events(recorded(shared, "transformer_block.mi300x")))
    assert [(launch.place.event_index, launch.name, launch.busy_ns) for launch in launches] == [
        (5, "triton_red_fused_add_mean_mul_pow_rsqrt_0", 77_074),
        (36, "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", 90_653),
        (39, "triton_poi_fused__unsafe_view_mul_silu_2", 527_382),
        (41, "triton_poi_fused__unsafe_view_add_3", 140_848),
    ]
