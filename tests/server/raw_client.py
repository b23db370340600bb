"""The plainest client there is: bytes to a server's stdin and messages from its stdout. Shows what a library
would hide: the exact error codes, stray output, what stays alive."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, NOT_INITIALIZED, CANCELLED, CONTENT_MODIFIED = -32603, -32002, -32800, -32801

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "import sys; from inductor_lens.cli import main; sys.exit(main())", "serve"]

NOWHERE = tempfile.mkdtemp(prefix="nowhere-")
"""An empty folder, so that no cache of this machine is found."""
atexit.register(shutil.rmtree, NOWHERE, ignore_errors=True)


def environment(**extra: str) -> dict[str, str]:
    """The environment of a server under test: this checkout's code, none of this machine's caches."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT)]),
        "TORCHINDUCTOR_CACHE_DIR": f"{NOWHERE}/none",
        "HOME": NOWHERE,
        "TMPDIR": NOWHERE,
        **extra,
    }


class RawClient:
    """Starts a server and talks to it. Requests of the server are answered with null."""

    def __init__(self, *arguments: str, command: list[str] | None = None, **env: str) -> None:
        self.process = subprocess.Popen(
            [*(command or COMMAND), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**env),
        )
        self.notifications: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.requests: list[dict[str, Any]] = []
        self.stderr = bytearray()
        self.answered: list[Any] = []
        """The ids of all answers in their order."""
        self._responses: dict[Any, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self._ids = 0
        self._reading = threading.Event()
        self._reading.set()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._read, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: object = None, identity: object = None) -> Any:
        """Sends a request and gives its id."""
        self._ids += 1
        identity = self._ids if identity is None else identity
        self.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        return identity

    def response(self, identity: Any, timeout: float = 60) -> dict[str, Any]:
        with self._arrived:
            self._arrived.wait_for(
                lambda: identity in self._responses or not self._threads[0].is_alive(), timeout
            )
            assert identity in self._responses, (
                f"no answer to {identity}: {self.stderr.decode(errors='replace')}"
            )
            return self._responses.pop(identity)

    def request(self, method: str, params: object = None, timeout: float = 60) -> Any:
        """The result of a request; fails on an error."""
        answer = self.response(self.begin(method, params), timeout)
        assert "error" not in answer, answer
        return answer["result"]

    def error_of(self, method: str, params: object = None) -> int:
        """The error code that a request gets."""
        answer = self.response(self.begin(method, params))
        assert "error" in answer, answer
        code: int = answer["error"]["code"]
        return code

    def notification(self, method: str, timeout: float = 60) -> Any:
        """The params of the next notification of this method; others before it are dropped."""
        end = time.monotonic() + timeout
        while True:
            message = self.notifications.get(timeout=max(0.0, end - time.monotonic()))
            if message["method"] == method:
                return message["params"]

    def initialize(
        self, capabilities: dict[str, Any] | None = None, options: object = None, folder: Path | None = None
    ) -> Any:
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder else None
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri() if folder else None,
                "workspaceFolders": folders,
                "capabilities": capabilities or {},
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def pause_reading(self) -> None:
        """From now on the server's messages stay in the pipe."""
        self._reading.clear()

    def pause(self, seconds: float) -> None:
        """Waits, but not for a server that has ended."""
        assert self.alive(), self.stderr.decode(errors="replace")
        time.sleep(seconds)

    def alive(self) -> bool:
        return self.process.poll() is None

    def leave(self) -> int:
        """Shuts the server down in the proper order and gives its exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(10)

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        if self.alive():
            self.process.kill()
        self.process.wait(10)
        self._reading.set()
        for thread in self._threads:
            thread.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _read(self) -> None:
        try:
            self._read_messages()
        finally:
            with self._arrived:
                self._arrived.notify_all()

    def _read_messages(self) -> None:
        out = self.process.stdout
        assert out is not None
        while header := out.readline():
            length = None
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = out.readline()
            assert length is not None, "the server wrote something that is no message"
            body = out.read(length)
            if len(body) < length:
                return  # the server ended in the middle of a message
            self._take(json.loads(body, parse_constant=_no_json))
            self._reading.wait()

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read1():
            self.stderr += data

    def reply_to(self, message: dict[str, Any]) -> None:
        """Answers a request of the server's."""
        asks = message["method"] == "workspace/configuration"
        result = [{} for _ in message["params"]["items"]] if asks else None
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            self.requests.append(message)
            self.reply_to(message)
        elif "method" in message:
            self.notifications.put(message)
        else:
            with self._arrived:
                self._responses[message.get("id")] = message
                self.answered.append(message.get("id"))
                self._arrived.notify_all()


def _no_json(constant: str) -> None:
    """NaN and the infinities, which Python would write and no other client reads."""
    raise AssertionError(f"the server wrote {constant}")
