"""Commands take what clients send: a URI, or null where the contract allows it."""

from __future__ import annotations

import shutil
from pathlib import Path

from .lens_client import EXAMPLE, serving


async def test_a_baseline_is_chosen_and_given_up(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "trace.json", tmp_path / "now.json")
    shutil.copy(EXAMPLE / "trace.json", tmp_path / "before.json")
    before = (tmp_path / "before.json").as_uri()
    async with serving(tmp_path, {"traces": ["now.json", "before.json"]}) as lens:
        lens.configured_traces = 2
        await lens.settled()
        assert (await lens.traces()).baseline is None
        await lens.command("selectBaseline", before)
        assert (await lens.traces()).baseline == before
        await lens.command("selectBaseline", None)
        assert (await lens.traces()).baseline is None
