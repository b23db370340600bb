"""Memory and answers of the server over a long time, in one run.

    python bench/server_memory.py [TRACE.json[.gz]] [--cycles 200] [--copies 10] [--reopen 10]

First the trace's events are repeated to `copies` times their number (about 600 MB) and loaded from disk, while a hover
on an open kernel file is asked over and over: its 95th percentile, how long a cancellation from the client's progress
takes and what memory it gives back, and the memory held when the trace was closed and opened again so many times.
Then the trace itself is opened and closed `cycles` times, by command and, every tenth time, as a document: the memory
held at the end against that after the first tenth.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.server.made_inputs import EXAMPLE, big_trace, repeated  # noqa: E402
from tests.server.raw_client import RawClient  # noqa: E402

WRAPPER = EXAMPLE / "output_code.py"
MOST_GROWTH = 1.1
MOST_HOVER_MS = 100
MOST_CANCEL_SECONDS = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path, nargs="?")
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--reopen", type=int, default=10)
    options = parser.parse_args()
    text = big_trace(options.trace)
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big.json"
        with big.open("wb") as file:
            file.writelines(repeated(text, options.copies))
        with RawClient() as client:
            while_loading(client, big)
            reopened(client, big, options.reopen)
        big.unlink()
        trace = Path(folder) / "trace.json"
        trace.write_bytes(text)
        opened_and_closed(trace, text.decode(), options.cycles)


def while_loading(client: RawClient, trace: Path) -> None:
    client.initialize({"window": {"workDoneProgress": True}})
    client.open(WRAPPER.as_uri(), WRAPPER.read_text())
    hover(client)
    before = resident_mb(client)
    run(client, "openTrace", trace.as_uri())
    token = client.notification("$/progress")["token"]
    times = [hover(client) for _ in range(50)]
    start = time.perf_counter()
    client.notify("window/workDoneProgress/cancel", {"token": token})
    while client.notification("$/progress")["value"]["kind"] != "end":
        pass
    took = time.perf_counter() - start
    assert settled(client) == "failed"
    run(client, "closeTrace", trace.as_uri())
    time.sleep(0.5)
    after = resident_mb(client)
    say("a load cancelled from its progress, seconds", took, MOST_CANCEL_SECONDS)
    say(f"memory then, of {before:.0f} MB before", after / before, MOST_GROWTH)

    times = []
    start = time.perf_counter()
    run(client, "openTrace", trace.as_uri())
    while state(client) == "loading":
        times.append(1e3 * hover(client))
    seconds, size = time.perf_counter() - start, trace.stat().st_size / 1e6
    times.sort()
    print(
        f"{size:.0f} MB, {launches(client):,} launches loaded in {seconds:.1f} s with {resident_mb(client):.0f} MB"
    )
    say(f"{len(times):,} hovers meanwhile, 95 % in ms", times[int(0.95 * len(times))], MOST_HOVER_MS)
    print(f"  the slowest took {times[-1]:.0f} ms")


def reopened(client: RawClient, trace: Path, count: int) -> None:
    """What is held each time when it is closed. The allocator gives back sooner or later, so the least of the later
    half counts, against that of the earlier."""
    held = []
    for _ in range(count):
        run(client, "closeTrace", trace.as_uri())
        time.sleep(0.5)
        held.append(resident_mb(client))
        run(client, "openTrace", trace.as_uri())
        assert settled(client) == "ready"
    print("  MB when closed:", *(f"{size:.0f}" for size in held))
    growth = min(held[count // 2 :]) / min(held[: count // 2])
    say(f"memory over {count} times closed and opened", growth, MOST_GROWTH)


def opened_and_closed(trace: Path, text: str, count: int) -> None:
    uri = trace.as_uri()
    early = 0.0
    with RawClient() as client:
        client.initialize()
        for number in range(count):
            if number % 10 == 9:
                client.open(uri, text, "json", version=number)
                assert settled(client) == "ready"
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            else:
                run(client, "openTrace", uri)
                assert settled(client) == "ready"
            run(client, "closeTrace", uri)
            if number == max(count // 10, 10):
                early = resident_mb(client)
        late = resident_mb(client)
    what = f"memory after {count} times {len(text) / 1e6:.0f} MB opened and closed, of {early:.0f} MB after a tenth"
    say(what, late / early, MOST_GROWTH)


def say(what: str, figure: float, limit: float) -> None:
    print(f"{what}: {figure:.2f} (limit {limit:g}){'  OVER' if figure > limit else ''}", flush=True)


def hover(client: RawClient) -> float:
    """Seconds that a hover on the open wrapper takes."""
    start = time.perf_counter()
    where = {"textDocument": {"uri": WRAPPER.as_uri()}, "position": {"line": 230, "character": 5}}
    client.request("textDocument/hover", where)
    return time.perf_counter() - start


def resident_mb(client: RawClient) -> float:
    pages = Path(f"/proc/{client.process.pid}/statm").read_text().split()[1]
    return int(pages) * 4096 / 1e6


def run(client: RawClient, name: str, *arguments: object) -> object:
    params = {"command": f"inductorLens.{name}", "arguments": list(arguments)}
    return client.request("workspace/executeCommand", params)


def state(client: RawClient) -> str:
    (trace,) = client.request("inductorLens/traces")["traces"]
    return str(trace["state"])


def launches(client: RawClient) -> int:
    (trace,) = client.request("inductorLens/traces")["traces"]
    return int(trace["triton_launches"])


def settled(client: RawClient) -> str:
    while (now := state(client)) == "loading":
        time.sleep(0.01)
    return now


if __name__ == "__main__":
    main()
