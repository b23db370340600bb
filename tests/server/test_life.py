"""How a server begins and ends: whatever a client does or suffers, no server outlives it, and every state has an
exit code."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .made_inputs import trace_of_size
from .raw_client import COMMAND, INVALID_PARAMS, INVALID_REQUEST, NOT_INITIALIZED, RawClient, environment

HOVER = {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}
PARAMS = {"processId": None, "rootUri": None, "capabilities": {}}

# --- What may come when


def test_a_request_before_initialize_is_refused_by_its_code_and_costs_nothing() -> None:
    with RawClient() as client:
        for method in ("textDocument/hover", "shutdown", "inductorLens/traces", "noSuchThing"):
            assert client.error_of(method, HOVER) == NOT_INITIALIZED
        client.notify("textDocument/didOpen", {})
        client.notify("initialized", {})
        client.initialize()
        assert client.request("textDocument/hover", HOVER) is None
        assert client.leave() == 0


def test_an_initialize_with_wrong_params_may_be_said_again_rightly() -> None:
    with RawClient() as client:
        wrong: list[object] = [None, [], {}, {"capabilities": 3}, {**PARAMS, "processId": "me"}]
        for params in wrong:
            assert client.error_of("initialize", params) == INVALID_PARAMS
        client.initialize()
        assert client.request("textDocument/hover", HOVER) is None
        assert client.leave() == 0


@pytest.mark.parametrize(
    "odd",
    [
        {"processId": 0, "rootUri": "not a uri", "trace": "verbose", "initializationOptions": 3},
        {"processId": -1, "rootPath": "relative/path", "locale": "x" * 100_000},
        {"processId": 2**31 - 1, "rootUri": "file:///c%3A/Users/me", "workspaceFolders": []},
        {
            "rootUri": "file:///%00",
            "workspaceFolders": [{"uri": "untitled:", "name": ""}, {"uri": "", "name": ""}],
            "initializationOptions": {"traces": {"a": [None]}, "lowBandwidth": 7, "codeLens": "yes"},
        },
    ],
)
def test_an_odd_beginning_is_a_beginning(odd: dict[str, object]) -> None:
    with RawClient() as client:
        client.request("initialize", {**PARAMS, **odd})
        client.notify("initialized", {})
        assert client.request("textDocument/hover", HOVER) is None
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_a_second_initialize_is_invalid_and_changes_nothing() -> None:
    with RawClient() as client:
        client.initialize()
        assert client.error_of("initialize", PARAMS) == INVALID_REQUEST
        client.notify("initialized", {})
        assert client.request("textDocument/hover", HOVER) is None
        assert client.leave() == 0


def test_requests_after_shutdown_are_invalid_and_notifications_pass_by() -> None:
    with RawClient() as client:
        client.initialize()
        client.request("shutdown")
        for method in ("textDocument/hover", "shutdown", "initialize", "noSuchThing"):
            assert client.error_of(method, HOVER) == INVALID_REQUEST
        client.open("file:///late.py", "x = 1\n")
        client.notify("exit")
        assert client.process.wait(10) == 0
        assert b"Traceback" not in client.stderr


def test_a_client_that_never_says_initialized_gets_answers() -> None:
    with RawClient() as client:
        client.request("initialize", PARAMS)
        client.open("file:///a.py", "x = 1\n")
        assert client.request("textDocument/codeLens", {"textDocument": {"uri": "file:///a.py"}}) == []
        assert client.leave() == 0


# --- The end


@pytest.fixture(scope="module")
def big_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that takes seconds to load."""
    path = tmp_path_factory.mktemp("traces") / "big.json"
    path.write_bytes(trace_of_size(60_000_000))
    return path


def loading(client: RawClient, trace: Path) -> None:
    client.initialize()
    arguments = {"command": "inductorLens.openTrace", "arguments": [trace.as_uri()]}
    client.request("workspace/executeCommand", arguments)


STATES: dict[str, Callable[[RawClient, Path], object]] = {
    "before initialize": lambda client, trace: None,
    "before initialized": lambda client, trace: client.request("initialize", PARAMS),
    "initialized": lambda client, trace: client.initialize(),
    "while a trace loads": loading,
}


@pytest.mark.parametrize("state", STATES)
def test_exit_without_shutdown_ends_with_1_in_every_state(state: str, big_trace: Path) -> None:
    with RawClient() as client:
        STATES[state](client, big_trace)
        client.notify("exit")
        assert client.process.wait(10) == 1
        assert b"Traceback" not in client.stderr


