"""What is closed is forgotten: memory stays flat however often traces come and go. `bench/server_memory.py` does the
same with real traces of 62 and 600 MB."""

from __future__ import annotations

from pathlib import Path

import pytest

from .made_inputs import trace_of_size
from .raw_client import RawClient

STATM = Path("/proc/self/statm")


def resident_bytes(client: RawClient) -> int:
    return int(Path(f"/proc/{client.process.pid}/statm").read_text().split()[1]) * 4096


def wait_until_loaded(client: RawClient) -> None:
    while client.request("inductorLens/traces")["traces"][0]["state"] != "ready":
        client.pause(0.02)


@pytest.mark.skipif(not STATM.exists(), reason="reads the resident memory of a process from /proc")
@pytest.mark.parametrize(("way", "first", "last"), [("by command", 0, 9), ("as a document", 1, 5)])
def test_opening_and_closing_a_trace_leaves_memory_flat(
    way: str, first: int, last: int, tmp_path: Path
) -> None:
    """From the first time on that it was closed; of a document's text, the second."""
    text = trace_of_size(8_000_000)
    path = tmp_path / "trace.json"
    path.write_bytes(text)
    uri = path.as_uri()
    with RawClient() as client:
        client.initialize()
        held = []
        for number in range(last + 1):
            if way == "by command":
                arguments = {"command": "inductorLens.openTrace", "arguments": [uri]}
                client.request("workspace/executeCommand", arguments)
                wait_until_loaded(client)
            else:
                client.open(uri, text.decode(), "json", version=number)
                wait_until_loaded(client)
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            closing = {"command": "inductorLens.closeTrace", "arguments": [uri]}
            assert client.request("workspace/executeCommand", closing)
            assert client.request("inductorLens/traces")["traces"] == []
            held.append(resident_bytes(client))
        assert client.leave() == 0
    assert held[last] < 1.05 * held[first], [round(size / 1e6) for size in held]
