"""Commands take what clients send: a URI, or null where the contract allows it."""

from __future__ import annotations

import asyncio
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


async def test_a_trace_that_is_none_is_said_once(tmp_path: Path) -> None:
    """By the server to a client that only runs the command; a client that asks for traces shows it itself."""
    broken = tmp_path / "broken.json"
    broken.write_text('{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": []}')
    for asks in (False, True):
        async with serving(tmp_path) as lens:
            if asks:
                await lens.traces()
            await lens.command("openTrace", broken.as_uri())
            for _ in range(100):
                if lens.client.diagnostics.get(broken.as_uri()):
                    break
                await asyncio.sleep(0.05)
            messages = [message.message for message in lens.client.messages]
            assert len(messages) == (0 if asks else 1), messages