@pytest.mark.parametrize("state", [state for state in STATES if state != "before initialize"])
def test_shutdown_then_exit_ends_with_0_in_every_state(state: str, big_trace: Path) -> None:
    with RawClient() as client:
        STATES[state](client, big_trace)
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


@pytest.mark.parametrize("state", STATES)
def test_the_end_of_the_input_ends_the_server_in_every_state(state: str, big_trace: Path) -> None:
    with RawClient() as client:
        STATES[state](client, big_trace)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(10) == 1
        assert b"Traceback" not in client.stderr


@pytest.mark.parametrize("begun", [b"Content-Le", b"Content-Length: 10\r\n\r\n{}"], ids=repr)
def test_an_input_that_ends_within_a_message_ends_the_server(begun: bytes) -> None:
    run = subprocess.run(
        COMMAND, check=False, input=begun, capture_output=True, timeout=20, env=environment()
    )
    assert run.returncode == 1
    assert b"Traceback" not in run.stderr


def test_a_client_that_hangs_up_with_answers_unread_ends_the_server() -> None:
    """Its pipe is full, so the server waits in the middle of a message when the end comes."""
    with RawClient() as client:
        client.initialize()
        client.pause_reading()
        symbols = {"jsonrpc": "2.0", "method": "x" * 60_000, "id": 1}
        for _ in range(40):
            client.send(symbols)
        time.sleep(0.5)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(15) != 0


def test_over_tcp_the_end_of_the_connection_ends_the_server() -> None:
    """Whether it is closed or reset in the middle of an answer."""
    for linger in (False, True):
        with subprocess.Popen([*COMMAND, "--tcp", "0"], stderr=subprocess.PIPE, env=environment()) as server:
            assert server.stderr is not None
            port = int(server.stderr.readline().rpartition(b":")[2])
            with socket.create_connection(("127.0.0.1", port)) as connection:
                body = json.dumps(
                    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}
                ).encode()
                connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                assert connection.recv(100).startswith(b"Content-Length: ")
                if linger:  # the rest of the answer is unread, and the connection is reset
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.sendall((b"Content-Length: %d\r\n\r\n" % len(body) + body) * 100)
            assert server.wait(15) == 1
            assert b"Traceback" not in server.stderr.read()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_an_output_that_cannot_be_written_ends_the_server() -> None:
    with Path("/dev/full").open("wb") as full:
        server = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE, env=environment()
        )
        with server:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}).encode()
            assert server.stdin is not None
            server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            server.stdin.flush()
            assert server.wait(15) == 1
            assert server.stderr is not None
            assert b"Traceback" not in server.stderr.read()


# --- The client dies

CLIENT = """
import json, os, subprocess, sys, time
command, helped, trace = json.loads(sys.argv[1])
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
helper = subprocess.Popen(["sleep", "60"], stdin=server.stdout, stdout=server.stdin) if helped else None

def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()

send(id=1, method="initialize", params={"processId": os.getpid(), "rootUri": None, "capabilities": {}})
server.stdout.readline()
if trace:
    send(method="initialized", params={})
    send(id=2, method="workspace/executeCommand",
         params={"command": "inductorLens.openTrace", "arguments": [trace]})
print(server.pid, helper.pid if helper else server.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("helped", [False, True], ids=["alone", "its pipes are held open by a helper"])
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "a trace loads"])
def test_a_killed_client_leaves_no_server(helped: bool, busy: bool, big_trace: Path) -> None:
    arguments = json.dumps([COMMAND, helped, str(big_trace) if busy else None])
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, arguments], stdout=subprocess.PIPE, env=environment()
    )
    assert client.stdout is not None
    server, helper = (int(pid) for pid in client.stdout.readline().split())
    try:
        time.sleep(2.5 if helped else 0.2)  # with a helper, the server must have seen its client alive
        client.send_signal(signal.SIGKILL)
        client.wait(10)
        assert gone(server, 10)
    finally:
        for pid in {server, helper}:
            if not gone(pid, 0):
                os.kill(pid, signal.SIGKILL)
        client.stdout.close()


def gone(pid: int, seconds: float) -> bool:
    """Whether a process ends within some time; one that nobody waits for may remain as a zombie."""
    end = time.monotonic() + seconds
    while True:
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], check=False, capture_output=True, text=True
        )
        if not state.stdout.strip() or state.stdout.startswith("Z"):
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
