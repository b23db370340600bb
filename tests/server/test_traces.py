"""Several traces: which one is active, the baseline, captures, and what happens when files change."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

from lsprotocol import types

from .lens_client import EXAMPLE, LensClient, serving

SWIGLU = "triton_poi_fused__unsafe_view_mul_silu_2"


def slower(text: str, times: float) -> str:
    """The example's trace with every kernel taking so many times as long."""
    trace = json.loads(text)
    for event in trace["traceEvents"]:
        if event.get("cat") == "kernel":
            event["dur"] = event["dur"] * times
    return json.dumps(trace, indent=1)


async def swiglu_lens(lens: LensClient) -> str:
    """The lens over the SwiGLU kernel of the open wrapper."""
    await lens.settled()
    lenses = await lens.lenses((lens.workspace / "output_code.py").as_uri())
    title = next(one.command.title for one in lenses if one.command and one.range.start.line == 230)
    return title.split(" · 1,536")[0]


async def eventually(lens: LensClient, expected: str) -> None:
    found = ""
    for _ in range(400):
        found = await swiglu_lens(lens)
        if found == expected:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{found!r} is not {expected!r}")


def example(workspace: Path) -> Path:
    shutil.copytree(EXAMPLE, workspace, dirs_exist_ok=True)
    text = (workspace / "trace.json").read_text()
    (workspace / "slow.json").write_text(slower(text, 1.25))
    return workspace


async def test_one_trace_is_active_another_the_baseline(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    first, second = (workspace / name for name in ("trace.json", "slow.json"))
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")

        # Opened by the user, the second is active; the first is compared with.
        await lens.command("openTrace", second.as_uri())
        await eventually(lens, "2.55 TB/s · 48 % of peak")
        await lens.command("selectBaseline", first.as_uri())
        await eventually(lens, "2.55 TB/s · −20 % · 48 % of peak")
        answer = await lens.traces()
        assert (answer.active, answer.baseline) == (second.as_uri(), first.as_uri())
        # The change is the active trace's: the baseline has none against itself.
        for trace, change in ((second, "−20 % against the baseline"), (first, None)):
            await lens.open(trace)
            await lens.settled()
            lines = trace.read_text().split("\n")
            line = next(number for number, text in enumerate(lines) if SWIGLU in text)
            hover = await lens.hover(trace.as_uri(), line, lines[line].index(SWIGLU)) or ""
            assert "TB/s" in hover
            assert ("against the baseline" in hover) == (change is not None)
            assert change is None or change in hover

        # The other way round it is faster.
        await lens.command("selectTrace", first.as_uri())
        await lens.command("selectBaseline", second.as_uri())
        await eventually(lens, "3.19 TB/s · +25 % · 60 % of peak")
        report = await lens.request("inductorLens/report", uri=None, launches=False)
        assert {round(row.change_percent, 6) for row in report.kernels} == {25.0}

        await lens.command("selectBaseline", None)
        await eventually(lens, "3.19 TB/s · 60 % of peak")


async def test_a_baseline_that_was_not_loaded_is_loaded_and_does_not_become_active(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        await lens.command("selectBaseline", (workspace / "slow.json").as_uri())
        await eventually(lens, "3.19 TB/s · +25 % · 60 % of peak")


async def test_closing_the_active_trace_leaves_the_last_other_one_and_closing_all_leaves_sources(
    tmp_path: Path,
) -> None:
    workspace = example(tmp_path)
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.open(workspace / "output_code.py")
        await lens.command("openTrace", str(workspace / "slow.json"))
        await eventually(lens, "2.55 TB/s · 48 % of peak")
        assert await lens.command("closeTrace", str(workspace / "slow.json")) is True
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        assert await lens.command("closeTrace", (workspace / "trace.json").as_uri()) is True
        assert await lens.command("closeTrace", (workspace / "trace.json").as_uri()) is False
        lenses = await lens.lenses((workspace / "output_code.py").as_uri())
        titles = [one.command.title for one in lenses if one.command]
        assert titles == [
            "256 MB · 0.470 GFLOP",
            "384 MB · 0.470 GFLOP",
            "1,536 MB · 1.342 GFLOP",
            "512 MB · 0.067 GFLOP",
        ]
        assert await lens.hints((workspace / "output_code.py").as_uri()) == []


async def test_a_trace_that_the_user_closed_stays_closed_though_a_pattern_names_it(tmp_path: Path) -> None:
    """Until it is opened again, or the pattern is another: a new file beside it is no reason."""
    workspace = example(tmp_path)
    first = workspace / "trace.json"
    async with serving(workspace, {"traces": ["tr*.json"]}) as lens:
        await lens.settled()
        assert await lens.command("closeTrace", first.as_uri()) is True
        other = workspace / "trace2.json"
        other.write_text(first.read_text())
        event = types.FileEvent(other.as_uri(), types.FileChangeType.Created)
        lens.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        lens.configured_traces = 1
        await lens.settled()
        assert [trace.uri for trace in (await lens.traces()).traces] == [other.as_uri()]
        await lens.command("openTrace", first.as_uri())
        await lens.settled()
        assert len((await lens.traces()).traces) == 2


async def test_a_closed_document_s_trace_stays_until_it_is_closed_itself(tmp_path: Path) -> None:
    """F12 from a preview tab replaces the trace's document by the kernel's: its figures must not go with it."""
    workspace = example(tmp_path)
    trace = workspace / "trace.json"
    async with serving(workspace) as lens:
        await lens.open(trace)
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(trace.as_uri()))
        lens.client.text_document_did_close(closed)
        await eventually(lens, "3.19 TB/s · 60 % of peak")


async def test_an_edited_trace_document_counts_as_it_is_edited(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    trace = workspace / "trace.json"
    async with serving(workspace) as lens:
        await lens.open(trace)
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        text = slower(trace.read_text(), 1.25)
        change = types.TextDocumentContentChangeWholeDocument(text)
        identifier = types.VersionedTextDocumentIdentifier(2, trace.as_uri())
        lens.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
        await eventually(lens, "2.55 TB/s · 48 % of peak")
        hints = await lens.hints(trace.as_uri())
        line = text.split("\n")[hints[0].position.line]
        assert line[: hints[0].position.character].endswith('"triton_red_fused_add_mean_mul_pow_rsqrt_0"')


async def test_a_trace_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    """With a client that watches files, and with one that does not."""
    workspace = example(tmp_path)
    trace = workspace / "trace.json"
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        trace.write_text((workspace / "slow.json").read_text())
        await eventually(lens, "2.55 TB/s · 48 % of peak")  # it looked by itself

        trace.unlink()
        changed = [types.FileEvent(trace.as_uri(), types.FileChangeType.Deleted)]
        lens.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changed))
        for _ in range(400):
            entry = (await lens.traces()).traces[0]
            if entry.state == "failed":
                break
            await asyncio.sleep(0.1)
        assert entry.state == "failed"
        assert "trace.json" in entry.message


async def test_launches_and_report_answer_their_contract(tmp_path: Path) -> None:
    workspace = example(tmp_path)
    trace = workspace / "trace.json"
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.settled()
        report = await lens.request("inductorLens/report", uri=trace.as_uri(), launches=True)
        assert report.schema == "inductor-lens/report/1"
        assert len(report.launch_list) == 4
        row = next(row for row in report.kernels if row.name == SWIGLU)
        assert (row.bytes, row.launches, row.peak_percent > 60) == (1_610_612_736, 1, True)
        found: Any = None
        for _ in range(50):
            found = await lens.request("inductorLens/launches", uri=trace.as_uri(), kernel=row.id)
            if found[0]["range"] is not None:
                break
            await asyncio.sleep(0.1)
        assert len(found) == 1
        assert (found[0]["busy_us"], round(found[0]["tb_s"], 2)) == (505.3, 3.19)
        lines = trace.read_text().split("\n")
        assert SWIGLU in lines[found[0]["range"]["start"]["line"] + 1]
        answer = (await lens.traces()).traces[0]
        assert (answer.label, answer.state, answer.kernels, answer.triton_launches) == (
            "trace.json",
            "ready",
            4,
            4,
        )
        assert answer.low_time_percent == 0.0
        assert await lens.request("inductorLens/report", uri="file:///no/such.json", launches=False) is None
        assert await lens.request("inductorLens/launches", uri=trace.as_uri(), kernel="no such row") is None


