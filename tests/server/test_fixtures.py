"""Each fixture folder, each file: what its markers tell is what the server says, no more and no less."""

from __future__ import annotations

from pathlib import Path

import pytest

from .lens_client import check, fixture


async def test_the_example_from_every_side(tmp_path: Path) -> None:
    async with fixture("transformer_block", tmp_path, example=True) as (lens, files):
        for file in files.values():
            await check(lens, file)


@pytest.mark.parametrize("layout", ["pretty", "one_line", "key_per_line"])
async def test_a_trace_in_every_layout_with_text_before_the_event_that_is_not_ascii(
    tmp_path: Path, layout: str
) -> None:
    async with fixture("layouts", tmp_path) as (lens, files):
        await check(lens, files[f"{layout}.json"])
