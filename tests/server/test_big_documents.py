"""Documents of the greatest size that editors send, and storms of edits in them."""

from __future__ import annotations

import json
from typing import Any

from .raw_client import ROOT, RawClient

EVERYWHERE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000_000, "character": 0}}
TRACE = ROOT / "tests" / "inputs" / "00-good.json"


def document(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}}


def ready(client: RawClient) -> dict[str, Any]:
    """The one trace, once it is loaded."""
    import time

    while True:
        trace: dict[str, Any] = client.request("inductorLens/traces")["traces"][0]
        if trace["state"] != "loading":
            return trace
        time.sleep(0.05)


def big_trace(megabytes: int) -> str:
    """The good launch of tests/inputs after very many events that are none, with text that is not ASCII."""
    good = json.loads(TRACE.read_text())
    other = {"ph": "X", "cat": "cpu_op", "name": "aten::mül 😀", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
    line = json.dumps(other, ensure_ascii=False)
    count = megabytes * 1_000_000 // (len(line.encode()) + 2)
    events = [line] * count + [json.dumps(event) for event in good.pop("traceEvents")]
    return json.dumps(good)[:-1] + ', "traceEvents": [\n' + ",\n".join(events) + "\n]}"


def test_a_trace_of_34_mb_and_a_thousand_edits_in_it() -> None:
    uri = "file:///big/trace.json"
    text = big_trace(34)
    with RawClient() as client:
        client.initialize()
        client.open(uri, text, "json")
        assert ready(client)["triton_launches"] == 1
        hints = client.request("textDocument/inlayHint", {**document(uri), "range": EVERYWHERE})
        (hint,) = hints
        assert hint["label"] == "1.81 TB/s"
        line = text.split("\n")[hint["position"]["line"]]
        assert line[: hint["position"]["character"]].endswith('"triton_poi_fused_add_0"')

        for number in range(1000):
            at = {"line": 2 + number, "character": 0}
            change = {"range": {"start": at, "end": at}, "text": "\n" if number % 2 else " "}
            identifier = {"uri": uri, "version": 2 + number}
            client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        while not (hints := client.request("textDocument/inlayHint", {**document(uri), "range": EVERYWHERE})):
            ready(client)
        # Five hundred line breaks stand before it now.
        assert hints[0]["position"] == {**hint["position"], "line": hint["position"]["line"] + 500}
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


KERNEL = """
triton_poi_fused_add_{n} = async_compile.triton('triton_poi_fused_add_{n}', '''
import triton
import triton.language as tl
from torch._inductor.runtime import triton_heuristics

@triton_heuristics.pointwise(
    size_hints={{'x': 1048576}},
    filename=__file__,
    triton_meta={{'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}}}},
    inductor_meta={{'kernel_name': 'triton_poi_fused_add_{n}'}},
)
@triton.jit
def triton_poi_fused_add_{n}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), None)
    tl.store(out_ptr0 + (xindex), tmp0 + tmp0, None)
''', device_str='cuda')
"""


def test_ten_thousand_kernels_in_one_wrapper() -> None:
    count = 10_000
    kernels = "".join(KERNEL.format(n=number) for number in range(count))
    calls = "".join(
        f"    triton_poi_fused_add_{number}.run(arg0_1, buf{number}, 1048576, stream=stream0)\n"
        for number in range(count)
    )
    head = "from torch._inductor.async_compile import AsyncCompile\nasync_compile = AsyncCompile()\n"
    text = f"{head}{kernels}\nasync_compile.wait(globals())\n\ndef call(args):\n    arg0_1, = args\n{calls}"
    uri = "file:///big/output_code.py"
    with RawClient() as client:
        client.initialize()
        client.open(uri, text)
        lenses = client.request("textDocument/codeLens", document(uri), timeout=120)
        assert len(lenses) == count
        resolved = client.request("codeLens/resolve", lenses[-1])
        assert resolved["command"]["title"] == "8 MB · 0.001 GFLOP"
        symbols = client.request("textDocument/documentSymbol", document(uri), timeout=60)
        assert len(symbols) == count + 1
        assert len(symbols[-1]["children"]) == count
        last_call = text.count("\n") - 1
        where = {**document(uri), "position": {"line": last_call, "character": 8}}
        (target,) = client.request("textDocument/definition", where)
        line = text.split("\n")[target["range"]["start"]["line"]]
        assert line.startswith(f"def triton_poi_fused_add_{count - 1}(")
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_positions_outside_the_text_and_uris_of_every_kind_get_empty_answers() -> None:
    text = (ROOT / "examples" / "transformer_block" / "output_code.py").read_text()
    uris = [
        "file:///c%3A/Users/me/output_code.py",
        "file:///C:/Users/me/output_code.py",
        "file://server/share/output_code.py",
        "file:///a%20b/%C3%A9%F0%9F%98%80/output_code.py",
        "file:///%ZZ/output_code.py",
        "untitled:Untitled-1",
        "vscode-notebook-cell:/a/b.ipynb#W0sZmlsZQ",
        "git:/a/output_code.py?%7B%7D",
        "inductor-lens:/report/active.md",
        "https://example.org/output_code.py",
        "output_code.py",
        "",
    ]
    with RawClient() as client:
        client.initialize()
        for uri in uris:
            client.open(uri, text)
            assert len(client.request("textDocument/codeLens", document(uri))) == 4, uri
            for line, character in ((10**6, 0), (0, 10**6), (2**31 - 1, 2**31 - 1), (230, 10**9)):
                where = {**document(uri), "position": {"line": line, "character": character}}
                for method in ("hover", "definition", "implementation", "documentHighlight"):
                    answer = client.request(f"textDocument/{method}", where)
                    assert line == 230 or not answer
                client.request("textDocument/references", {**where, "context": {"includeDeclaration": True}})
            for method in ("documentSymbol", "documentLink", "foldingRange", "diagnostic"):
                client.request(f"textDocument/{method}", document(uri))
            client.notify("textDocument/didClose", document(uri))
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_line_ends_of_every_kind() -> None:
    """CR LF files have the same lines; a lone CR ends a line too; a form feed and U+2028 do not."""
    text = (ROOT / "examples" / "transformer_block" / "output_code.py").read_text()
    for end in ("\r\n", "\r"):
        with RawClient() as client:
            client.initialize()
            uri = "file:///ends/output_code.py"
            client.open(uri, "# \u2028\x0c\x85" + end + text.replace("\n", end))
            lenses = client.request("textDocument/codeLens", document(uri))
            assert [lens["range"]["start"]["line"] for lens in lenses] == [58, 145, 231, 284]
            assert client.leave() == 0
