"""Random messages to a server, the same for the same seed: what an editor sends, the same with parts of it replaced,
and bytes that are no message. `converse` sends them and asserts what must hold of any conversation."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from .made_inputs import EXAMPLE
from .raw_client import INTERNAL_ERROR, RawClient

Json = dict[str, Any]

WRAPPER = (EXAMPLE / "output_code.py").read_text()
TRACE = (EXAMPLE / "trace.json").read_text()
AT_A_POSITION = "hover definition implementation references documentHighlight prepareCallHierarchy".split()
OF_A_DOCUMENT = (
    "codeLens documentSymbol documentLink foldingRange diagnostic inlayHint codeAction noSuchRequest".split()
)
OTHERS = [
    "codeLens/resolve",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "workspace/symbol",
    "workspace/executeCommand",
    "workspace/textDocumentContent",
    "inductorLens/traces",
    "inductorLens/report",
    "inductorLens/launches",
    "inductorLens/reportText",
    "initialize",
    "no/such/method",
]
COMMANDS = (
    "openTrace closeTrace selectTrace selectBaseline showReport openWorstLaunch ignoreKernel no".split()
)
ODD: list[object] = [None, -1, 2**70, 1.5, "", "x" * 1000, "\ud83d", [], {}, True, [[[]]], {"a": {"b": []}}]
ROUND = 50
"""Requests that may be open at once."""


class OddClient(RawClient):
    """Answers each request of the server's at random, or not at all."""

    def __init__(self, random: Random) -> None:
        self.random = random
        super().__init__()

    def reply_to(self, message: Json) -> None:
        if self.random.random() < 0.7:
            super().reply_to(message)
        elif self.random.random() < 0.8:
            kind = self.random.choice(["result", "error"])
            self.send({"jsonrpc": "2.0", "id": message["id"], kind: self.random.choice(ODD)})


