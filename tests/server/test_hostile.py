"""What no editor should send and some do: the server answers with an error that LSP names or with nothing, stays
alive and never writes a traceback."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .made_inputs import EXAMPLE, SWIGLU, repetitions_in, trace_of_size, wrapper_of_kernels
from .raw_client import (
    CANCELLED,
    CONTENT_MODIFIED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RawClient,
)

Json = dict[str, Any]

AT_START = {"line": 0, "character": 0}
EVERYWHERE = {"start": AT_START, "end": {"line": 2**31 - 1, "character": 0}}
OF_A_DOCUMENT: dict[str, Json] = {
    "textDocument/hover": {"position": AT_START},
    "textDocument/definition": {"position": AT_START},
    "textDocument/implementation": {"position": AT_START},
    "textDocument/references": {"position": AT_START, "context": {"includeDeclaration": True}},
    "textDocument/documentHighlight": {"position": AT_START},
    "textDocument/prepareCallHierarchy": {"position": AT_START},
    "textDocument/codeLens": {},
    "textDocument/inlayHint": {"range": EVERYWHERE},
    "textDocument/diagnostic": {},
    "textDocument/documentSymbol": {},
    "textDocument/documentLink": {},
    "textDocument/foldingRange": {},
    "textDocument/codeAction": {"range": EVERYWHERE, "context": {"diagnostics": []}},
}
"""Every request about a document, with the rest of its params. One that this server does not have is refused."""

OTHERS: dict[str, Json] = {
    "workspace/symbol": {"query": "triton"},
    "workspace/executeCommand": {"command": "inductorLens.closeTrace", "arguments": ["file:///none.json"]},
    "codeLens/resolve": {"range": EVERYWHERE},
    "inductorLens/traces": {},
    "inductorLens/report": {"uri": None, "launches": False},
    "inductorLens/launches": {"uri": None, "kernel": "none"},
    "inductorLens/reportText": {"uri": "inductor-lens:/report.md"},
}
ODD_VALUES: list[object] = [None, True, 0, -1, 1.5, 1e300, "", "text", [], [[]], {}, {"uri": 3}, [None, {}]]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "workspace"
    shutil.copytree(EXAMPLE, folder)
    return folder


@pytest.fixture(scope="module")
def client(workspace: Path) -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize(options={"traces": ["trace.json"]}, folder=workspace)
        client.open((workspace / "output_code.py").as_uri(), (workspace / "output_code.py").read_text())
        client.open((workspace / "trace.json").as_uri(), (workspace / "trace.json").read_text(), "json")
        client.open("untitled:plain", "x = 1\n")
        client.open("untitled:empty.json", "", "json")
        yield client
        assert client.alive()
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def answer(client: RawClient, method: str, params: object) -> Json:
    """The answer, which is never that the server itself failed."""
    answered = client.response(client.begin(method, params), 60)
    assert answered.get("error", {}).get("code") != INTERNAL_ERROR, (method, params, answered)
    return answered


# --- Params


@pytest.mark.parametrize("method", [*OF_A_DOCUMENT, *OTHERS])
def test_params_of_a_wrong_kind(client: RawClient, workspace: Path, method: str) -> None:
    """As a whole, and each of them by itself."""
    uri = (workspace / "output_code.py").as_uri()
    right = OTHERS.get(method) or {"textDocument": {"uri": uri}, **OF_A_DOCUMENT.get(method, {})}
    for odd in ODD_VALUES:
        answer(client, method, odd)
        for name in right:
            answer(client, method, {**right, name: odd})
            if isinstance(right[name], dict):
                for inner in right[name]:
                    answer(client, method, {**right, name: {**right[name], inner: odd}})


@pytest.mark.parametrize(
    "command", ["openTrace", "closeTrace", "selectTrace", "selectBaseline", "showReport", "no"]
)
def test_arguments_of_a_wrong_kind(client: RawClient, command: str) -> None:
    for odd in ([], [[]], [3], [True], [{"uri": "file:///none.json"}], ["a", "b", "c"], {}, "text", 3):
        params = {"command": f"inductorLens.{command}", "arguments": odd}
        answer(client, "workspace/executeCommand", params)
    answer(client, "workspace/executeCommand", {"command": f"inductorLens.{command}"})


@pytest.mark.parametrize(
    "lens",
    [
        {"data": None},
        {"data": 3},
        {"data": {"uri": 3, "kernel": "none", "row": []}},
        {"data": {"uri": "untitled:plain", "kernel": 10**30}},
        {"data": {"kernel": -1}},
        {"data": {"kernel": True, "more": "all"}},
    ],
    ids=str,
)
def test_a_lens_that_the_server_never_gave(client: RawClient, workspace: Path, lens: Json) -> None:
    uri = (workspace / "output_code.py").as_uri()
    for data in (
        lens["data"],
        {"uri": uri, **lens["data"]} if isinstance(lens["data"], dict) else {"uri": uri},
    ):
        answered = answer(client, "codeLens/resolve", {"range": EVERYWHERE, "data": data})
        assert "error" in answered or "TB/s" not in answered["result"]["command"]["title"]


@pytest.mark.parametrize("depth", [100, 900, 5_000, 200_000])
def test_params_that_are_nested_without_end(client: RawClient, depth: int) -> None:
    nested = '{"a": ' * depth + "1" + "}" * depth
    for method in ("inductorLens/report", "textDocument/hover", "workspace/executeCommand"):
        body = f'{{"jsonrpc": "2.0", "id": "deep", "method": "{method}", "params": {nested}}}'.encode()
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answered = client.response("deep") if depth < 5_000 else client.response(None)
        assert answered.get("error", {}).get("code") != INTERNAL_ERROR, answered


def test_positions_outside_the_text(client: RawClient, workspace: Path) -> None:
    """Behind a line's end they mean its end (LSP 3.17, Position); behind the last line there is nothing."""
    far = 2**31 - 1
    for uri in [(workspace / name).as_uri() for name in ("output_code.py", "trace.json")] + [
        "untitled:empty.json"
    ]:
        for position in (
            {"line": far, "character": 0},
            {"line": far, "character": far},
            {"line": 0, "character": far},
        ):
            for method, rest in OF_A_DOCUMENT.items():
                params = {"textDocument": {"uri": uri}, **rest}
                if "position" in rest:
                    params["position"] = position
                if "range" in rest:
                    params["range"] = {"start": position, "end": AT_START}
                answered = answer(client, method, params)
                if method == "textDocument/hover":
                    assert answered["result"] is None
                if method == "textDocument/inlayHint":
                    assert answered["result"] == []


