"""The server's answers against an empty pygls server's, in one run, with a big trace and a corpus version loaded.

    python bench/server_latency.py TRACE [corpus version folder]

TRACE is a real trace such as sd35.mi300x.json(.gz); it is unpacked and loaded from disk, and its first 34 MB are not
needed open. For hover, lens (list and resolve), hints of one screen and diagnostics it prints the median and the 99th
percentile of the round trip, and the median's ratio to an empty handler's. Then start-up: process start to the
answer to `initialize`, and what a hover waits while the trace loads.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.server.raw_client import RawClient  # noqa: E402

ROUNDS = 400
STARTS = 5
EMPTY = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("empty", "1")

@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params):
    return None

server.start_io()
"""


def round_trips(ask: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Median and 99th percentile in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        ask()
        times.append(1e3 * (time.perf_counter() - start))
    times.sort()
    return statistics.median(times), times[int(0.99 * len(times))]


def hover_at(client: RawClient, uri: str, line: int, column: int) -> Any:
    position = {"line": line, "character": column}
    return client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})


def ready(client: RawClient, traces: int) -> None:
    while True:
        states = [trace["state"] for trace in client.request("inductorLens/traces")["traces"]]
        if len(states) == traces and "loading" not in states:
            return
        time.sleep(0.05)


def start_up(command: list[str] | None) -> float:
    """Seconds from the process's start to the answer to `initialize`; the fastest of some."""
    best = float("inf")
    for _ in range(STARTS):
        start = time.perf_counter()
        with RawClient(command=command) as client:
            client.initialize()
            best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    empty = [sys.executable, "-c", EMPTY]
    packed = Path(sys.argv[1])
    corpus = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests/corpus/2.13.0"
    wrapper = ROOT / "examples/transformer_block/output_code.py"
    document = {"textDocument": {"uri": wrapper.as_uri()}}
    lines = wrapper.read_text().split("\n")
    line = next(number for number, text in enumerate(lines) if text.startswith("triton_poi_fused__unsafe"))
    call = next(number for number, text in enumerate(lines) if ".run(" in text)
    screen = {"start": {"line": call - 10, "character": 0}, "end": {"line": call + 40, "character": 0}}

    with RawClient(command=empty) as client:
        client.initialize()
        client.open(wrapper.as_uri(), wrapper.read_text())
        base, base_worst = round_trips(lambda: hover_at(client, wrapper.as_uri(), line, 5))
    print(f"empty pygls handler   {base:7.2f} ms  99 % {base_worst:7.2f} ms")

    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        raw = packed.read_bytes()
        trace.write_bytes(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
        example = ROOT / "examples/transformer_block/trace.json"
        with RawClient() as client:
            client.initialize(options={"inductorCacheDirs": [str(corpus)]})
            client.open(wrapper.as_uri(), wrapper.read_text())
            client.request("textDocument/codeLens", document)
            client.request("workspace/executeCommand", _command("openTrace", trace.as_uri()))
            worst, loading = 0.0, 0
            while client.request("inductorLens/traces")["traces"][0]["state"] == "loading":
                start = time.perf_counter()
                hover_at(client, wrapper.as_uri(), line, 5)
                worst, loading = max(worst, time.perf_counter() - start), loading + 1
            client.request("workspace/executeCommand", _command("openTrace", example.as_uri()))
            ready(client, 2)
            time.sleep(1)  # the places of the launches are counted
            lens = client.request("textDocument/codeLens", document)[2]
            asks: dict[str, Callable[[], object]] = {
                "hover": lambda: hover_at(client, wrapper.as_uri(), line, 5),
                "hover on nothing": lambda: hover_at(client, wrapper.as_uri(), 0, 0),
                "hover elsewhere": lambda: hover_at(client, "file:///somewhere/else.py", 0, 0),
                "lenses": lambda: client.request("textDocument/codeLens", document),
                "resolve a lens": lambda: client.request("codeLens/resolve", lens),
                "hints of a screen": lambda: client.request(
                    "textDocument/inlayHint", {**document, "range": screen}
                ),
                "diagnostics": lambda: client.request("textDocument/diagnostic", document),
            }
            assert "TB/s" in hover_at(client, wrapper.as_uri(), line, 5)["contents"]["value"]
            for name, ask in asks.items():
                median, slow = round_trips(ask)
                print(f"{name:21} {median:7.2f} ms  99 % {slow:7.2f} ms  {median / base:5.2f} of empty")
            print(f"hover while loading   worst of {loading}: {1e3 * worst:.1f} ms")

    ours, theirs = start_up(None), start_up(empty)
    print(f"start to initialized  {ours:.2f} s  {ours / theirs:.2f} of empty")


def _command(name: str, *arguments: object) -> dict[str, object]:
    return {"command": f"inductorLens.{name}", "arguments": list(arguments)}


if __name__ == "__main__":
    main()
