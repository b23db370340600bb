"""pygls's protocol, made strict where an editor or a broken client would suffer otherwise.

- Every request is answered: one before `initialize`, after `shutdown`, with wrong parameters or in broken
  JSON gets the error code that LSP 3.17 names for it, never silence and never a traceback.
- The params of our own requests and commands stay plain JSON until `arguments` has read them.
- A request that was cancelled or overtaken by an edit is not begun.
- Documents are `inductor_lens.documents`: pygls splits the whole text at every edit, and at U+2028.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Generator
from concurrent.futures import InvalidStateError
from typing import Any

import orjson
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcContentModified,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage

from inductor_lens.arguments import command_arguments
from inductor_lens.documents import Documents

logger = logging.getLogger(__name__)

_OVERTAKING = {types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE}


class Inbox:
    """What the reader has seen and the loop has not yet: numbers each message, in the reader's thread."""

    def __init__(self) -> None:
        self._serial = 0
        self._cancelled: set[str | int] = set()
        self._last_edit: dict[str, int] = {}

    def note(self, message: object) -> int:
        """The message's number, after remembering what it does to those before it."""
        self._serial += 1
        if isinstance(message, dict):
            method = message.get("method")
            if method in _OVERTAKING and (uri := _document_uri(message)) is not None:
                self._last_edit[uri] = self._serial
            elif method == types.CANCEL_REQUEST and (cancelled := _cancelled_id(message)) is not None:
                self._cancelled.add(cancelled)
        return self._serial

    def overtaken(self, uri: str, serial: int) -> bool:
        """Whether the document was edited or closed after message `serial`."""
        return self._last_edit.get(uri, 0) > serial

    def cancelled(self, identity: str | int) -> bool:
        """Whether a cancellation of this request was read."""
        return identity in self._cancelled

    def forget(self, identity: str | int) -> None:
        """The cancellation itself has been handled."""
        self._cancelled.discard(identity)


class LensProtocol(LanguageServerProtocol):
    """One client's conversation. `on_stop(exit_code)` is called when it is over."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.inbox = Inbox()
        self.documents = Documents()
        self.on_stop: Callable[[int], None] = lambda _code: None
        self.is_initialized = False
        super().__init__(*args, **kwargs)

    @property
    def client_process(self) -> int | None:
        """The client's process id, as far as it gave one."""
        return self._server.process_id

    def receive(self, message: object, serial: int) -> None:
        """Handles one decoded message; nothing that it holds may raise out of here."""
        if not isinstance(message, dict):
            self._send_response(None, error=JsonRpcParseError().to_response_error())
            return
        identity = message.get("id")
        method = message.get("method")
        try:
            if message.get("jsonrpc") != self.VERSION or not _is_identity(identity) or not _is_method(method):
                raise JsonRpcInvalidRequest
            self._refuse(message, identity, serial)
            structured = self.structure_message(message)
        except JsonRpcException as error:
            self._refused(message, identity, error)
            return
        self.handle_message(structured)

    def _refuse(self, message: dict[str, Any], identity: str | int | None, serial: int) -> None:
        """Raises what a request gets that must not be begun."""
        method = message.get("method")
        if method is None:
            return
        if method == types.EXIT or (identity is None and self.is_initialized and not self._shutdown):
            return
        if self._shutdown or (method == types.INITIALIZE and self.is_initialized):
            raise JsonRpcInvalidRequest
        if not self.is_initialized and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized
        if identity is not None and self.inbox.cancelled(identity):
            raise JsonRpcRequestCancelled
        if (uri := _document_uri(message)) is not None and self.inbox.overtaken(uri, serial):
            raise JsonRpcContentModified

    def _refused(self, message: dict[str, Any], identity: Any, error: JsonRpcException) -> None:
        if identity is not None and "method" in message:
            self._send_response(identity if _is_identity(identity) else None, error=error.to_response_error())
        elif isinstance(identity, str | int) and identity in self._request_futures:
            self._handle_response(
                identity, error=error.to_response_error()
            )  # or who asked would wait for ever
        else:
            logger.warning("Ignored a message of method %.80r: %s", message.get("method"), error)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """As pygls does it, but quietly."""
        method = data.get("method")
        if method is not None and self.get_message_type(method) is None:
            params = data.get("params")
            if "id" in data:
                return JsonRPCRequestMessage(data["id"], method, self.VERSION, params)
            return JsonRPCNotification(method, self.VERSION, params)
        try:
            return super().structure_message(data)
        except JsonRpcException:
            raise
        except Exception as error:
            raise JsonRpcInvalidParams from error

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        self.inbox.forget(msg_id)
        if future := self._request_futures.get(msg_id):
            future.cancel()

    def _handle_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """An answer to what we asked. To what the client itself asks, or what is no longer waited for, it is none."""
        if isinstance(self._request_futures.get(msg_id), asyncio.Future):
            return
        with contextlib.suppress(InvalidStateError):
            super()._handle_response(msg_id, result, error)

    def _send_response(
        self, msg_id: str | int | None, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None and error.code == JsonRpcInternalError.CODE:
            logger.error("Request %r failed: %s", msg_id, error.message)
            logger.debug("%s", error.data)
            error = types.ResponseError(code=error.code, message=error.message)
        if error is None and isinstance(result, dict) and self.writer is not None and msg_id is not None:
            self._result_types.pop(msg_id, None)
            self._send_json({"jsonrpc": self.VERSION, "id": msg_id, "result": result})
        else:
            super()._send_response(msg_id, result, error)  # type: ignore[arg-type]

    def _send_json(self, message: dict[str, Any]) -> None:
        """What is JSON already, as all our own answers are: pygls would look at every number of a big report."""
        try:
            body = orjson.dumps(message, default=self._serialize_message)
        except TypeError:  # an integer of more than 64 bits
            body = json.dumps(message, default=self._serialize_message).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[union-attr]

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Keeps to UTF-16 columns, which every client knows."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        self.is_initialized = True
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Stops what runs, then answers."""
        if (handler := self.fm.features.get(types.SHUTDOWN)) is not None:
            yield handler, args, None
        for identity, future in list(self._request_futures.items()):
            if identity != self.msg_id:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_args: Any) -> None:  # type: ignore[override]
        """Ends the process: 0 after a shutdown, else 1."""
        self.on_stop(0 if self._shutdown else 1)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """Runs one of our commands with arguments that it takes."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command!r}")
        return (yield command, command_arguments(command, params.arguments), None)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Keeps the document."""
        self.documents.open(params.text_document)
        yield from self._then(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Edits the document."""
        self.documents.change(params.text_document, params.content_changes)
        yield from self._then(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Forgets the document."""
        self.documents.close(params.text_document.uri)
        yield from self._then(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _then(self, method: str, params: Any) -> Generator[Any, Any, None]:
        if (handler := self.fm.features.get(method)) is not None:
            yield handler, (params,), None


def _is_identity(value: object) -> bool:
    """Whether this may be a request's id, or that of a message without one."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _is_method(value: object) -> bool:
    return value is None or isinstance(value, str)


def _document_uri(message: dict[str, Any]) -> str | None:
    params = message.get("params")
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


def _cancelled_id(message: dict[str, Any]) -> str | int | None:
    params = message.get("params")
    identity = params.get("id") if isinstance(params, dict) else None
    return identity if isinstance(identity, str | int) else None
