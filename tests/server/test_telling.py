"""What the server says by itself: pushed diagnostics, progress, its log."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .made_inputs import repetitions_in, trace_of_size
from .raw_client import ROOT, RawClient

EXAMPLE = ROOT / "examples" / "transformer_block"
INPUTS = ROOT / "tests" / "inputs"
KERNEL = "triton_poi_fused__unsafe_view_mul_silu_2"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    return tmp_path


def messages(client: RawClient, seconds: float) -> Iterator[dict[str, Any]]:
    """The notifications of some time."""
    import queue

    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            yield client.notifications.get(timeout=left)
        except queue.Empty:
            return


def published(client: RawClient, uri: str, seconds: float = 20) -> list[dict[str, Any]]:
    """The first diagnostics pushed for a document that are not empty."""
    for message in messages(client, seconds):
        if message["method"] == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
            found: list[dict[str, Any]] = message["params"]["diagnostics"]
            if found:
                return found
    raise AssertionError(f"nothing was said of {uri}")


def test_diagnostics_are_pushed_to_a_client_that_does_not_ask(workspace: Path) -> None:
    wrapper = workspace / "output_code.py"
    with RawClient() as client:
        settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
        client.initialize({}, settings, workspace)
        client.open(wrapper.as_uri(), wrapper.read_text(), version=7)
        (one,) = published(client, wrapper.as_uri())
        assert one["code"] == "low-bandwidth"
        assert one["source"] == "Inductor Lens"
        assert one["severity"] == 2
        assert one["message"].startswith(f"{KERNEL} moves 3.19 TB/s, 60 % of its peak of 5.3 TB/s")
        assert one["data"]["launches"] == 1
        assert round(one["data"]["recoverable_us"], 1) == 201.4
        page, _, anchor = one["codeDescription"]["href"].removeprefix("file://").partition("#")
        assert f"### {anchor}" in Path(page).read_text().split("\n")

        # Closing the document takes them back.
        client.notify("textDocument/didClose", {"textDocument": {"uri": wrapper.as_uri()}})
        last = [
            message["params"]["diagnostics"]
            for message in messages(client, 1)
            if message["method"] == "textDocument/publishDiagnostics"
        ]
        assert last == [[]]
        assert client.leave() == 0


def test_a_client_that_asks_is_told_nothing_twice(workspace: Path) -> None:
    wrapper = workspace / "output_code.py"
    with RawClient() as client:
        settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
        client.initialize({"textDocument": {"diagnostic": {}}}, settings, workspace)
        client.open(wrapper.as_uri(), wrapper.read_text())
        pushed = [m for m in messages(client, 2) if m["method"] == "textDocument/publishDiagnostics"]
        assert pushed == []
        document = {"textDocument": {"uri": wrapper.as_uri()}}
        assert len(client.request("textDocument/diagnostic", document)["items"]) == 1
        assert client.leave() == 0


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("09-truncated.json", "trace-damaged", "ends in the middle"),
        ("09-truncated.json.gz", "trace-damaged", "ends in the middle"),
        ("18-no-record-shapes.json", "missing-shapes", "record_shapes=True"),
        ("30-execution-trace-not-chrome.json", "not-a-trace", "execution trace"),
    ],
)
def test_what_is_wrong_with_a_trace_is_said_of_its_file_though_it_is_not_open(
    tmp_path: Path, name: str, code: str, words: str
) -> None:
    shutil.copy(INPUTS / name, tmp_path)
    with RawClient() as client:
        client.initialize({"textDocument": {"diagnostic": {}}}, {"traces": [name]}, tmp_path)
        found = published(client, (tmp_path / name).as_uri())
        assert [one for one in found if one["code"] == code and words in one["message"]], found
        assert client.leave() == 0


def test_a_problem_of_an_open_trace_stands_at_its_place(tmp_path: Path) -> None:
    text = (INPUTS / "03-unescaped-quote.json").read_text()
    uri = (tmp_path / "trace.json").as_uri()
    with RawClient() as client:
        client.initialize()
        client.open(uri, text, "json")
        damaged = [one for one in published(client, uri) if one["code"] == "trace-damaged"]
        lines = [text.split("\n")[one["range"]["start"]["line"]] for one in damaged]
        assert lines, "nothing was said of the damage"
        assert all('"' in line for line in lines)
        assert client.leave() == 0


def test_progress_is_shown_and_cancelling_it_gives_up_within_half_a_second(tmp_path: Path) -> None:
    trace = tmp_path / "big.json"
    trace.write_bytes(trace_of_size(60_000_000))
    with RawClient() as client:
        client.initialize({"window": {"workDoneProgress": True}}, None, tmp_path)
        client.request(
            "workspace/executeCommand", {"command": "inductorLens.openTrace", "arguments": [trace.as_uri()]}
        )
        begin = client.notification("$/progress")
        assert begin["value"]["kind"] == "begin"
        assert begin["value"]["title"] == "Reading big.json"
        assert begin["value"]["cancellable"] is True
        report = client.notification("$/progress")
        assert report["value"]["kind"] == "report"
        assert 0 < report["value"]["percentage"] < 100
        client.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
        start = time.monotonic()
        while client.notification("$/progress")["value"]["kind"] != "end":
            pass
        assert time.monotonic() - start < 2  # half a second by the bench; a busy machine is slower
        (entry,) = client.request("inductorLens/traces")["traces"]
        assert (entry["state"], entry["message"]) == ("failed", "Loading was cancelled.")
        # Asked for once more it is loaded.
        client.request(
            "workspace/executeCommand", {"command": "inductorLens.openTrace", "arguments": [trace.as_uri()]}
        )
        while client.request("inductorLens/traces")["traces"][0]["state"] == "loading":
            time.sleep(0.05)
        (entry,) = client.request("inductorLens/traces")["traces"]
        assert (entry["state"], entry["triton_launches"]) == ("ready", 4 * repetitions_in(60_000_000))
        assert client.leave() == 0


def test_the_log_has_one_line_a_problem_for_the_client_and_for_the_file(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with RawClient("--log-file", str(log)) as client:
        client.initialize({}, {"traces": 3, "inductorCacheDirs": [str(tmp_path / "missing")]}, tmp_path)
        lines = [m["params"] for m in messages(client, 5) if m["method"] == "window/logMessage"]
        assert {(line["type"], line["message"]) for line in lines} == {
            (2, "Setting inductorLens.traces is ignored: a list of strings is wanted."),
            (2, f"The Inductor cache directory {tmp_path / 'missing'} does not exist or cannot be read."),
        }
        assert len(lines) == 2
        assert client.leave() == 0
        assert client.stderr == b""
    text = log.read_text()
    assert "Setting inductorLens.traces is ignored" in text
    assert text.count("\n") == 2


def test_details_are_logged_while_tracing_is_on(tmp_path: Path) -> None:
    with RawClient() as client:
        client.initialize()
        client.notify("$/setTrace", {"value": "verbose"})
        client.open("file:///t.json", json.dumps({"traceEvents": []}), "json")
        logged = client.notification("window/logMessage")
        assert (logged["type"], logged["message"]) == (4, "Read file:///t.json: 0 launches")
        client.notify("$/setTrace", {"value": "off"})
        client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///t.json"}})
        client.open("file:///u.json", json.dumps({"traceEvents": []}), "json")
        assert [m for m in messages(client, 1) if m["method"] == "window/logMessage"] == []
        assert client.leave() == 0


KERNEL_FILE = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_heuristics

@triton_heuristics.pointwise(
    size_hints={'x': 1048576},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}},
    inductor_meta={'kernel_name': 'triton_poi_fused_add_0'},
)
@triton.jit
def triton_poi_fused_add_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), None)
    tmp1 = tl.load(in_ptr1 + (xindex), None)
    tl.store(out_ptr0 + (xindex), tmp0 + tmp1, None)
"""


def test_a_kernel_s_source_gives_the_figures_that_a_recording_lacks(tmp_path: Path) -> None:
    """The trace has no shapes, which stays said; the kernel's file, opened later, knows what it moves: 12 MiB in
    9.25 µs."""
    trace, kernel = (tmp_path / name for name in ("trace.json", "kernel.py"))
    text = (INPUTS / "18-no-record-shapes.json").read_text()
    with RawClient() as client:
        client.initialize({"textDocument": {"diagnostic": {}}}, None, tmp_path)
        client.open(trace.as_uri(), text, "json")
        client.open(kernel.as_uri(), KERNEL_FILE)
        (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": kernel.as_uri()}})
        title = ""
        for _ in range(200):
            (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": kernel.as_uri()}})
            title = client.request("codeLens/resolve", lens)["command"]["title"]
            if "TB/s" in title:
                break
            time.sleep(0.05)
        assert title == "1.36 TB/s · 67 % of peak · 12 MB · 0.001 GFLOP · 9.25 µs × 1"
        document = {"textDocument": {"uri": trace.as_uri()}}
        said = client.request("textDocument/diagnostic", document)["items"]
        assert [one["code"] for one in said] == ["missing-shapes"]
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr
