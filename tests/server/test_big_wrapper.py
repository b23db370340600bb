"""A wrapper of thousands of kernels: what is on the screen comes before all of it is read, and other documents'
answers come between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .made_inputs import EXAMPLE, wrapper_of_kernels
from .raw_client import CONTENT_MODIFIED, RawClient

BIG, SMALL = "file:///w/big/output_code.py", "file:///w/small/output_code.py"
SCREEN = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}


def of(uri: str, **rest: object) -> dict[str, object]:
    return {"textDocument": {"uri": uri}, **rest}


@pytest.fixture(scope="module")
def big() -> tuple[str, list[str]]:
    return wrapper_of_kernels(4_000)


@pytest.fixture
def client() -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize(options={"traces": [str(EXAMPLE / "trace.json")]})
        while not any(one["state"] == "ready" for one in client.request("inductorLens/traces")["traces"]):
            client.pause(0.05)
        yield client
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr


def in_turn(client: RawClient, asked: dict[str, Any]) -> list[str]:
    """Waits for all answers and gives the questions in the order in which they were answered."""
    for identity in asked.values():
        client.response(identity, 120)
    return sorted(asked, key=lambda what: client.answered.index(asked[what]))


def test_lenses_and_hovers_come_before_the_whole_is_read(
    client: RawClient, big: tuple[str, list[str]]
) -> None:
    text, names = big
    lines = text.split("\n")
    at = {
        "line": lines.index(f"def {names[-1]}(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):"),
        "character": 6,
    }
    client.open(BIG, text)
    client.open(SMALL, (EXAMPLE / "output_code.py").read_text())
    asked = {
        "hints": client.begin("textDocument/inlayHint", of(BIG, range=SCREEN)),
        "lenses": client.begin("textDocument/codeLens", of(BIG)),
        "hover": client.begin("textDocument/hover", of(BIG, position=at)),
        "definition": client.begin("textDocument/definition", of(BIG, position=at)),
        "small": client.begin("textDocument/codeLens", of(SMALL)),
    }
    order = in_turn(client, asked)
    assert order[-1] == "hints"


def test_what_is_said_early_is_what_is_said_later(client: RawClient, big: tuple[str, list[str]]) -> None:
    text, _ = big
    client.open(BIG, text)
    early = client.request("textDocument/codeLens", of(BIG), 120)
    shown = [client.request("codeLens/resolve", lens) for lens in early[::400]]
    place = {"line": early[-2]["range"]["start"]["line"], "character": 3}
    hover = client.request("textDocument/hover", of(BIG, position=place))["contents"]["value"]
    assert "still being read" in hover
    client.request("textDocument/inlayHint", of(BIG, range=SCREEN), 120)  # waits for the whole
    late = client.request("textDocument/codeLens", of(BIG), 120)
    assert [lens["range"] for lens in late] == [lens["range"] for lens in early]
    assert len(late) == 4_004
    again = [client.request("codeLens/resolve", lens) for lens in late[::400]]
    assert [lens["command"]["title"] for lens in again] == [lens["command"]["title"] for lens in shown]
    # An early lens is good for as long as the text is the same.
    resolved = client.request("codeLens/resolve", early[-2])
    assert resolved["command"]["title"] == "1,536 MB · 1.342 GFLOP"
    later = client.request("textDocument/hover", of(BIG, position=place))["contents"]["value"]
    assert "still being read" not in later
    assert hover.startswith(later)


def test_a_lens_of_an_older_text_is_asked_for_again(client: RawClient) -> None:
    """A line above moves every kernel: the old lens must not get another kernel's figures."""
    text = (EXAMPLE / "output_code.py").read_text()
    client.open(SMALL, text)
    lens = client.request("textDocument/codeLens", of(SMALL))[0]
    change = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "text": "#\n",
    }
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": SMALL, "version": 2}, "contentChanges": [change]}
    )
    assert client.error_of("codeLens/resolve", lens) == CONTENT_MODIFIED
    new = client.request("textDocument/codeLens", of(SMALL))[0]
    assert client.request("codeLens/resolve", new)["command"]["title"]


def test_an_edit_begins_anew_and_the_answers_are_the_last_text_s(
    client: RawClient, big: tuple[str, list[str]]
) -> None:
    text, _ = big
    client.open(BIG, text)
    first = client.request("textDocument/codeLens", of(BIG), 120)[0]["range"]["start"]["line"]
    at = {"line": 0, "character": 0}
    for version in range(2, 6):
        change = {"range": {"start": at, "end": at}, "text": "#\n"}
        document = {"uri": BIG, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    lenses = client.request("textDocument/codeLens", of(BIG), 120)
    assert lenses[0]["range"]["start"]["line"] == first + 4
    assert client.request("codeLens/resolve", lenses[-2])["command"]["title"] == "1,536 MB · 1.342 GFLOP"
