"""Workspaces: several folders, settings that change while the server runs, files that change under it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from lsprotocol import types

from .lens_client import EXAMPLE, LensClient, full_capabilities, serving
from .raw_client import RawClient
from .test_traces import eventually, slower

WRAPPER = "output_code.py"
OWN_FILE = "cache/7l/c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py"
SWIGLU_LINE = 230


def example(workspace: Path) -> Path:
    shutil.copytree(EXAMPLE, workspace, dirs_exist_ok=True)
    return workspace


def watched(lens: LensClient, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
    """What a client that watches files says."""
    change = types.FileEvent(path.as_uri(), kind)
    lens.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))


async def until(condition: Any, what: str) -> None:
    for _ in range(400):
        if await condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


async def test_settings_pushed_and_changed_live(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    uri = (workspace / WRAPPER).as_uri()
    async with serving(workspace) as lens:
        await lens.open(workspace / WRAPPER)

        def push(settings: object) -> None:
            params = types.DidChangeConfigurationParams({"inductorLens": settings})
            lens.client.workspace_did_change_configuration(params)

        push({"traces": ["trace.json"]})
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        assert await lens.diagnostics(uri) == []

        push({"traces": ["trace.json"], "peakBandwidth": 6.38, "lowBandwidth": {"peakPercent": 60}})
        await eventually(lens, "3.19 TB/s · 50 % of peak")
        flagged = [one.data["kernel"] for one in await lens.diagnostics(uri)]  # type: ignore[index]
        assert flagged == [
            "triton_red_fused_add_mean_mul_pow_rsqrt_0",
            "triton_poi_fused__unsafe_view_mul_silu_2",
            "triton_poi_fused__unsafe_view_add_3",
        ]

        # Below the time thresholds, or ignored, nothing is flagged.
        low = {"peakPercent": 60, "minTimeShare": 50}
        push({"traces": ["trace.json"], "peakBandwidth": 6.38, "lowBandwidth": low})
        await until(lambda: _flags(lens, uri, 1), "one flag")
        low = {"peakPercent": 60, "minTimeUs": 1000}
        push({"traces": ["trace.json"], "peakBandwidth": 6.38, "lowBandwidth": low})
        await until(lambda: _flags(lens, uri, 0), "no flag")
        ignored = ["triton_poi_fused__unsafe_view_mul_silu_2"]
        push({"traces": ["trace.json"], "peakBandwidth": 6.38, "lowBandwidth": {"peakPercent": 55}})
        await until(lambda: _flags(lens, uri, 2), "two flags")
        push(
            {
                "traces": ["trace.json"],
                "peakBandwidth": 6.38,
                "lowBandwidth": {"peakPercent": 55},
                "ignoreKernels": ignored,
            }
        )
        await until(lambda: _flags(lens, uri, 1), "one flag less")

        push({"traces": ["trace.json"], "codeLens": False, "inlayHints": False, "diagnostics": False})
        await until(lambda: _nothing(lens, uri), "silence")

        push({})
        await eventually(lens, "1,536 MB · 1.342 GFLOP".split(" · 1,536", maxsplit=1)[0])
        assert (await lens.traces()).traces == []


async def _flags(lens: LensClient, uri: str, count: int) -> bool:
    return len(await lens.diagnostics(uri)) == count


async def _nothing(lens: LensClient, uri: str) -> bool:
    return not await lens.lenses(uri) and not await lens.hints(uri) and not await lens.diagnostics(uri)


async def test_a_kernel_that_is_recompiled_has_the_figures_of_its_new_source(tmp_path: Path) -> None:
    """A file in the cache appears, changes and goes: definition follows, and so do the figures."""
    workspace = example(tmp_path)
    own = workspace / OWN_FILE
    text = own.read_text()
    own.unlink()
    wrapper, trace = workspace / WRAPPER, workspace / "trace.json"
    wrapper.unlink()
    async with serving(workspace, {"traces": ["trace.json"], "inductorCacheDirs": ["cache"]}) as lens:
        await lens.open(trace)
        await lens.settled()
        line = next(n for n, text in enumerate(trace.read_text().split("\n")) if "silu_2" in text)

        async def leads(to: list[str]) -> bool:
            return await lens.navigate("definition", trace.as_uri(), line, 45) == to

        await until(lambda: leads([]), "no definition")
        own.write_text(text)
        watched(lens, own, types.FileChangeType.Created)
        await until(
            lambda: leads([f"{OWN_FILE}:18 triton_poi_fused__unsafe_view_mul_silu_2"]), "the definition"
        )
        own.write_text("\n" + text)
        watched(lens, own)
        await until(
            lambda: leads([f"{OWN_FILE}:19 triton_poi_fused__unsafe_view_mul_silu_2"]), "the next line"
        )
        own.unlink()
        watched(lens, own, types.FileChangeType.Deleted)
        await until(lambda: leads([]), "no definition any more")


async def test_an_unsaved_kernel_counts_as_the_editor_has_it(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    own = workspace / OWN_FILE
    (workspace / WRAPPER).unlink()
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        text = own.read_text()
        await lens.open(
            own, text.replace("tl.load(in_ptr0 + (x0), None)", "tl.load(in_ptr0 + (x0 % 2048), None)")
        )

        async def title() -> bool:
            found = [one.command.title for one in await lens.lenses(own.as_uri()) if one.command]
            # One operand is broadcast now: two thirds of the bytes, and of the bandwidth.
            return found == ["2.12 TB/s · 40 % of peak · 1,024 MB · 1.342 GFLOP · 505.3 µs × 1"]

        await until(title, "the figures of the edited kernel")
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(own.as_uri()))
        lens.client.text_document_did_close(closed)
        await lens.open(own)

        async def as_before() -> bool:
            found = [one.command.title for one in await lens.lenses(own.as_uri()) if one.command]
            return found == ["3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1"]

        await until(as_before, "the figures of the file")


async def test_several_folders_each_with_its_traces_and_caches(tmp_path: Path) -> None:
    first, second = example(tmp_path / "first"), tmp_path / "second"
    second.mkdir()
    shutil.move(first / "trace.json", second / "trace.json")
    (second / "more").mkdir()
    (second / "more" / "slow.json").write_text(slower((second / "trace.json").read_text(), 2))
    async with serving(first, {"traces": ["**/*.json"]}) as lens:
        lens.configured_traces = 0  # a pattern that matches none yet
        await lens.open(first / WRAPPER)
        await lens.settled()
        before = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(second.as_uri(), "second")], [])
        lens.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(before))

        async def loaded(names: list[str]) -> bool:
            traces = (await lens.traces()).traces
            return sorted(trace.label for trace in traces) == names and all(
                t.state == "ready" for t in traces
            )

        await until(lambda: loaded(["slow.json", "trace.json"]), "the second folder's traces")
        await lens.command("selectTrace", (second / "trace.json").as_uri())
        lens.workspace = first
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        after = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(second.as_uri(), "second")])
        lens.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(after))
        await until(lambda: loaded([]), "their going")


async def test_path_mappings_lead_to_kernels_recorded_elsewhere(tmp_path: Path) -> None:
    """The trace names /tmp/torchinductor_root/…; the kernels lie in a folder that nobody would search."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    shutil.copy(EXAMPLE / "trace.json", workspace)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(EXAMPLE / "cache", elsewhere)
    mapping = {"/tmp/torchinductor_root": str(elsewhere)}
    async with serving(workspace, {"pathMappings": mapping}) as lens:
        trace = workspace / "trace.json"
        await lens.open(trace)
        await lens.settled()
        line = next(n for n, text in enumerate(trace.read_text().split("\n")) if "silu_2" in text)
        lens.workspace = tmp_path
        found = await lens.navigate("definition", trace.as_uri(), line, 45)
        assert found == [
            f"elsewhere{OWN_FILE.removeprefix('cache')}:18 triton_poi_fused__unsafe_view_mul_silu_2"
        ]


