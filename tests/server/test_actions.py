"""Code actions as they are on the wire, and symbols of the whole workspace."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from perfcore.inductor.cache import SourceIndex

from .raw_client import RawClient
from .test_report_document import EXAMPLE, loaded, run

KERNEL = "triton_poi_fused__unsafe_view_mul_silu_2"
PLACE = {"start": {"line": 247, "character": 6}, "end": {"line": 247, "character": 6}}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    return tmp_path


def actions(client: RawClient, uri: str, **context: Any) -> list[dict[str, Any]]:
    document = {"textDocument": {"uri": uri}}
    diagnostics = client.request("textDocument/diagnostic", document)["items"]
    params = {**document, "range": PLACE, "context": {"diagnostics": diagnostics, **context}}
    found: list[dict[str, Any]] = client.request("textDocument/codeAction", params)
    return found


def test_the_actions_of_a_flagged_kernel(workspace: Path) -> None:
    uri = (workspace / "output_code.py").as_uri()
    trace = (workspace / "trace.json").as_uri()
    with RawClient() as client:
        settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
        client.initialize({"textDocument": {"diagnostic": {}}}, settings, workspace)
        client.open(uri, (workspace / "output_code.py").read_text())
        loaded(client)
        found = actions(client, uri)
        assert [(one["kind"], one["title"], one["command"]["command"]) for one in found] == [
            ("", "Show the launches", "inductorLens.showLaunches"),
            ("", "Open the slowest launch in the trace", "inductorLens.openWorstLaunch"),
            ("", "Copy the figures as Markdown", "inductorLens.copyMarkdown"),
            ("quickfix", f"Flag {KERNEL} no more", "inductorLens.ignoreKernel"),
        ]
        row = found[2]["command"]["arguments"][0]["id"]
        assert found[1]["command"]["arguments"] == [trace, row]
        assert found[2]["command"]["arguments"] == [{"uri": trace, "id": row}]
        shown = found[0]["command"]["arguments"]
        assert (shown[0], shown[1], len(shown[2]), shown[3]) == (
            uri,
            PLACE["start"],
            1,
            {"uri": trace, "id": row},
        )
        assert [one["code"] for one in found[3]["diagnostics"]] == ["low-bandwidth"]

        only = [one["kind"] for one in actions(client, uri, only=["quickfix"])]
        assert only == ["quickfix"]
        assert actions(client, uri, only=["refactor"]) == []
        assert len(actions(client, uri, only=[""])) == 4

        # Ignored, it is flagged no more, and a client that knows us is told to remember it.
        assert run(client, "ignoreKernel", KERNEL) is None
        assert client.notification("inductorLens/kernelIgnored") == {"kernel": KERNEL}
        assert client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"] == []
        assert len(actions(client, uri)) == 3
        assert client.leave() == 0


def test_a_client_is_offered_only_what_it_can_do_and_told_what_cannot_be_shown(workspace: Path) -> None:
    """One that never asked for our own requests copies nothing; one that shows no documents is told the place."""
    uri = (workspace / "output_code.py").as_uri()
    trace = (workspace / "trace.json").as_uri()
    with RawClient() as client:
        client.initialize({"textDocument": {"diagnostic": {}}}, {"traces": ["trace.json"]}, workspace)
        client.open(uri, (workspace / "output_code.py").read_text())
        place = {
            "textDocument": {"uri": uri},
            "position": PLACE["start"],
            "context": {"includeDeclaration": False},
        }
        for _ in range(200):
            if any(one["uri"] == trace for one in client.request("textDocument/references", place)):
                break
            time.sleep(0.05)  # the trace loads, and its places are counted
        found = actions(client, uri)
        titles = [one["title"] for one in found]
        assert titles == ["Show the launches", "Open the slowest launch in the trace"]
        assert run(client, "openWorstLaunch", trace, found[1]["command"]["arguments"][1]) is False
        said = client.notification("window/showMessage")
        assert said["message"] == f"The slowest launch is at {workspace / 'trace.json'}:76."
        run(client, "showReport")
        assert "`inductor-lens report`" in client.notification("window/showMessage")["message"]
        assert client.leave() == 0


def test_an_ignored_kernel_stays_ignored_when_settings_change(workspace: Path) -> None:
    uri = (workspace / "output_code.py").as_uri()
    settings = {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": 62}}
    with RawClient() as client:
        client.initialize({"textDocument": {"diagnostic": {}}}, settings, workspace)
        client.open(uri, (workspace / "output_code.py").read_text())
        loaded(client)
        document = {"textDocument": {"uri": uri}}
        assert len(client.request("textDocument/diagnostic", document)["items"]) == 1
        run(client, "ignoreKernel", KERNEL)
        settings["lowBandwidth"] = {"peakPercent": 65}
        client.notify("workspace/didChangeConfiguration", {"settings": {"inductorLens": settings}})
        for _ in range(200):
            items = client.request("textDocument/diagnostic", document)["items"]
            if items:
                break
            time.sleep(0.05)  # settings are asked for
        assert [one["data"]["kernel"] for one in items] == ["triton_red_fused_add_mean_mul_pow_rsqrt_0"]
        assert client.leave() == 0


def test_any_loaded_kernel_is_found_by_letters_of_its_name_each_once(workspace: Path) -> None:
    with RawClient() as client:
        client.initialize({}, {"traces": ["trace.json"]}, workspace)
        loaded(client)
        found: list[dict[str, Any]] = []
        for _ in range(100):
            found = client.request("workspace/symbol", {"query": "POI silu"})
            if "range" in found[0]["location"]:
                break
            time.sleep(0.05)  # the sources are looked for
        (one,) = found
        assert (one["name"], one["containerName"]) == (KERNEL, "3.19 TB/s")
        own = workspace / "cache" / "7l" / "c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py"
        assert one["location"]["uri"] == own.as_uri()
        assert one["location"]["range"]["start"] == {"line": 17, "character": 4}
        assert len(client.request("workspace/symbol", {"query": ""})) == 4
        assert client.request("workspace/symbol", {"query": "softmax"}) == []
        assert client.leave() == 0


def test_a_search_reads_only_the_files_that_hold_what_is_sought(workspace: Path) -> None:
    """A cache may hold ten thousand files, and a query comes with every key."""
    index = SourceIndex()
    index.add_directory(workspace / "cache")
    (found,) = index.files(lambda name: "silu" in name)
    assert [kernel.name for kernel in found.kernels] == [KERNEL]
    assert [entry.file is not None for entry in index._entries.values()].count(True) == 1
    assert len(list(index.files())) == 4


def test_a_launch_whose_source_is_ambiguous_offers_all_and_takes_none(workspace: Path) -> None:
    """Two kernels of one name that differ, and a trace that does not say which file it ran."""
    own = workspace / "cache" / "7l" / "c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py"
    other = workspace / "other.py"
    other.write_text(own.read_text().replace("tmp9 = tmp7 * tmp8", "tmp9 = tmp7 + tmp8"))
    (workspace / "output_code.py").unlink()
    trace = workspace / "trace.json"
    text = (
        trace.read_text().replace('"kernel_file"', '"was_kernel_file"').replace('"kernel_hash"', '"was_hash"')
    )
    trace.write_text(text)
    with RawClient() as client:
        settings = {"inductorCacheDirs": ["."]}
        client.initialize({"textDocument": {"diagnostic": {}}}, settings, workspace)
        client.open(trace.as_uri(), text, "json")
        loaded(client)
        line = next(number for number, line in enumerate(text.split("\n")) if KERNEL in line)
        where = {"textDocument": {"uri": trace.as_uri()}, "position": {"line": line, "character": 45}}
        found: list[dict[str, Any]] = []
        for _ in range(100):
            found = client.request("textDocument/definition", where)
            if len(found) == 2:
                break
            time.sleep(0.05)  # the sources are looked for
        assert sorted(one["uri"] for one in found) == sorted([own.as_uri(), other.as_uri()])
        document = {"textDocument": {"uri": trace.as_uri()}}
        said = client.request("textDocument/diagnostic", document)["items"]
        assert [(one["code"], one["severity"], one["range"]["start"]["line"]) for one in said] == [
            ("ambiguous-source", 3, line)
        ]
        text = client.request("textDocument/hover", where)["contents"]["value"]
        assert "Figures from trace arguments (V2)." in text
        # Neither of the two shows figures that may be the other's.
        client.open(other.as_uri(), other.read_text())
        (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": other.as_uri()}})
        assert client.request("codeLens/resolve", lens)["command"]["title"] == "1,536 MB · 1.342 GFLOP"
        assert client.leave() == 0