async def test_a_replay_takes_its_shapes_from_a_capture(tmp_path: Path, shared: Path) -> None:
    """Named in the settings, or beside it and called one, or loaded anyway."""
    traces = shared / "traces"
    bytes_known: dict[str, int] = {}
    for how in ("none", "named", "beside", "loaded"):
        workspace = tmp_path / how
        workspace.mkdir()
        shutil.copy(traces / "vllm_decode.replay.json.gz", workspace / "replay.json.gz")
        name = {"named": "c.json.gz", "beside": "my_capture.json.gz", "loaded": "other.json.gz"}.get(how)
        settings: dict[str, Any] = {"traces": ["replay.json.gz"]}
        if name is not None:
            shutil.copy(traces / "vllm_decode.capture.json.gz", workspace / name)
        if how == "named":
            settings["captureTraces"] = [name]
        if how == "loaded":
            settings["traces"].append(name)
        async with serving(workspace, settings) as lens:
            await lens.settled(quiet=0.5)
            uri = (workspace / "replay.json.gz").as_uri()
            report = await lens.request("inductorLens/report", uri=uri, launches=True)
            assert len(report.launch_list) == 48
            bytes_known[how] = sum(launch.bytes is not None for launch in report.launch_list)
    # One of the 48 is an embedding whose launcher passes no numels: only its source can tell its bytes.
    assert bytes_known == {"none": 0, "named": 47, "beside": 47, "loaded": 47}


async def test_a_packed_trace_is_read_like_a_plain_one_and_its_places_are_those_of_the_text(
    tmp_path: Path,
) -> None:
    workspace = example(tmp_path)
    text = (workspace / "trace.json").read_bytes()
    (workspace / "packed.json.gz").write_bytes(gzip.compress(text))
    async with serving(workspace, {"traces": ["packed.json.gz"]}) as lens:
        await lens.open(workspace / "output_code.py")
        await eventually(lens, "3.19 TB/s · 60 % of peak")
        lenses = await lens.lenses((workspace / "output_code.py").as_uri())
        arguments = next(
            one.command.arguments for one in lenses if one.command and one.range.start.line == 230
        )
        assert arguments is not None
        uri, position, locations, row = arguments
        assert uri == (workspace / "output_code.py").as_uri()
        assert position == {"line": 230, "character": 0}
        assert row["uri"] == (workspace / "packed.json.gz").as_uri()
        start = locations[0]["range"]["start"]["line"]
        assert SWIGLU in text.decode().split("\n")[start + 1]


async def test_each_set_of_arguments_and_config_has_its_own_figures(tmp_path: Path) -> None:
    """The kernel ran with two configs: two lenses, a range at its call, and nothing averaged."""
    workspace = example(tmp_path)
    trace = json.loads((workspace / "trace.json").read_text())
    op = next(event for event in trace["traceEvents"] if event["name"] == SWIGLU and event["cat"] == "cpu_op")
    kernel = next(
        event for event in trace["traceEvents"] if event["name"] == SWIGLU and event["cat"] == "kernel"
    )
    again = json.loads(json.dumps([op, kernel]))
    later = 10_000_000
    for event in again:
        event["ts"] += later
        event["args"]["External id"] = 9_999
    again[0]["args"]["kernel_kwargs"] = "XBLOCK=64"
    again[1]["args"]["correlation"] = 9_999
    again[1]["dur"] *= 2
    trace["traceEvents"] += again
    (workspace / "trace.json").write_text(json.dumps(trace))
    uri = (workspace / "output_code.py").as_uri()
    async with serving(workspace, {"traces": ["trace.json"]}) as lens:
        await lens.open(workspace / "output_code.py")
        for _ in range(400):
            lenses = await lens.lenses(uri)
            titles = [one.command.title for one in lenses if one.command and one.range.start.line == 230]
            if len(titles) == 2:
                break
            await asyncio.sleep(0.1)
        assert titles == [
            "1.59 TB/s · 30 % of peak · 1,536 MB · 1.342 GFLOP · 1,011 µs × 1",
            "3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1",
        ]
        labels = {hint.position.line: hint.label for hint in await lens.hints(uri)}
        assert labels[390] == "1.59 TB/s – 3.19 TB/s"
        # One diagnostic for the kernel, not one for each.
        (one,) = await lens.diagnostics(uri)
        assert one.code == "low-bandwidth"
