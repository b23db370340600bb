"""The language server of one client, and how it is served."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified
from pygls.lsp.server import LanguageServer

from inductor_lens import __version__, transport
from inductor_lens.documents import Document, Version
from inductor_lens.editor import Editor
from inductor_lens.lazy import lazy
from inductor_lens.log import start_log
from inductor_lens.protocol import LensProtocol

if TYPE_CHECKING:
    from inductor_lens import host as hosting
    from inductor_lens.reading import AsideLane
    from inductor_lens.session import Session
else:
    hosting = lazy("inductor_lens.host")

P = ParamSpec("P")
Q = TypeVar("Q")
T = TypeVar("T")

logger = logging.getLogger(__name__)

SWITCH_SECONDS = 0.001
"""How long a thread that reads a trace or a source goes on before an answer may come between (Python's own: 0.005)."""


class LensServer(LanguageServer):
    """pygls's server over `LensProtocol`, with what one client's session is made of."""

    protocol: LensProtocol

    def __init__(self) -> None:
        super().__init__("inductor-lens", __version__, protocol_cls=LensProtocol)
        self.editor = Editor(self)
        self.beginning: types.InitializeParams | None = None

    @cached_property
    def host(self) -> hosting.Host:
        """What happens in this client's session."""
        return hosting.Host(self.protocol.documents, self.editor)

    @property
    def session(self) -> Session:
        """What is known in it."""
        return self.host.session

    async def ours(
        self, uri: str, *, at: types.Position | None = None, seen: bool = False
    ) -> Document | None:
        """The open document, as soon as it is read from its present text; None if it is none of ours. Of a big wrapper
        it suffices that its kernels are `seen`, or that the one `at` a position is read, for who asks for no more.

        Raises `ContentModified` if it changes meanwhile: no answer is for an old text."""
        document = self.session.documents.get(uri)
        if document is None or not self.session.is_ours(document):
            return None
        before = document.version
        sources = self.host.sources
        if seen:
            await sources.seen(document)
        elif at is not None:
            await sources.seen_at(document, at)
        else:
            await sources.settle(document)
        self._check(document, before)
        return document

    async def aside(self, lane: AsideLane, feature: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The answer of a feature that takes time or looks at the disk, found off the event loop."""
        return await self.host.sources.aside(lane, feature, *args, **kwargs)

    async def searched(self, search: Callable[[Session, Q, Callable[[], bool]], T], query: Q) -> T:
        """What a search through all that is known finds. It stops when the client no longer wants it."""
        given_up = threading.Event()
        try:
            return await self.aside("symbols", search, self.session, query, given_up.is_set)
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def told_aside(
        self,
        lane: AsideLane,
        feature: Callable[Concatenate[Session, Document, P], T],
        document: Document,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same of a document. Raises `ContentModified` if it changes meanwhile."""
        before = document.version
        answer = await self.aside(lane, feature, self.session, document, *args, **kwargs)
        self._check(document, before)
        return answer

    def _check(self, document: Document, before: Version) -> None:
        if document.version != before or self.session.documents.get(document.uri) is not document:
            raise JsonRpcContentModified

    def report_server_error(self, error: Exception, source: object) -> None:
        """A fault of ours is a line in the log, not a box in the user's way."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)


def serve(tcp_port: int | None = None, log_file: Path | None = None) -> int:
    """Serves one client, over stdio or on a loopback port (0: any free one), until it leaves; returns the exit
    code. The log file gets what the client's log gets, and tracebacks besides."""
    from inductor_lens.wiring import create_server

    sys.setswitchinterval(SWITCH_SECONDS)
    server = create_server()
    try:
        start_log(server.editor, log_file)
    except OSError as error:
        return _cannot(f"write the log to {log_file}", error)
    if tcp_port is None:
        # Its own reader: the interpreter closes sys.stdin when it ends, and would wait for the reading thread.
        reader = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
        writer = sys.stdout.buffer
        sys.stdout = sys.stderr  # a stray print must not end up between two messages
        return transport.serve(server.protocol, reader, writer)
    try:
        listener = socket.create_server(("127.0.0.1", tcp_port))
    except OSError as error:
        return _cannot(f"listen on port {tcp_port}", error)
    with listener:
        print(f"listening on 127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)  # noqa: T201
        connection, _ = listener.accept()
    code = 1
    with (
        contextlib.suppress(OSError),  # the client may have reset the connection
        connection,
        connection.makefile("rb") as incoming,
        connection.makefile("wb") as outgoing,
    ):
        code = transport.serve(server.protocol, incoming, outgoing)
    return code


def _cannot(what: str, error: OSError) -> int:
    """Says in one line why nothing is served, and gives the exit code of wrong usage."""
    print(f"error: cannot {what}: {error.strerror or error}", file=sys.stderr)  # noqa: T201
    return 2
