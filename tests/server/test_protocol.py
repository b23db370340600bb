"""What a client may do to the server, and what it gets: an answer or an error that LSP names, never silence,
a traceback or a dead server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .raw_client import (
    CANCELLED,
    CONTENT_MODIFIED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RawClient,
)

HOVER = {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize()
        yield client
        assert client.alive()
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def test_unknown_methods(client: RawClient) -> None:
    assert client.error_of("textDocument/noSuchThing", {}) == METHOD_NOT_FOUND
    assert client.error_of("$/noSuchThing") == METHOD_NOT_FOUND
    client.notify("$/noSuchThing", {})
    client.notify("noSuchThing", [1, 2])


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        7,
        "text",
        {},
        {"textDocument": None, "position": None},
        {"textDocument": {}, "position": {"line": 0, "character": 0}},
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": -1, "character": 0}},
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 1e30, "character": 0}},
        {"textDocument": {"uri": "file:///a.py"}, "position": {"line": "one", "character": 0}},
    ],
)
def test_wrong_params_are_named_as_such(client: RawClient, params: object) -> None:
    assert client.error_of("textDocument/hover", params) == INVALID_PARAMS


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"3", b'"text"', b"\xff\xfe", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1,}'],
)
def test_what_is_no_message_gets_a_parse_error_without_an_id(client: RawClient, body: bytes) -> None:
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    answer = client.response(None)
    assert answer["error"]["code"] == PARSE_ERROR
    assert client.request("textDocument/hover", HOVER) is None


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 5},
        {"jsonrpc": "2.0", "method": 3},
        {"jsonrpc": "2.0", "id": "never-asked", "result": 3},
        {"jsonrpc": "2.0", "id": "never-asked", "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": "never-asked", "error": 3},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 77}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest"},
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {"textDocument": {"uri": "file:///x"}},
        },
        {"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {"token": "none"}},
    ],
)
def test_odd_messages_cost_nothing(client: RawClient, message: object) -> None:
    client.send(message)
    assert client.request("textDocument/hover", HOVER) is None


def test_an_id_that_is_none_is_invalid(client: RawClient) -> None:
    for identity in ([1], {"a": 1}, True, 1.5):
        client.send({"jsonrpc": "2.0", "id": identity, "method": "textDocument/hover", "params": HOVER})
        assert client.response(None)["error"]["code"] == INVALID_REQUEST


def test_a_request_in_a_wrong_version_or_without_one_is_invalid(client: RawClient) -> None:
    for version in ({}, {"jsonrpc": "1.0"}):
        client.send({**version, "id": "odd", "method": "textDocument/hover", "params": HOVER})
        assert client.response("odd")["error"]["code"] == INVALID_REQUEST


def test_headers_in_any_case_with_others_beside_and_rubbish_between(client: RawClient) -> None:
    body = b'{"jsonrpc": "2.0", "id": "h", "method": "textDocument/noSuchThing"}'
    client.send_bytes(b"rubbish\r\nContent-Type: x\r\ncontent-length:%d\r\n\r\n" % len(body) + body)
    assert client.response("h")["error"]["code"] == METHOD_NOT_FOUND
    client.send_bytes(b"Content-Length: 99999999999999\r\n\r\n")
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert client.response("h")["error"]["code"] == METHOD_NOT_FOUND


def test_edits_of_documents_that_were_never_opened(client: RawClient) -> None:
    for uri in (
        "file:///never.py",
        "untitled:Untitled-1",
        "git:/a.py?x",
        "file:///c%3A/x.py",
        "http://a/b",
        "",
        "%",
    ):
        identifier: dict[str, Any] = {"uri": uri, "version": 1}
        client.notify(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"text": "x"}]}
        )
        client.notify("textDocument/didClose", {"textDocument": identifier})
        hover = {"textDocument": identifier, "position": {"line": 4_000_000, "character": 2_000_000_000}}
        assert client.request("textDocument/hover", hover) is None


def test_a_request_that_was_cancelled_or_overtaken_before_its_turn_is_not_begun(client: RawClient) -> None:
    """All in one write, so that the later messages are there when the first is looked at."""
    uri = "file:///overtaken.py"
    client.open(uri, "x = 1\n" * 200_000)  # keeps the loop busy while the rest arrives
    identifier = {"uri": uri, "version": 2}
    messages = [
        {"id": "cancelled", "method": "textDocument/hover", "params": HOVER},
        {"method": "$/cancelRequest", "params": {"id": "cancelled"}},
        {"id": "old", "method": "textDocument/hover", "params": {**HOVER, "textDocument": {"uri": uri}}},
        {
            "method": "textDocument/didChange",
            "params": {"textDocument": identifier, "contentChanges": [{"text": ""}]},
        },
        {"id": "new", "method": "textDocument/hover", "params": {**HOVER, "textDocument": {"uri": uri}}},
    ]
    import json

    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    client.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies))
    assert client.response("new")["result"] is None
    # Whether the loop was quicker is not ours to say; a wrong answer is.
    assert client.response("cancelled").get("error", {"code": CANCELLED})["code"] == CANCELLED
    assert client.response("old").get("error", {"code": CONTENT_MODIFIED})["code"] == CONTENT_MODIFIED