# --- Documents

ODD_URIS = [
    "untitled:Untitled-1",
    "git:/w/output_code.py?%7B%22ref%22%3A%22HEAD%22%7D",
    "vscode-notebook-cell:/w/model.ipynb#W0sZmlsZQ%3D%3D",
    "https://example.com/output_code.py",
    "data:text/plain,x",
    "file:",
    "file://",
    "file:///",
    "file:relative.py",
    "file://server/share/output_code.py",
    "file:///c%3A/Users/me/torchinductor/output_code.py",
    "file:///C:/Users/me/output_code.py",
    "file:///w/%C3%BCml%C3%A4ut/%E2%80%A8/output_code.py",
    "file:///w/%ff%fe/output_code.py",
    "file:///w/%zz%/output_code.py",
    "file:///w/%00/output_code.py",
    "file:///w/" + "a" * 5_000 + "/output_code.py",
    "file:///w/with space/output_code.py?query#fragment",
    "C:\\Users\\me\\output_code.py",
    "/w/output_code.py",
    "inductor-lens:/report.md",
    "",
    "%",
    "\x00",
    "\N{OGHAM SPACE MARK}:x",
    "\ud83d",
    "file:///w/\ud83d/output_code.py",
]


@pytest.mark.parametrize("uri", ODD_URIS, ids=lambda uri: ascii(uri)[:40])
def test_a_uri_of_any_kind_is_a_document(client: RawClient, uri: str) -> None:
    """It need not be a file: what is open has its figures, under the name that the client gave it."""
    for method, rest in OF_A_DOCUMENT.items():
        answered = answer(client, method, {"textDocument": {"uri": uri}, **rest})
        assert "error" in answered or not answered["result"] or not answered["result"].get("items")
    client.open(uri, (EXAMPLE / "output_code.py").read_text())
    lenses = answer(client, "textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]
    assert len(lenses) == 4
    for lens in lenses:
        assert "MB" in answer(client, "codeLens/resolve", lens)["result"]["command"]["title"]
    for method, rest in OF_A_DOCUMENT.items():
        answer(client, method, {"textDocument": {"uri": uri}, **rest})
    for name in ("openTrace", "selectTrace", "selectBaseline", "closeTrace"):
        answer(client, "workspace/executeCommand", {"command": f"inductorLens.{name}", "arguments": [uri]})
    answer(
        client, "workspace/executeCommand", {"command": "inductorLens.selectBaseline", "arguments": [None]}
    )
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert answer(client, "textDocument/codeLens", {"textDocument": {"uri": uri}})["result"] == []


def test_half_a_character_costs_nothing(client: RawClient) -> None:
    """An editor may hold one half of a surrogate pair, and writes it as JSON allows: `\\ud83d`."""
    uri = "untitled:half.py"
    text = (EXAMPLE / "output_code.py").read_text()
    client.open(uri, f"# \ud83d\n{text}")
    lenses = answer(client, "textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]
    assert len(lenses) == 4
    hover = {"textDocument": {"uri": uri}, "position": lenses[0]["range"]["start"]}
    assert "MB" in answer(client, "textDocument/hover", hover)["result"]["contents"]["value"]
    trace = "untitled:half.json"
    client.open(trace, (EXAMPLE / "trace.json").read_text().replace("MI300X", "MI300X\udfff"), "json")
    answer(
        client,
        "textDocument/hover",
        {"textDocument": {"uri": trace}, "position": {"line": 14, "character": 40}},
    )
    for one in (uri, trace):
        client.notify("textDocument/didClose", {"textDocument": {"uri": one}})


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=repr)
def test_line_ends_of_every_kind(client: RawClient, end: str) -> None:
    """A lone CR ends a line too; a form feed and U+2028 do not."""
    uri = "untitled:ends.py"
    text = (EXAMPLE / "output_code.py").read_text()
    client.open(uri, "# \u2028\x0c\x85" + end + text.replace("\n", end))
    lenses = answer(client, "textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]
    assert [lens["range"]["start"]["line"] for lens in lenses] == [58, 145, 231, 284]
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_edits_that_make_no_sense(client: RawClient) -> None:
    """Ranges outside the text, backwards, or within a line end: clamped, and what follows still fits."""
    uri = "untitled:odd-edits.py"
    client.open(uri, "a\r\nb\n")
    far = 2**31 - 1
    for version, (start, end) in enumerate(
        [
            ((far, far), (far, far)),
            ((1, 0), (0, 0)),
            ((0, far), (far, 0)),
            ((0, 1), (0, far)),
            ((0, 0), (far, far)),
        ]
    ):
        change = {
            "range": {
                "start": {"line": start[0], "character": start[1]},
                "end": {"line": end[0], "character": end[1]},
            },
            "rangeLength": far,
            "text": "\r",
        }
        document = {"uri": uri, "version": -version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    whole = {"text": (EXAMPLE / "output_code.py").read_text()}
    document = {"uri": uri, "version": 1}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": []})
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [whole, whole]})
    assert len(answer(client, "textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]) == 4
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_storm_of_a_thousand_edits_is_answered_for_its_last_text(client: RawClient) -> None:
    """A line is put above the kernels with every edit, and every tenth time lenses are asked for at once."""
    uri = "untitled:storm.py"
    client.open(uri, (EXAMPLE / "output_code.py").read_text())
    params = {"textDocument": {"uri": uri}}
    first = answer(client, "textDocument/codeLens", params)["result"][0]["range"]["start"]["line"]
    asked = {}
    for number in range(1, 1_001):
        change = {"range": {"start": AT_START, "end": AT_START}, "text": "#\n"}
        document = {"uri": uri, "version": 1 + number}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        if number % 10 == 0:
            asked[client.begin("textDocument/codeLens", params)] = number
    for identity, number in asked.items():
        answered = client.response(identity, 60)
        if "error" in answered:
            assert answered["error"]["code"] in (CONTENT_MODIFIED, CANCELLED)
        else:
            assert answered["result"][0]["range"]["start"]["line"] == first + number
    answered = answer(client, "textDocument/codeLens", params)["result"]
    assert answered[0]["range"]["start"]["line"] == first + 1_000
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_ten_thousand_kernels_in_one_wrapper() -> None:
    """Each answer takes its part of the kernels, not all of them times all calls."""
    text, names = wrapper_of_kernels(10_000)
    lines = text.split("\n")
    uri = "file:///w/output_code.py"
    document = {"textDocument": {"uri": uri}}
    with RawClient() as client:
        client.initialize(options={"traces": [str(EXAMPLE / "trace.json")]})
        client.open(uri, text)
        lenses = client.request("textDocument/codeLens", document, 120)
        assert len(lenses) == 10_004
        call = next(number for number, line in enumerate(lines) if f"{names[-1]}.run(" in line)
        at_call = {**document, "position": {"line": call, "character": lines[call].index(names[-1])}}
        for lens in lenses[::1_000]:
            assert "MB" in client.request("codeLens/resolve", lens, 60)["command"]["title"]
        assert "1,536" in client.request("textDocument/hover", at_call, 60)["contents"]["value"]
        (definition,) = client.request("textDocument/definition", at_call, 60)
        assert f"def {names[-1]}(" in lines[definition["range"]["start"]["line"]]
        at_call["context"] = {"includeDeclaration": False}
        (reference,) = client.request("textDocument/references", at_call, 60)
        assert reference["range"]["start"]["line"] == call
        assert len(client.request("textDocument/inlayHint", {**document, "range": EVERYWHERE}, 60)) == 4
        symbols = client.request("textDocument/documentSymbol", document, 60)
        assert len(symbols) == 10_004 + 1
        assert len(symbols[-1]["children"]) == 10_004
        for method, rest in OF_A_DOCUMENT.items():
            answer(client, method, {**document, **rest})
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_a_trace_of_34_megabytes_as_a_document() -> None:
    """It is what editors still open: every feature answers, and again after an edit in the middle of it."""
    text = trace_of_size(34_000_000).decode().replace("aten::mm", "aten::mm \U0001f600")
    repetitions = repetitions_in(34_000_000)
    uri = "file:///w/big.json"
    document = {"textDocument": {"uri": uri}}
    lines = text.split("\n")
    event = next(n for n in range(len(lines) // 2, len(lines)) if SWIGLU in lines[n] and "cpu_op" in lines[n])
    with RawClient() as client:
        client.initialize()
        client.open(uri, text, "json")
        wait_for_trace(client)
        (trace,) = client.request("inductorLens/traces")["traces"]
        assert trace["triton_launches"] == 4 * repetitions
        at_event = {**document, "position": {"line": event, "character": lines[event].index(SWIGLU)}}
        assert "1,536" in client.request("textDocument/hover", at_event)["contents"]["value"]
        screen = {"start": {"line": event - 20, "character": 0}, "end": {"line": event + 20, "character": 0}}
        hints = client.request("textDocument/inlayHint", {**document, "range": screen})
        assert [hint["label"] for hint in hints if hint["position"]["line"] == event] == ["3.19 TB/s"]
        for method, rest in OF_A_DOCUMENT.items():
            answer(client, method, {**document, **rest})

        # A thousand edits in the middle of it: half of them break a line above the launch.
        for number in range(1_000):
            at = {"line": event - 100, "character": 0}
            change = {"range": {"start": at, "end": at}, "text": "\n" if number % 2 else " "}
            changed = {"uri": uri, "version": 2 + number}
            client.notify("textDocument/didChange", {"textDocument": changed, "contentChanges": [change]})
        at_event["position"]["line"] += 500
        wait_for_trace(client)
        assert "1,536" in client.request("textDocument/hover", at_event)["contents"]["value"]
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def wait_for_trace(client: RawClient) -> None:
    for _ in range(600):
        if [trace["state"] for trace in client.request("inductorLens/traces")["traces"]] == ["ready"]:
            return
        client.pause(0.1)
    raise AssertionError("the trace was never ready")


# --- Figures

ABSURD: dict[str, Json] = {
    "sizes beyond 64 bits": {"Input Dims": [[10**30], [10**30, 10**30], [10**18] * 20, []]},
    "negative sizes": {"Input Dims": [[-5, 3], [2], [1], []]},
    "a hundred thousand tensors": {"Input Dims": [[]] * 100_000},
    "nested sizes": {"Input Dims": [[[[[1]]]]]},
    "sizes as text": {"Input Dims": "[[1], [2]]"},
    "a numel of 400 digits": {"Concrete Inputs": ["", "", "", "9" * 400]},
    "a numel of 6,000 digits": {"Concrete Inputs": ["", "", "", "9" * 6_000]},
    "a negative numel": {"Concrete Inputs": ["", "", "", "-5"]},
    "types that are none": {"Input type": [None, 3, {}]},
    "other kinds of everything": {"kernel_kwargs": [1], "kernel_file": [1], "num_warps": [1], "stream": [1]},
}
ABSURD_EVENTS: dict[str, Json] = {
    "no time at all": {"dur": 0},
    "a time of 10^308": {"dur": 1e308},
    "less than a nanosecond": {"dur": 1e-300},
    "at the end of time": {"ts": 1e308},
    "a name with everything": {"name": "triton_poi_fused_add_0\n\x00`<b>|](x)\u2028"},
    "a long name": {"name": "triton_poi_fused_" + "a_add_" * 10_000},
}


@pytest.mark.parametrize("name", [*ABSURD, *ABSURD_EVENTS])
def test_absurd_figures_are_figures_or_none(client: RawClient, name: str) -> None:
    """No answer holds an infinity (the client takes none), a negative rate, or a failure."""
    trace = json.loads((EXAMPLE.parents[1] / "tests" / "inputs" / "00-good.json").read_text())
    for event in trace["traceEvents"]:
        event.update(ABSURD_EVENTS.get(name, {}))
        if event["cat"] == "cpu_op":
            event["args"].update(ABSURD.get(name, {}))
    uri = "untitled:absurd.json"
    text = json.dumps(trace)
    client.open(uri, text, "json")
    for _ in range(600):
        found = [one for one in client.request("inductorLens/traces")["traces"] if one["uri"] == uri]
        if found and found[0]["state"] != "loading":
            break
        client.pause(0.05)
    document = {"textDocument": {"uri": uri}}
    for method, rest in OF_A_DOCUMENT.items():
        at = {"position": {"line": 0, "character": text.index("triton_") + 3}} if "position" in rest else {}
        answer(client, method, {**document, **rest, **at})
    report = answer(client, "inductorLens/report", {"uri": uri, "launches": True})["result"]
    (row,) = report["kernels"]
    assert all(row[figure] is None or row[figure] >= 0 for figure in ("bytes", "tb_s", "gflops", "tflops_s"))
    answer(client, "inductorLens/reportText", {"uri": "inductor-lens:/report/active.md"})
    client.notify("textDocument/didClose", document)
    closing = {"command": "inductorLens.closeTrace", "arguments": [uri]}
    assert client.request("workspace/executeCommand", closing)


# --- Files


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes and devices of POSIX")
def test_what_is_no_regular_file_is_refused_and_holds_nothing_up(client: RawClient, tmp_path: Path) -> None:
    """A named pipe would be waited for without end, a device read without end."""
    pipe, cache = tmp_path / "pipe.json", tmp_path / "cache"
    os.mkfifo(pipe)
    name = "c" + "a" * 51 + ".py"
    (cache / "aa").mkdir(parents=True)
    os.mkfifo(cache / "aa" / name)
    for place in (pipe, tmp_path, Path("/dev/zero"), tmp_path / "none.json", cache / "aa" / name):
        arguments = {"command": "inductorLens.openTrace", "arguments": [place.as_uri()]}
        client.request("workspace/executeCommand", arguments)
        state = None
        for _ in range(100):
            traces = client.request("inductorLens/traces")["traces"]
            state = next(trace for trace in traces if trace["uri"] == place.as_uri())
            if state["state"] != "loading":
                break
            client.pause(0.1)
        assert state is not None
        assert state["state"] == "failed", state
        assert state["message"]
        closing = {"command": "inductorLens.closeTrace", "arguments": [place.as_uri()]}
        assert client.request("workspace/executeCommand", closing)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files that are no Unicode")
def test_a_name_that_is_no_unicode_costs_only_itself(tmp_path: Path) -> None:
    """Of a file that a pattern finds, and in settings, where it is named."""
    shutil.copy(EXAMPLE / "trace.json", tmp_path / "good.json")
    shutil.copy(EXAMPLE / "trace.json", tmp_path / os.fsdecode(b"\xff.json"))
    shutil.copytree(EXAMPLE / "cache", tmp_path / os.fsdecode(b"\xff"))
    with RawClient() as client:
        options = {
            "traces": ["*.json"],
            "inductorCacheDirs": ["\ud83d"],
            "captureTraces": ["\0", "~no such user/x"],
        }
        client.initialize(options=options, folder=tmp_path)
        wait_for_trace(client)
        (trace,) = client.request("inductorLens/traces")["traces"]
        assert (trace["label"], trace["triton_launches"]) == ("good.json", 4)
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


# --- The wire


@pytest.mark.parametrize(
    "frame",
    [
        b"\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: five\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: 2\n\n{}",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n{}",
        b"Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}",
        b"X" * 300_000 + b"\r\n\r\n",
        b"Content-Length: 2\r\n\r\n{}{}{}{}",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b'Content-Length: 17\r\n\r\n[{"jsonrpc":"2.0"',
    ],
    ids=lambda frame: repr(frame[:32]),
)
def test_a_broken_frame_costs_no_more_than_itself(client: RawClient, frame: bytes) -> None:
    client.send_bytes(frame)
    answered = answer(client, "noSuchThing", {})
    assert answered["error"]["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]',
        b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"',
        b'\xef\xbb\xbf{"jsonrpc": "2.0"',
        b'"\\ud800"',
        b"1e999",
        b"NaN",
    ],
    ids=repr,
)
def test_a_body_that_is_no_message_is_a_parse_error(client: RawClient, body: bytes) -> None:
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert client.response(None)["error"]["code"] == PARSE_ERROR


# --- The other half of the conversation


class OddClient(RawClient):
    """Answers the server's requests with something that they do not ask for, or not at all."""

    reply: Json | None = None

    def reply_to(self, message: Json) -> None:
        if self.reply is not None:
            self.send({"jsonrpc": "2.0", "id": message["id"], **self.reply})


ASKING: Json = {
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
}


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {"result": 3},
        {"result": [3, "text", [[]]]},
        {"result": {"a": {"b": 1}}},
        {"error": {"code": -32603, "message": "no"}},
        {"error": 3},
    ],
    ids=str,
)
def test_a_client_that_answers_oddly_or_never_gets_all_the_same(reply: Json | None, workspace: Path) -> None:
    """The settings that it sent in the beginning count, so that its traces are loaded."""
    client = OddClient()
    client.reply = reply
    with client:
        client.initialize(ASKING, {"traces": ["trace.json"]}, workspace)
        wait_for_trace(client)
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_a_wrong_setting_is_named_and_the_others_count(workspace: Path) -> None:
    with RawClient() as client:
        client.initialize(
            options={"traces": ["trace.json"], "peakBandwidth": "fast", "codeLens": 3}, folder=workspace
        )
        wait_for_trace(client)
        said = json.dumps([client.notification("window/logMessage")["message"] for _ in range(2)])
        assert "peakBandwidth" in said
        assert "codeLens" in said
        for odd in ODD_VALUES:
            client.notify("workspace/didChangeConfiguration", {"settings": odd})
            client.notify("workspace/didChangeConfiguration", {"settings": {"inductorLens": odd}})
            client.notify("workspace/didChangeConfiguration", {"settings": {"inductorLens": {"traces": odd}}})
        client.notify(
            "workspace/didChangeConfiguration", {"settings": {"inductorLens": {"traces": ["trace.json"]}}}
        )
        wait_for_trace(client)
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr
