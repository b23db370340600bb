"""Random messages, valid, damaged and mad, for a bounded time: the server lives, answers, and writes no traceback.

python -m tests.server.test_fuzz [seconds] [seed]      fuzzes for longer
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any

from .raw_client import ROOT, RawClient

EXAMPLE = ROOT / "examples" / "transformer_block"
WRAPPER = (EXAMPLE / "output_code.py").read_text()
TRACE = (EXAMPLE / "trace.json").read_text()
URIS = [
    "file:///f/output_code.py",
    "file:///f/trace.json",
    "file:///f/model.py",
    "untitled:x",
    "",
    "%",
    "a:b",
]
POSITION_METHODS = [
    "hover",
    "definition",
    "implementation",
    "references",
    "documentHighlight",
    "prepareCallHierarchy",
]
DOCUMENT_METHODS = [
    "codeLens",
    "documentSymbol",
    "documentLink",
    "foldingRange",
    "diagnostic",
    "inlayHint",
    "codeAction",
]
OTHER_METHODS = [
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
    "no/suchMethod",
]
NOTIFICATIONS = [
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel",
    "$/cancelRequest",
    "$/setTrace",
    "initialized",
]
COMMANDS = [
    "openTrace",
    "closeTrace",
    "selectTrace",
    "selectBaseline",
    "showReport",
    "openWorstLaunch",
    "ignoreKernel",
]


class Fuzz:
    """A source of messages, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.version = 0

    def message(self) -> tuple[str, Any, bool]:
        """(method, params, is a request)."""
        choose = self.random.random()
        if choose < 0.35:
            method = f"textDocument/{self.random.choice(POSITION_METHODS)}"
            params: Any = {"textDocument": {"uri": self.uri()}, "position": self.position()}
            params["context"] = {"includeDeclaration": True}
            request = True
        elif choose < 0.55:
            method = f"textDocument/{self.random.choice(DOCUMENT_METHODS)}"
            params = {
                "textDocument": {"uri": self.uri()},
                "range": self.range(),
                "context": {"diagnostics": []},
            }
            request = True
        elif choose < 0.7:
            method, params, request = self.random.choice(OTHER_METHODS), self.other_params(), True
        else:
            method, params, request = self.notification()
        if self.random.random() < 0.2:
            params = self.damaged(params)
        return method, params, request

    def uri(self) -> str:
        return self.random.choice(URIS)

    def position(self) -> dict[str, int]:
        line = self.random.choice([0, 1, 57, 76, 230, 247, 390, 10**5, 2**31 - 1])
        return {"line": line, "character": self.random.choice([0, 5, 40, 10**6])}

    def range(self) -> dict[str, Any]:
        return {"start": self.position(), "end": self.position()}

    def other_params(self) -> Any:
        return self.random.choice(
            [
                None,
                {"query": self.random.choice(["", "silu", "é😀", "x" * 1000])},
                {"uri": self.uri(), "launches": True, "kernel": "none"},
                {
                    "command": f"inductorLens.{self.random.choice(COMMANDS)}",
                    "arguments": [self.uri(), "row"][: self.random.randrange(3)],
                },
                {"item": self.item()},
                {
                    "range": self.range(),
                    "data": self.random.choice([None, 3, [], {"uri": self.uri(), "kernel": -1}]),
                },
            ]
        )

    def item(self) -> dict[str, Any]:
        data = self.random.choice([None, "x", {"hash": 3}, {"graph": self.uri()}])
        return {
            "name": "n",
            "kind": 12,
            "uri": self.uri(),
            "range": self.range(),
            "selectionRange": self.range(),
            "data": data,
        }

    def notification(self) -> tuple[str, Any, bool]:
        method = self.random.choice(NOTIFICATIONS)
        self.version += 1
        document = {"uri": self.uri(), "version": self.version}
        text = self.random.choice(
            [
                WRAPPER,
                TRACE,
                "x = 1\n",
                "",
                TRACE[: self.random.randrange(len(TRACE))],
                WRAPPER[: self.random.randrange(len(WRAPPER))],
            ]
        )
        change: dict[str, Any] = {"text": self.random.choice(["", "\n", "😀", "{", "'''", text])}
        if self.random.random() < 0.8:
            change["range"] = self.range()
        language = self.random.choice(["python", "json", "plaintext"])
        params: Any = {
            "textDocument/didOpen": {"textDocument": {**document, "languageId": language, "text": text}},
            "textDocument/didChange": {"textDocument": document, "contentChanges": [change]},
            "textDocument/didClose": {"textDocument": document},
            "workspace/didChangeConfiguration": {"settings": {"inductorLens": self.settings()}},
            "workspace/didChangeWatchedFiles": {"changes": [{"uri": self.uri(), "type": 2}]},
            "workspace/didChangeWorkspaceFolders": {
                "event": {"added": [{"uri": EXAMPLE.as_uri(), "name": "e"}], "removed": []}
            },
            "window/workDoneProgress/cancel": {"token": "x"},
            "$/cancelRequest": {"id": self.random.randrange(self.version + 1)},
            "$/setTrace": {"value": self.random.choice(["off", "verbose"])},
            "initialized": {},
        }[method]
        return method, params, False

    def settings(self) -> Any:
        return self.random.choice(
            [
                {},
                {"traces": ["trace.json"], "lowBandwidth": {"peakPercent": self.random.randrange(100)}},
                {"traces": 3, "device": self.random.choice(["H100", None, 7])},
                {"peakBandwidth": self.random.choice([0, 5.3, -1, "x"])},
                None,
            ]
        )

    def damaged(self, value: Any) -> Any:
        """The value with something in it replaced, removed or repeated."""
        if self.random.random() < 0.3 or not isinstance(value, dict | list) or not value:
            return self.random.choice([None, -1, 2**70, 1.5, "", [], {}, True, [[[]]], {"a": {"b": []}}])
        if isinstance(value, list):
            return [self.damaged(item) for item in value]
        key = self.random.choice(list(value))
        if self.random.random() < 0.2:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: self.damaged(value[key])}


def fuzz(seconds: float, seed: int) -> int:
    """Fuzzes one server; returns how many messages it was sent."""
    source = Fuzz(seed)
    end = time.monotonic() + seconds
    sent = 0
    with RawClient() as client:
        client.initialize({"window": {"workDoneProgress": True}, "workspace": {"configuration": True}})
        asked: list[Any] = []
        while time.monotonic() < end:
            method, params, request = source.message()
            if source.random.random() < 0.02:
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode()
                cut = body[: source.random.randrange(len(body))]
                client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(cut) + cut)
            elif request:
                asked.append(client.begin(method, params))
            else:
                client.notify(method, params)
            sent += 1
            if len(asked) > 50:
                for identity in asked:
                    client.response(identity, timeout=60)
                asked.clear()
        assert client.alive(), client.stderr.decode()
        for identity in asked:
            client.response(identity, timeout=60)
        # It still does its work.
        client.open("file:///after/output_code.py", WRAPPER)
        lenses = client.request(
            "textDocument/codeLens", {"textDocument": {"uri": "file:///after/output_code.py"}}, 60
        )
        assert client.leave() == 0
        assert len(lenses) in (0, 4)
        assert b"Traceback" not in client.stderr, client.stderr.decode()
    return sent


def test_some_seconds_of_random_messages() -> None:
    assert fuzz(4, seed=20260730) > 50


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    for number in range(10**6 if not given else 1):
        seed = given[1] if len(given) > 1 else number
        print(f"seed {seed}: {fuzz(given[0] if given else 20, seed)} messages")
