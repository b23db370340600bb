"""The report as a document, in every client: text, links, and who is told when it changes."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from .raw_client import ROOT, RawClient

EXAMPLE = ROOT / "examples" / "transformer_block"

TABLE = """\
## Kernels by recoverable time

 recoverable       time  launches       TB/s  of peak         MB      GFLOP  change  kernel
    201.4 µs   505.3 µs         1  3.19 TB/s     60 %      1,536      1.342          triton_poi_fused__unsafe_view_mul_silu_2 ↪ CACHE/7l/c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py:18
     39.6 µs   140.9 µs         1  3.81 TB/s     72 %        512      0.067          triton_poi_fused__unsafe_view_add_3 ↪ CACHE/iq/ciqcdmasu6gaqjpsckusydeadydc2hragvfxtiaufo7fcrzcqcyx.py:18
    28.75 µs    79.4 µs         1  3.38 TB/s     64 %    256.004      0.470          triton_red_fused_add_mean_mul_pow_rsqrt_0 ↪ CACHE/dh/cdhgiqet2rb44r7b5rf4pn6g3z5jyvs435vi2qsiwjknnmv42nzd.py:18
    17.23 µs    93.2 µs         1  4.32 TB/s     82 %    384.004      0.470          triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1 ↪ CACHE/6l/c6lnq5pv7525knh3vgqwqzd6zta6xiigb4w2iqnibz7rrmw5tejm.py:18
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    return tmp_path


def loaded(client: RawClient) -> None:
    """Waits until the settings' trace is loaded and its launches have places."""
    for _ in range(200):
        traces = client.request("inductorLens/traces")["traces"]
        if traces and traces[0]["state"] == "ready":
            row = client.request("inductorLens/report", {"uri": None})["kernels"][0]["id"]
            if client.request("inductorLens/launches", {"uri": None, "kernel": row})[0]["range"]:
                return
        time.sleep(0.05)
    raise AssertionError("the trace was not loaded")


def text_of(client: RawClient, uri: str) -> str:
    answer: dict[str, Any] = client.request("inductorLens/reportText", {"uri": uri})
    return str(answer["text"])


def run(client: RawClient, name: str, *arguments: object) -> Any:
    params = {"command": f"inductorLens.{name}", "arguments": list(arguments)}
    return client.request("workspace/executeCommand", params)


def test_the_kernels_by_recoverable_time_a_roofline_and_problems(workspace: Path) -> None:
    with RawClient() as client:
        client.initialize({}, {"traces": ["trace.json"]}, workspace)
        loaded(client)
        uri = run(client, "showReport")
        assert uri == "inductor-lens:/report/active.md"
        text = text_of(client, uri)
        assert TABLE.replace("CACHE", str(workspace / "cache")) in text
        assert "AMD Instinct MI300X, peak 5.3 TB/s · 4 Triton launches in 818.8 µs" in text
        assert "A  0.833 FLOP/byte, 2.66 TFLOPS/s  triton_poi_fused__unsafe_view_mul_silu_2\n" in text
        assert text.endswith("## Problems\n\nNone.\n")

        # Every line of the table leads to its kernel.
        links = client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
        assert len(links) == 4
        line = text.split("\n")[links[0]["range"]["start"]["line"]]
        assert line[links[0]["range"]["start"]["character"] :].startswith(str(workspace / "cache"))
        assert links[0]["target"].endswith("/c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py#L18")

        # A trace's own report, by its URI.
        own = run(client, "showReport", (workspace / "trace.json").as_uri())
        assert own.startswith("inductor-lens:/report/trace.json.md?file%3A")
        assert text_of(client, own) == text
        # And with a baseline, what changed.
        shutil.copy(workspace / "trace.json", workspace / "same.json")
        run(client, "selectBaseline", (workspace / "same.json").as_uri())
        for _ in range(100):
            if "±0 %" in text_of(client, own):
                break
            time.sleep(0.05)
        assert text_of(client, own).count("±0 %") == 4
        assert client.leave() == 0


def test_without_a_trace_it_says_so_and_what_is_no_report_has_no_text() -> None:
    with RawClient() as client:
        client.initialize()
        assert "No trace is loaded" in text_of(client, "inductor-lens:/report/active.md")
        for uri in ("file:///a.md", "inductor-lens:/other", "", "inductor-lens:"):
            assert client.request("inductorLens/reportText", {"uri": uri}) == {"text": None}
        assert client.leave() == 0


def test_a_client_with_virtual_documents_registers_opens_and_refreshes_them(workspace: Path) -> None:
    """LSP 3.18's workspace/textDocumentContent."""
    capabilities = {
        "workspace": {"textDocumentContent": {"dynamicRegistration": True}},
        "window": {"showDocument": {"support": True}},
    }
    with RawClient() as client:
        client.initialize(capabilities, {"traces": ["trace.json"]}, workspace)
        loaded(client)
        uri = run(client, "showReport")
        content = client.request("workspace/textDocumentContent", {"uri": uri})
        assert TABLE.replace("CACHE", str(workspace / "cache")) in content["text"]
        registered = [
            (one["method"], one["registerOptions"])
            for request in client.requests
            for one in request["params"].get("registrations", ())
        ]
        assert ("workspace/textDocumentContent", {"schemes": ["inductor-lens"]}) in registered
        shown = [r["params"]["uri"] for r in client.requests if r["method"] == "window/showDocument"]
        assert shown == [uri]

        def refreshed() -> list[object]:
            method = "workspace/textDocumentContent/refresh"
            return [r["params"] for r in client.requests if r["method"] == method]

        for _ in range(200):  # changes are told a moment after the trace is there
            if {"uri": uri} in refreshed():
                break
            time.sleep(0.05)
        assert {"uri": uri} in refreshed()
        assert client.leave() == 0


def test_the_slowest_launch_is_opened_at_its_place(workspace: Path) -> None:
    with RawClient() as client:
        client.initialize(
            {"window": {"showDocument": {"support": True}}}, {"traces": ["trace.json"]}, workspace
        )
        loaded(client)
        trace = (workspace / "trace.json").as_uri()
        kernels = client.request("inductorLens/report", {"uri": trace})["kernels"]
        row = next(row["id"] for row in kernels if "silu" in row["name"])
        assert run(client, "openWorstLaunch", trace, row) is True
        client.request("inductorLens/traces")  # the request to the client went before this answer
        (shown,) = (r["params"] for r in client.requests if r["method"] == "window/showDocument")
        assert shown["uri"] == trace
        line = (workspace / "trace.json").read_text().split("\n")[shown["selection"]["start"]["line"] + 1]
        assert "triton_poi_fused__unsafe_view_mul_silu_2" in line
        assert run(client, "openWorstLaunch", trace, "no such row") is False
        assert client.leave() == 0
