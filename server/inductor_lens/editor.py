"""The editor at the other end: what the server may ask of it, each in the way that it can."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from inductor_lens.settings import SECTION

if TYPE_CHECKING:
    from inductor_lens.server import LensServer

logger = logging.getLogger(__name__)

TRACES_CHANGED = "inductorLens/tracesChanged"
KERNEL_IGNORED = "inductorLens/kernelIgnored"


class Editor:
    """Asks and tells the client. Everything here is called on the event loop, except `Progress.at`."""

    def __init__(self, server: LensServer) -> None:
        self._server = server
        self.wants_traces = False
        """Whether the client has asked for our own requests, so that it knows our notification too."""

    def can(self, *path: str) -> Any:
        """A capability of the client, such as `can("workspace", "code_lens", "refresh_support")`."""
        value: Any = getattr(self._server.protocol, "client_capabilities", None)
        for name in path:
            value = getattr(value, name, None)
        return value

    def refresh(self, reports: Iterable[str]) -> None:
        """Asks the client to ask again for all that depends on traces and sources, also for the documents of
        `reports` where it can have them."""
        server = self._server
        if self.can("workspace", "code_lens", "refresh_support"):
            server.workspace_code_lens_refresh(None)
        if self.can("workspace", "inlay_hint", "refresh_support"):
            server.workspace_inlay_hint_refresh(None)
        if self.pulls_diagnostics and self.can("workspace", "diagnostics", "refresh_support"):
            server.workspace_diagnostic_refresh(None)
        if self.can("workspace", "text_document_content"):
            for uri in reports:
                server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))

    def traces_changed(self) -> None:
        """Tells a client that asked for traces or reports that there are others."""
        if self.wants_traces:
            self._server.protocol.notify(TRACES_CHANGED, None)

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for an open document's diagnostics instead of being told."""
        return self.can("text_document", "diagnostic") is not None

    def publish(self, uri: str, version: int | None, diagnostics: Sequence[types.Diagnostic]) -> None:
        """Pushes a document's diagnostics."""
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=list(diagnostics))
        )

    def say(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Shows a message: for answers to what the user just did."""
        self._server.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def show(self, uri: str, selection: types.Range | None) -> bool:
        """Opens a document in the editor; False where it cannot. Whether it does is the client's affair."""
        if not self.can("window", "show_document", "support"):
            return False
        self._server.window_show_document(types.ShowDocumentParams(uri, take_focus=True, selection=selection))
        return True

    def remember_ignored(self, kernel: str) -> None:
        """Tells a client that knows us to add a kernel to `inductorLens.ignoreKernels`."""
        if self.wants_traces:
            self._server.protocol.notify(KERNEL_IGNORED, {"kernel": kernel})

    @property
    def wants_details(self) -> bool:
        """Whether the user has turned on tracing."""
        return self._server.protocol.trace is not types.TraceValue.Off

    def log(self, message: str, kind: types.MessageType) -> None:
        """A line in the client's log; from any thread, before there is a client it is lost."""
        if self._server.protocol.writer is not None and self._server.protocol.is_initialized:
            self._server.window_log_message(types.LogMessageParams(type=kind, message=message))

    async def configuration(self) -> list[object]:
        """The client's settings as it has them now; nothing where it has none to give."""
        if not self.can("workspace", "configuration"):
            return []
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        try:
            return list(await self._server.workspace_configuration_async(params))
        except Exception as error:
            logger.warning("The client did not answer workspace/configuration: %s", error)
            return []

    async def register(self, registrations: Sequence[types.Registration]) -> None:
        """Registers capabilities that the client lets a server register late."""
        if not registrations:
            return
        try:
            await self._server.client_register_capability_async(
                types.RegistrationParams(registrations=list(registrations))
            )
        except Exception as error:
            logger.warning("The client refused a registration: %s", error)

    async def unregister(self, identity: str, method: str) -> None:
        """Takes a registration back."""
        try:
            await self._server.client_unregister_capability_async(
                types.UnregistrationParams([types.Unregistration(id=identity, method=method)])
            )
        except Exception as error:
            logger.warning("The client kept a registration: %s", error)

    def progress(self, title: str) -> Progress:
        """A progress bar with a cancel button, where the client has them. The load does not wait for it."""
        progress = Progress(self._server, asyncio.get_running_loop())
        if self.can("window", "work_done_progress"):
            progress.show(title)
        return progress


class Progress:
    """One running load as the user sees it."""

    def __init__(self, server: LensServer, loop: asyncio.AbstractEventLoop) -> None:
        self._bars = server.work_done_progress
        self._loop = loop
        self._token = str(uuid.uuid4())
        self._shown: asyncio.Task[None] | None = None
        self._begun = False
        self._percent = 0
        self._stop = threading.Event()

    def show(self, title: str) -> None:
        """Puts it on the screen as soon as the client agrees."""
        self._shown = asyncio.create_task(self._show(title))

    async def _show(self, title: str) -> None:
        try:
            await self._bars.create_async(self._token)
        except Exception as error:
            logger.warning("The client refused a progress bar: %s", error)
            return
        begin = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=self._percent)
        self._bars.begin(self._token, begin)
        self._begun = True
        if self._stop.is_set():
            self._take_off()

    def at(self, done: int, total: int) -> None:
        """Progress in bytes, from the loading thread."""
        percent = min(99, 100 * done // total) if total > 0 else 0
        if percent > self._percent:
            self._percent = percent
            try:
                self._loop.call_soon_threadsafe(self._report, percent)
            except RuntimeError:
                self._stop.set()  # the loop has ended: so shall the load

    def cancelled(self) -> bool:
        """Whether the user or the server wants the load no longer; asked from the loading thread."""
        return self._stop.is_set() or self.cancelled_by_user

    @property
    def cancelled_by_user(self) -> bool:
        """Whether it was the user."""
        future = self._bars.tokens.get(self._token)
        return future is not None and future.cancelled()

    def end(self) -> None:
        """Takes it off the screen and stops what still loads."""
        self._stop.set()
        if self._begun:
            self._take_off()

    def _take_off(self) -> None:
        self._begun = False
        self._bars.end(self._token, types.WorkDoneProgressEnd())
        self._bars.tokens.pop(self._token, None)

    def _report(self, percent: int) -> None:
        if self._begun:
            self._bars.report(self._token, types.WorkDoneProgressReport(percentage=percent, cancellable=True))