def test_a_client_that_watches_files_is_asked_to_with_relative_patterns(tmp_path: Path) -> None:
    workspace = example(tmp_path / "workspace")
    cache = tmp_path / "outside"
    shutil.copytree(EXAMPLE / "cache", cache)
    files = {"dynamicRegistration": True, "relativePatternSupport": True}
    with RawClient() as client:
        settings = {"traces": ["trace.json"], "inductorCacheDirs": [str(cache)]}
        client.initialize({"workspace": {"didChangeWatchedFiles": files}}, settings, workspace)
        wanted = {
            (workspace.as_uri(), "trace.json"),
            (cache.as_uri(), "**/*.py"),
            ((workspace / "cache").as_uri(), "**/*.py"),
        }
        for _ in range(100):
            patterns = _patterns(client)
            if patterns == wanted:
                break
            client.request("inductorLens/traces")
            import time

            time.sleep(0.05)
        assert patterns == wanted
        assert client.leave() == 0


def _patterns(client: RawClient) -> set[tuple[str, str]]:
    """The patterns that are registered now."""
    registered: dict[str, set[tuple[str, str]]] = {}
    for request in client.requests:
        for one in (
            request["params"].get("registrations", ())
            if request["method"].endswith("/registerCapability")
            else ()
        ):
            if one["method"] == "workspace/didChangeWatchedFiles":
                globs = [watcher["globPattern"] for watcher in one["registerOptions"]["watchers"]]
                registered[one["id"]] = {(glob["baseUri"], glob["pattern"]) for glob in globs}
        for one in request["params"].get("unregisterations", ()):
            registered.pop(one["id"], None)
    return set().union(*registered.values()) if registered else set()


async def test_settings_are_asked_for_where_the_client_can_be_asked(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    capabilities = full_capabilities()
    assert capabilities.workspace is not None
    capabilities.workspace.configuration = True
    async with serving(workspace, None, capabilities) as lens:
        lens.client.set_configuration({"inductorLens": {"traces": ["trace.json"], "device": "H100"}})
        lens.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await lens.open(workspace / WRAPPER)
        await eventually(lens, "3.19 TB/s · 95 % of peak")
