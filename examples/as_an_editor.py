"""Opens a generated file as an editor would, over the language server, and prints what it shows.

python examples/as_an_editor.py examples/transformer_block output_code.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PATIENCE_S = 30


class Server:
    """The smallest language client: one request at a time, everything else ignored."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "inductor_lens", "serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = 0
        settings = json.loads((folder / ".vscode" / "settings.json").read_text())
        options = {key.removeprefix("inductorLens."): value for key, value in settings.items()}
        self.request(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            capabilities={},
            initializationOptions=options,
        )
        self.notify("initialized")

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise SystemExit("the language server ended")
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def request(self, method: str, **params: object) -> Any:
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.ids and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})

    def notify(self, method: str, **params: object) -> None:
        self.send({"method": method, "params": params})

    def close(self) -> None:
        self.request("shutdown")
        self.notify("exit")
        self.process.wait(10)


def wait_until_loaded(server: Server) -> None:
    """Until the trace is read and every kernel's source is found; an editor is told to ask again instead."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        report = server.request("inductorLens/report", uri=None, launches=False)
        if report and all(kernel["definition"] for kernel in report["kernels"]):
            return
        time.sleep(0.1)
    raise SystemExit(f"the trace and its sources were not loaded within {PATIENCE_S} s")


def lenses(server: Server, uri: str) -> list[dict[str, Any]]:
    found = server.request("textDocument/codeLens", textDocument={"uri": uri}) or ()
    return [lens if "command" in lens else server.request("codeLens/resolve", **lens) for lens in found]


def shown_lines(server: Server, path: Path) -> Iterator[str]:
    """The lines that a lens stands over or a hint stands in, as an editor renders them, and the first hover."""
    text = path.read_text()
    lines = text.splitlines()
    uri = path.as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    server.notify("textDocument/didOpen", textDocument=document)
    wait_until_loaded(server)
    over = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses(server, uri)}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    hints = server.request("textDocument/inlayHint", textDocument={"uri": uri}, range=whole) or ()
    for number in sorted({*over, *(hint["position"]["line"] for hint in hints)}):
        line = lines[number]
        for hint in (hint for hint in hints if hint["position"]["line"] == number):
            column = hint["position"]["character"]
            label = hint["label"] if isinstance(hint["label"], str) else hint["label"][0]["value"]
            line = f"{line[:column]} [{label.strip()}]{line[column:]}"
        if number in over:
            yield f"{'':>5}  {over[number]}"
        yield f"{number + 1:>5}  {line[:150]}"
    first = min(over)
    position = {"line": first, "character": len(lines[first]) - len(lines[first].lstrip())}
    hover = server.request("textDocument/hover", textDocument={"uri": uri}, position=position)
    yield f"\nand hovering over line {first + 1}\n\n{hover['contents']['value']}"


def main(folder: Path, name: str) -> None:
    server = Server(folder)
    print(f"\n{name}, as the editor shows it")
    for line in shown_lines(server, folder / name):
        print(line)
    server.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2])
