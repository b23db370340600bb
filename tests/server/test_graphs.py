"""Who calls a kernel is known of every wrapper in the workspace and the caches, not of open ones alone."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from lsprotocol import types

from tests.ground_truth import CORPUS

from .lens_client import LensClient, serving

MODEL = CORPUS / "2.13.0" / "transformer_block_bf16"


async def test_callers_and_references_of_a_kernel_whose_wrapper_is_not_open(tmp_path: Path) -> None:
    """Inductor wrote the wrapper twice: to the debug folder and to the cache. It is one graph."""
    shutil.copytree(MODEL, tmp_path / "model")
    wrapper = tmp_path / "model" / "output_code.py"
    twins = [path for path in (tmp_path / "model" / "cache").rglob("*.py") if "def call" in path.read_text()]
    assert len(twins) == 1
    kernel = next(
        path
        for path in (tmp_path / "model" / "cache").rglob("*.py")
        if "silu_2(" in path.read_text() and path not in twins
    )
    line = (
        kernel.read_text()
        .split("\n")
        .index(
            "def triton_poi_fused__unsafe_view_mul_silu_2(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):"
        )
    )
    call = next(
        number for number, text in enumerate(wrapper.read_text().split("\n"), 1) if "silu_2.run(" in text
    )
    async with serving(tmp_path) as lens:
        await lens.open(kernel)
        await lens.settled()
        at = types.Position(line, 10)
        await said(lens, kernel, at, [f"output_code.py call: {call}"])
        assert await lens.navigate("references", kernel.as_uri(), line, 10) == [
            f"model/output_code.py:{call} triton_poi_fused__unsafe_view_mul_silu_2"
        ]
        document = types.TextDocumentIdentifier(kernel.as_uri())
        prepared = types.CallHierarchyPrepareParams(document, at)
        (item,) = await lens.client.text_document_prepare_call_hierarchy_async(prepared) or []
        incoming = types.CallHierarchyIncomingCallsParams(item)
        (caller,) = await lens.client.call_hierarchy_incoming_calls_async(incoming) or []
        assert caller.from_.uri == wrapper.as_uri()
        outgoing = types.CallHierarchyOutgoingCallsParams(caller.from_)
        called = await lens.client.call_hierarchy_outgoing_calls_async(outgoing) or []
        assert [one.to.name[-1] for one in called] == ["0", "1", "2", "3"]

        # What an editor holds of the wrapper counts instead of the disk.
        await lens.open(wrapper, "# shifted\n" + wrapper.read_text())
        await said(lens, kernel, at, [f"output_code.py call: {call + 1}"])


async def said(lens: LensClient, kernel: Path, at: types.Position, callers: list[str]) -> None:
    """Waits until these are the callers: files are looked for in the background."""
    for _ in range(200):
        found = await lens.calls("callers", kernel.as_uri(), at)
        if found == callers:
            return
        await asyncio.sleep(0.05)
    assert found == callers
