"""The server's answers against an empty pygls server's, with a big trace and a corpus version loaded, in one run.

    python bench/server_latency.py [TRACE.json[.gz]] [corpus version folder]

The two servers are asked in turns. For hover, lenses, hints of one screen, diagnostics and more, in a wrapper and in
the trace itself as an open document, it prints the median and the 99th percentile of the round trip, and the median's
ratio to that of an empty handler of the same request. Then the start-up, also in turns: from the process's start to
`initialized`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.server.made_inputs import EXAMPLE, big_trace, wrapper_of_kernels  # noqa: E402
from tests.server.raw_client import RawClient  # noqa: E402

Json = dict[str, Any]
Ask = Callable[[RawClient], Any]

CORPUS = ROOT / "tests" / "corpus" / "2.13.0"
ROUNDS = 400
STARTS = 7
MOST_TIMES_EMPTY = 1.5
MOST_MS = 20.0
EMPTY = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("empty", "1")
for method in ("hover", "codeLens", "inlayHint", "diagnostic", "definition", "documentSymbol"):
    server.feature("textDocument/" + method)(lambda params: None)
server.feature("codeLens/resolve")(lambda lens: lens)
server.start_io()
"""


def main() -> None:
    text = big_trace(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    corpus = Path(sys.argv[2]) if len(sys.argv) > 2 else CORPUS
    text = text.replace(b'}, {"ph"', b'},\n{"ph"')  # a screen of a trace on one line would be all of it
    empty_command = [sys.executable, "-c", EMPTY]
    with (
        tempfile.TemporaryDirectory() as folder,
        RawClient() as ours,
        RawClient(command=empty_command) as empty,
    ):
        trace = Path(folder) / "trace.json"
        trace.write_bytes(text)
        empty.initialize()
        ours.initialize(options={"inductorCacheDirs": [str(corpus)], "traces": [str(EXAMPLE / "trace.json")]})
        run(ours, "openTrace", trace.as_uri())
        ready(ours, 2)
        ours.request("workspace/symbol", {"query": "triton"})  # so that every source of the corpus is read
        run(ours, "selectTrace", (EXAMPLE / "trace.json").as_uri())
        print(f"{len(text) / 1e6:.0f} MB of trace and {corpus.name} loaded")
        say_all("in the example's wrapper", in_a_wrapper(ours, empty), ours, empty)
        say_all("in the trace as a document", in_the_trace(ours, trace.as_uri(), text.decode()), ours, empty)
        say_all("in a wrapper of 200 kernels (no limit)", lenses_of_many(ours), ours, empty, limited=False)
    print()
    start_ups(empty_command)


def in_a_wrapper(ours: RawClient, empty: RawClient) -> dict[str, Ask]:
    wrapper = EXAMPLE / "output_code.py"
    lines = wrapper.read_text().split("\n")
    uri = wrapper.as_uri()
    for client in (ours, empty):
        client.open(uri, wrapper.read_text())
    document = {"textDocument": {"uri": uri}}
    kernel = next(number for number, line in enumerate(lines) if line.startswith("triton_poi_fused__unsafe"))
    call = next(number for number, line in enumerate(lines) if ".run(" in line)
    on_kernel = {**document, "position": {"line": kernel, "character": 5}}
    lens = ours.request("textDocument/codeLens", document)[2]
    assert "TB/s" in ours.request("codeLens/resolve", lens)["command"]["title"]
    assert "TB/s" in ours.request("textDocument/hover", on_kernel)["contents"]["value"]
    elsewhere = {"textDocument": {"uri": "file:///some/where.py"}, "position": {"line": 0, "character": 0}}
    return {
        "hover": asking("textDocument/hover", on_kernel),
        "hover on nothing": asking(
            "textDocument/hover", {**document, "position": {"line": 0, "character": 0}}
        ),
        "hover elsewhere": asking("textDocument/hover", elsewhere),
        "lenses": asking("textDocument/codeLens", document),
        "resolve a lens": asking("codeLens/resolve", lens),
        "hints of a screen": asking("textDocument/inlayHint", {**document, "range": screen(call - 10)}),
        "diagnostics": asking("textDocument/diagnostic", document),
        "definition": asking("textDocument/definition", on_kernel),
    }


def in_the_trace(ours: RawClient, uri: str, text: str) -> dict[str, Ask]:
    ours.open(uri, text, "json")
    ready(ours, 2)
    document = {"textDocument": {"uri": uri}}
    lines = text.split("\n")
    launches = [n for n, line in enumerate(lines) if '"cpu_op"' in line and '"name": "triton_' in line]
    launch = launches[len(launches) // 2]
    on_launch = {**document, "position": {"line": launch, "character": lines[launch].index('"triton_') + 3}}
    assert ours.request("textDocument/hover", on_launch) is not None
    return {
        "hover": asking("textDocument/hover", on_launch),
        "hints of a screen": asking("textDocument/inlayHint", {**document, "range": screen(launch - 10)}),
        "diagnostics": asking("textDocument/diagnostic", document),
        "definition": asking("textDocument/definition", on_launch),
    }


def lenses_of_many(ours: RawClient) -> dict[str, Ask]:
    text, _ = wrapper_of_kernels(200)
    document = {"textDocument": {"uri": "file:///many/output_code.py"}}
    ours.open(document["textDocument"]["uri"], text)
    return {
        "lenses": asking("textDocument/codeLens", document),
        "diagnostics": asking("textDocument/diagnostic", document),
        "symbols": asking("textDocument/documentSymbol", document),
    }


def asking(method: str, params: Json) -> Ask:
    return lambda client: client.request(method, params)


def screen(line: int) -> Json:
    return {"start": {"line": line, "character": 0}, "end": {"line": line + 50, "character": 0}}


def say_all(
    where: str, asks: dict[str, Ask], ours: RawClient, empty: RawClient, *, limited: bool = True
) -> None:
    print(f"\n{where}")
    for name, ask in asks.items():
        mine: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            mine.append(milliseconds(ask, ours))
            theirs.append(milliseconds(ask, empty))
        median, slow, base_slow = statistics.median(mine), slowest(mine), slowest(theirs)
        ratio = median / statistics.median(theirs)
        over = limited and (ratio > MOST_TIMES_EMPTY or slow > MOST_MS)
        print(
            f"  {name:18} {median:6.2f} ms, {ratio:5.2f} of empty; 99 % {slow:6.2f} ms, empty {base_slow:6.2f} ms"
            f"{'  OVER' if over else ''}"
        )


def slowest(times: list[float]) -> float:
    """The 99th percentile."""
    return sorted(times)[int(0.99 * len(times))]


def milliseconds(ask: Ask, client: RawClient) -> float:
    start = time.perf_counter()
    ask(client)
    return 1e3 * (time.perf_counter() - start)


def start_ups(empty_command: list[str]) -> None:
    """The fastest of some, which is what the program itself takes: to the answer that the client says `initialized`
    to, and on to the first answer about a document."""
    ours: list[tuple[float, float]] = []
    empty: list[tuple[float, float]] = []
    for _ in range(STARTS):
        ours.append(start_up(None))
        empty.append(start_up(empty_command))
    for index, what in enumerate(("start to initialized", "and to the first hover (no limit)")):
        best, base = min(times[index] for times in ours), min(times[index] for times in empty)
        over = "  OVER" if index == 0 and best / base > MOST_TIMES_EMPTY else ""
        print(f"{what:34} {best:.2f} s, {best / base:.2f} of empty{over}")


def start_up(command: list[str] | None) -> tuple[float, float]:
    start = time.perf_counter()
    nowhere = {"textDocument": {"uri": "file:///none.py"}, "position": {"line": 0, "character": 0}}
    with RawClient(command=command) as client:
        client.initialize()
        initialized = time.perf_counter() - start
        client.request("textDocument/hover", nowhere)
        return initialized, time.perf_counter() - start


def run(client: RawClient, name: str, *arguments: object) -> object:
    params = {"command": f"inductorLens.{name}", "arguments": list(arguments)}
    return client.request("workspace/executeCommand", params)


def ready(client: RawClient, traces: int) -> None:
    """Waits until so many traces are loaded and the places of their launches are counted."""
    quiet = 0
    while quiet < 10:
        states = [trace["state"] for trace in client.request("inductorLens/traces")["traces"]]
        quiet = quiet + 1 if len(states) == traces and "loading" not in states else 0
        client.pause(0.1)


if __name__ == "__main__":
    main()