class Messages:
    """What is sent next."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.version = 0
        here = [(EXAMPLE / name).as_uri() for name in ("output_code.py", "trace.json", "none.json")]
        self.uris = [
            *here,
            "file:///f/model.py",
            "untitled:x",
            "",
            "%",
            "a:b",
            "inductor-lens:/report/active.md",
        ]

    def request(self) -> tuple[str, Any]:
        """(method, params)."""
        choose = self.random.choice
        kind = self.random.random()
        document = {"textDocument": {"uri": choose(self.uris)}}
        if kind < 0.45:
            context = {"includeDeclaration": True}
            params: Any = {**document, "position": self.position(), "context": context}
            return f"textDocument/{choose(AT_A_POSITION)}", self.perhaps_damaged(params)
        if kind < 0.75:
            params = {**document, "range": self.range(), "context": {"diagnostics": []}}
            return f"textDocument/{choose(OF_A_DOCUMENT)}", self.perhaps_damaged(params)
        data = choose(
            [None, 3, [], {"uri": choose(self.uris), "kernel": choose([0, -1, 3, 99]), "row": "none"}]
        )
        place = {"name": "n", "kind": 12, "uri": choose(self.uris), "range": self.range()}
        params = {
            "query": choose(["", "silu", "é\U0001f600", "x" * 1000]),
            "uri": choose(self.uris),
            "launches": True,
            "kernel": "none",
            "command": f"inductorLens.{choose(COMMANDS)}",
            "arguments": [choose(self.uris), "row"][: self.random.randrange(3)],
            "item": {
                **place,
                "selectionRange": self.range(),
                "data": choose([None, {"graph": choose(self.uris)}]),
            },
            "range": self.range(),
            "data": data,
        }
        return choose(OTHERS), self.perhaps_damaged(params)

    def notification(self) -> tuple[str, Any]:
        """(method, params)."""
        choose = self.random.choice
        self.version += 1
        document = {"uri": choose(self.uris), "version": self.version}
        text = choose([WRAPPER, TRACE, "x = 1\n", ""])
        text = text[: self.random.randrange(len(text) + 1)] if self.random.random() < 0.5 else text
        change: Json = {"text": choose(["", "\n", "\r", "\U0001f600", "\udfff", "{", "'''", '"', text])}
        if self.random.random() < 0.8:
            change["range"] = self.range()
        added = [{"uri": EXAMPLE.as_uri(), "name": "e"}, {"uri": choose(self.uris), "name": "odd"}]
        of_all = {
            "textDocument/didOpen": {
                "textDocument": {**document, "languageId": choose(["python", "json", "text"]), "text": text}
            },
            "textDocument/didChange": {"textDocument": document, "contentChanges": [change]},
            "textDocument/didClose": {"textDocument": document},
            "workspace/didChangeConfiguration": {"settings": {"inductorLens": self.settings()}},
            "workspace/didChangeWatchedFiles": {
                "changes": [{"uri": choose(self.uris), "type": choose([1, 2, 3])}]
            },
            "workspace/didChangeWorkspaceFolders": {
                "event": {"added": added[: self.random.randrange(3)], "removed": added[:1]}
            },
            "window/workDoneProgress/cancel": {"token": "none"},
            "$/cancelRequest": {"id": self.random.randrange(self.version + 1)},
            "$/setTrace": {"value": choose(["off", "verbose"])},
            "initialized": {},
            "no/such/notification": {},
        }
        method = choose(list(of_all))
        return method, self.perhaps_damaged(of_all[method])

    def bytes(self) -> bytes:
        """A message that is cut, with or without a length that says so, or no message."""
        body = json.dumps({"jsonrpc": "2.0", "id": "cut", "method": self.request()[0]}).encode()
        body = body[: self.random.randrange(len(body))]
        return self.random.choice(
            [
                b"Content-Length: %d\r\n\r\n" % len(body) + body,
                b"Content-Length: 2\r\n\r\n{}" + body + b"\r\n",
                b"Content-Length: -%d\r\n\r\n" % len(body),
                self.random.randbytes(40).replace(b":", b"") + b"\r\n\r\n",
            ]
        )

    def position(self) -> Json:
        line = self.random.choice([0, 1, 57, 76, 230, 247, 390, 10**5, 2**31 - 1])
        return {"line": line, "character": self.random.choice([0, 5, 40, 10**6])}

    def range(self) -> Json:
        return {"start": self.position(), "end": self.position()}

    def settings(self) -> Any:
        choose = self.random.choice
        return choose(
            [
                {},
                {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": self.random.randrange(100)}},
                {"traces": ["*.json", "${workspaceFolder}/**/t*"], "inductorCacheDirs": ["cache"]},
                {"device": choose(["H100", None, 7]), "captureTraces": ["trace.json"]},
                {"peakBandwidth": choose([0, 5.3, -1, "x"]), "diagnostics": choose([True, False])},
                None,
            ]
        )

    def perhaps_damaged(self, params: Any) -> Any:
        return self.damaged(params) if self.random.random() < 0.25 else params

    def damaged(self, value: Any) -> Any:
        """The value with something in it replaced or removed."""
        if self.random.random() < 0.3 or not isinstance(value, dict | list) or not value:
            return self.random.choice(ODD)
        if isinstance(value, list):
            return [self.damaged(item) for item in value]
        key = self.random.choice(list(value))
        if self.random.random() < 0.2:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: self.damaged(value[key])}


def converse(seed: int, count: int) -> None:
    """Sends a server `count` random messages. Each request gets one answer, which is never a failure of the server's
    own; no traceback is written; and in the end the server works as in the beginning and leaves properly."""
    random = Random(seed)
    messages = Messages(random)
    capabilities = {
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
        "workspace": {
            "configuration": True,
            "didChangeWatchedFiles": {"dynamicRegistration": random.random() < 0.5},
            "codeLens": {"refreshSupport": True},
        },
    }
    with OddClient(Random(seed)) as client:
        client.initialize(capabilities, {"traces": ["trace.json"]}, EXAMPLE)
        asked: dict[Any, tuple[str, Any]] = {}
        for _ in range(count):
            kind = random.random()
            if kind < 0.03:
                client.send_bytes(messages.bytes())
            elif kind < 0.65:
                method, params = messages.request()
                asked[client.begin(method, params)] = (method, params)
            else:
                client.notify(*messages.notification())
            if len(asked) == ROUND:
                _answers(client, asked)
        _answers(client, asked)
        _still_works(client)
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr, client.stderr.decode(errors="replace")


def _answers(client: RawClient, asked: dict[Any, tuple[str, Any]]) -> None:
    for identity, request in asked.items():
        answer = client.response(identity, 60)
        assert ("result" in answer) != ("error" in answer), (request, answer)
        assert answer.get("error", {}).get("code") != INTERNAL_ERROR, (request, answer)
    asked.clear()


def _still_works(client: RawClient) -> None:
    client.notify("workspace/didChangeConfiguration", {"settings": {"inductorLens": {"codeLens": True}}})
    document = {"textDocument": {"uri": "file:///after/output_code.py"}}
    client.open(document["textDocument"]["uri"], WRAPPER)
    assert len(client.request("textDocument/codeLens", document, 60)) == 4
