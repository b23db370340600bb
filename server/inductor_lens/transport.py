"""Messages in and out over a pair of byte streams: stdio, or the two halves of a socket.

A thread reads ahead of the event loop, so that the loop, before it begins a request, knows whether the
client has already cancelled it or changed its document (`Inbox`). The end of the input ends the server, and so
does the death of the client, even while the loop waits in a write that nobody reads.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

import orjson

from inductor_lens.protocol import LensProtocol

_CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,10})[ \t]*\r?\n$", re.IGNORECASE)
"""Not anchored at the line's start: after a message with a wrong length, the next header still counts."""

LONGEST_HEADER = 1 << 16
PIECE = 1 << 20
LONGEST_MESSAGE = 1 << 31
CLIENT_POLL_SECONDS = 2.0
GRACE_SECONDS = 3.0
"""How long a loop whose client is gone may take to end by itself."""


def serve(protocol: LensProtocol, reader: BinaryIO, writer: BinaryIO) -> int:
    """Speaks LSP until `exit`, the end of the input, or the death of the client; returns the exit code."""
    protocol.set_writer(_Writer(writer, lambda: protocol.on_stop(1)))
    return asyncio.run(_serve(protocol, reader))


class _Writer:
    """What cannot be written ends the conversation. It raises nothing, since whoever reports that would write."""

    def __init__(self, stream: BinaryIO, broken: Callable[[], None]) -> None:
        self._stream = stream
        self._broken = broken

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._broken()

    def close(self) -> None:
        self._stream.close()


async def _serve(protocol: LensProtocol, reader: BinaryIO) -> int:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    over = threading.Event()

    def stop(code: int) -> None:
        if not stopped.done():
            stopped.set_result(code)

    def post(call: Callable[..., None], *args: object) -> None:
        try:
            loop.call_soon_threadsafe(call, *args)
        except RuntimeError:
            return  # the loop has ended, and nobody waits for this message

    def read() -> None:
        for body in _bodies(reader):
            message = _decode(body)
            post(protocol.receive, message, protocol.inbox.note(message))
        hung_up()

    def watch() -> None:
        if _wait_for_death(protocol, over):
            hung_up()

    def hung_up() -> None:
        post(stop, 1)
        if not over.wait(GRACE_SECONDS):
            os._exit(1)

    protocol.on_stop = lambda code: post(stop, code)  # a message may be written in any thread
    for work in (read, watch):
        threading.Thread(target=work, name=work.__name__, daemon=True).start()
    try:
        return await stopped
    finally:
        over.set()


def _bodies(reader: BinaryIO) -> Iterator[bytes]:
    length = None
    try:
        while header := reader.readline(LONGEST_HEADER):
            if found := _CONTENT_LENGTH.search(header):
                length = int(found[1])
            elif not header.strip() and length is not None:
                if length < LONGEST_MESSAGE:
                    yield _exactly(reader, length)
                length = None
    except (OSError, ValueError):
        return  # the stream was closed under the reader


def _exactly(reader: BinaryIO, length: int) -> bytes:
    """So many bytes, or those up to the end; a length that is a lie takes no memory."""
    pieces = []
    while length > 0 and (piece := reader.read(min(length, PIECE))):
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def _decode(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    # Editors hold text that is no Unicode and send it as it is: half a surrogate pair, a byte of another encoding.
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _wait_for_death(protocol: LensProtocol, over: threading.Event) -> bool:
    """Returns True when the client's process is gone, though its end of the pipe may still be held open.

    A client in another container has an id that means nothing here, so only one that was alive is watched.
    """
    if sys.platform == "win32":
        return False  # there, the end of the pipe is the only sign that asks for no rights
    seen = False
    while not over.wait(CLIENT_POLL_SECONDS):
        pid = protocol.client_process
        if pid is None:
            continue
        if _alive(pid):
            seen = True
        elif seen:
            return True
    return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
