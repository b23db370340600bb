"""Each fixture folder, each file: what its markers tell is what the server says, no more and no less."""

from __future__ import annotations

from pathlib import Path

import pytest

from .lens_client import FIXTURES, check, fixture


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


async def test_the_user_s_own_lines_and_functions(tmp_path: Path) -> None:
    """Known from the graph that PyTorch left beside the wrapper, and from the Python stack in the trace."""
    async with fixture("model", tmp_path, example=True) as (lens, files):
        await check(lens, files["model.py"])
        await check(lens, files["train.py"])
        await check(lens, files["user_triton.py"])
        await check(lens, files["models.py"])


CORPUS = sorted(path.name for path in (FIXTURES / "corpus").iterdir())


@pytest.mark.parametrize("name", CORPUS)
async def test_generated_files_of_every_style_without_a_trace_and_files_that_are_not_ours(
    tmp_path: Path, name: str
) -> None:
    async with fixture("corpus", tmp_path) as (lens, files):
        await check(lens, files[name])
