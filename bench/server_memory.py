"""Memory and answers of the server over a long time, in one run.

    python bench/server_memory.py TRACE [cycles] [copies]

TRACE is a real trace such as sd35.mi300x.json(.gz). First it is opened and closed so many times (200), by command
and, every tenth time, as a document: the memory held at the end against that after the first tenth. Then its events
are repeated to `copies` (10) times their number and loaded from disk, while a hover on an open kernel file is asked
over and over: its 95th percentile, how long a cancellation takes, and the memory before and after.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.server.raw_client import RawClient  # noqa: E402

WRAPPER = ROOT / "examples" / "transformer_block" / "output_code.py"


def resident_mb(client: RawClient) -> float:
    pages = Path(f"/proc/{client.process.pid}/statm").read_text().split()[1]
    return int(pages) * 4096 / 1e6


def command(client: RawClient, name: str, *arguments: object) -> object:
    params = {"command": f"inductorLens.{name}", "arguments": list(arguments)}
    return client.request("workspace/executeCommand", params)


def settled(client: RawClient) -> str:
    while True:
        (trace,) = client.request("inductorLens/traces")["traces"]
        if trace["state"] != "loading":
            return str(trace["state"])
        time.sleep(0.01)


def hover(client: RawClient) -> float:
    """Seconds that a hover on the open wrapper takes."""
    start = time.perf_counter()
    where = {"textDocument": {"uri": WRAPPER.as_uri()}, "position": {"line": 230, "character": 5}}
    client.request("textDocument/hover", where)
    return time.perf_counter() - start


def cycles(trace: Path, text: str, count: int) -> None:
    with RawClient() as client:
        client.initialize()
        uri = trace.as_uri()
        early = 0.0
        for number in range(count):
            if number % 10 == 9:
                client.open(uri, text, "json", version=number)
                assert settled(client) == "ready"
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            else:
                command(client, "openTrace", uri)
                assert settled(client) == "ready"
            command(client, "closeTrace", uri)
            if number == max(count // 10, 10):
                early = resident_mb(client)
        late = resident_mb(client)
    print(
        f"{count} times opened and closed: {early:.0f} MB after a tenth, {late:.0f} MB at the end, {late / early:.2f}"
    )


def repeated(text: str, copies: int, path: Path) -> None:
    """The trace's events so many times, as one file."""
    start = text.index("[", text.index('"traceEvents"')) + 1
    end = text.rindex("]")
    with path.open("w") as file:
        file.write(text[:start])
        for number in range(copies):
            file.write(("," if number else "") + text[start:end].strip().rstrip(","))
        file.write(text[end:])


def while_loading(path: Path) -> None:
    with RawClient() as client:
        client.initialize({"window": {"workDoneProgress": True}})
        client.open(WRAPPER.as_uri(), WRAPPER.read_text())
        hover(client)
        before = resident_mb(client)
        for what in ("cancelled", "loaded"):
            command(client, "openTrace", path.as_uri())
            token = client.notification("$/progress")["token"]
            times = []
            start = time.perf_counter()
            while client.request("inductorLens/traces")["traces"][0]["state"] == "loading":
                times.append(hover(client))
                if what == "cancelled" and time.perf_counter() - start > 1:
                    break
            if what == "cancelled":
                start = time.perf_counter()
                client.notify("window/workDoneProgress/cancel", {"token": token})
                assert settled(client) == "failed"
                print(f"cancelled after {time.perf_counter() - start:.2f} s")
                command(client, "closeTrace", path.as_uri())
                time.sleep(0.5)
                print(f"memory {before:.0f} MB before, {resident_mb(client):.0f} MB after")
            else:
                times.sort()
                size = path.stat().st_size / 1e6
                print(
                    f"{size:.0f} MB loaded in {time.perf_counter() - start:.1f} s with {resident_mb(client):.0f} MB; "
                    f"{len(times)} hovers meanwhile: 95 % {1e3 * times[int(0.95 * len(times))]:.0f} ms, "
                    f"worst {1e3 * times[-1]:.0f} ms"
                )


def main() -> None:
    raw = Path(sys.argv[1]).read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big.json"
        repeated(text, int(sys.argv[3]) if len(sys.argv) > 3 else 10, big)
        while_loading(big)
        trace = Path(folder) / "trace.json"
        trace.write_text(text)
        cycles(trace, text, int(sys.argv[2]) if len(sys.argv) > 2 else 200)


if __name__ == "__main__":
    main()
