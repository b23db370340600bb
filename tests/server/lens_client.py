"""A client over real stdio, and `check`: what the server says of a fixture is what its markers tell, no more."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from .markers import Expectation, Fixture, lay_out
from .raw_client import COMMAND, ROOT, environment

FIXTURES = Path(__file__).parent / "fixtures"
EXAMPLE = ROOT / "examples" / "transformer_block"
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(10_000_000, 0))
ASKED = ("hover", "definition", "implementation", "references", "highlight", "callers", "callees", "actions")
"""What a marker asks; of all other kinds a file's markers tell all that there is."""

SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}


class LensClient:
    """One server with one workspace."""

    def __init__(self, client: LanguageClient, workspace: Path) -> None:
        self.client = client
        self.workspace = workspace
        self.refreshed = time.monotonic()
        self.capabilities: types.ServerCapabilities | None = None
        self.configured_traces = 0

    async def open(self, path: Path, text: str | None = None, language: str | None = None) -> None:
        language = language or {".py": "python", ".json": "json"}[path.suffix]
        content = path.read_bytes().decode() if text is None else text
        item = types.TextDocumentItem(path.as_uri(), language, 1, content)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    async def request(self, method: str, **params: Any) -> Any:
        return await asyncio.wait_for(self.client.protocol.send_request_async(method, params or None), 20)

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(f"inductorLens.{name}", list(arguments))
        return await self.client.workspace_execute_command_async(params)

    async def traces(self) -> Any:
        return await self.request("inductorLens/traces")

    async def settled(self, quiet: float = 0.15) -> None:
        """Waits until the settings' traces are loaded, none loads any more, and the server has not asked for a
        refresh for a moment."""
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            states = [trace.state for trace in (await self.traces()).traces]
            if len(states) < self.configured_traces or "loading" in states:
                self.refreshed = time.monotonic()
            elif time.monotonic() - self.refreshed > quiet:
                return
            await asyncio.sleep(0.03)
        raise AssertionError("the server never settled")

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        lenses = await self.client.text_document_code_lens_async(params) or []
        return [lens if lens.command else await self.client.code_lens_resolve_async(lens) for lens in lenses]

    async def hints(self, uri: str, within: types.Range = EVERYWHERE) -> list[types.InlayHint]:
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), within)
        return list(await self.client.text_document_inlay_hint_async(params) or [])

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await self.client.text_document_diagnostic_async(params)
        return list(report.items)  # type: ignore[union-attr]

    async def hover(self, uri: str, line: int, column: int) -> str | None:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        answer = await self.client.text_document_hover_async(params)
        return answer.contents.value if answer else None  # type: ignore[union-attr]

    async def links(self, uri: str) -> list[types.DocumentLink]:
        params = types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
        return list(await self.client.text_document_document_link_async(params) or [])

    async def folds(self, uri: str) -> list[types.FoldingRange]:
        params = types.FoldingRangeParams(types.TextDocumentIdentifier(uri))
        return list(await self.client.text_document_folding_range_async(params) or [])

    async def symbols(self, uri: str) -> list[types.DocumentSymbol]:
        """All symbols of a document, those within others too; each must lie within the one around it."""
        params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
        pending: list[Any] = list(await self.client.text_document_document_symbol_async(params) or [])
        found: list[types.DocumentSymbol] = []
        while pending:
            symbol = pending.pop(0)
            for inner in (symbol.selection_range, *(child.range for child in symbol.children or ())):
                assert symbol.range.start <= inner.start <= inner.end <= symbol.range.end
            found.append(symbol)
            pending += symbol.children or []
        return found

    async def highlights(self, uri: str, position: types.Position) -> list[str]:
        document = types.TextDocumentIdentifier(uri)
        params = types.DocumentHighlightParams(document, position)
        found = await self.client.text_document_document_highlight_async(params) or []
        kinds = {1: "text", 2: "read", 3: "write"}
        return [f"{self.place(types.Location(uri, one.range))} {kinds[one.kind or 0]}" for one in found]

    async def calls(self, kind: str, uri: str, position: types.Position) -> list[str]:
        """Who calls what stands at a position, or what it calls."""
        document = types.TextDocumentIdentifier(uri)
        params = types.CallHierarchyPrepareParams(document, position)
        said: list[str] = []
        for item in await self.client.text_document_prepare_call_hierarchy_async(params) or []:
            if kind == "callers":
                incoming = types.CallHierarchyIncomingCallsParams(item)
                for call in await self.client.call_hierarchy_incoming_calls_async(incoming) or []:
                    lines = [str(where.start.line + 1) for where in call.from_ranges]
                    said.append(f"{call.from_.detail} {call.from_.name}: {', '.join(lines)}")
            else:
                outgoing = types.CallHierarchyOutgoingCallsParams(item)
                for out in await self.client.call_hierarchy_outgoing_calls_async(outgoing) or []:
                    lines = [str(where.start.line + 1) for where in out.from_ranges]
                    said.append(f"{out.to.name} {out.to.detail or ''}: {', '.join(lines)}")
        return said

    async def actions(self, uri: str, position: types.Position) -> list[str]:
        """The titles of the actions at a position, with the diagnostics there. (lsprotocol reads an action that
        has a command as a bare command, so there is no more to see here.)"""
        here = [one for one in await self.diagnostics(uri) if one.range.start.line == position.line]
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), types.Range(position, position), types.CodeActionContext(here)
        )
        found: Any = await self.client.text_document_code_action_async(params) or []
        return [action.title for action in found]

    def relative(self, uri: str) -> str:
        return uri.removeprefix(f"{self.workspace.as_uri()}/")

    async def navigate(self, kind: str, uri: str, line: int, column: int) -> list[str]:
        """Where a definition, references… lead, as `path:line text`; lines count from 1."""
        document, position = types.TextDocumentIdentifier(uri), types.Position(line, column)
        if kind == "references":
            context = types.ReferenceContext(include_declaration=False)
            found: Any = await self.client.text_document_references_async(
                types.ReferenceParams(context, document, position)
            )
        else:
            ask = getattr(self.client, f"text_document_{kind}_async")
            params = {"definition": types.DefinitionParams, "implementation": types.ImplementationParams}[
                kind
            ]
            found = await ask(params(document, position))
        return [self.place(location) for location in found or []]

    def place(self, location: types.Location | types.LocationLink) -> str:
        if isinstance(location, types.LocationLink):
            uri, where = location.target_uri, location.target_selection_range
        else:
            uri, where = location.uri, location.range
        path = Path(uri.removeprefix("file://"))
        if not path.exists():
            return f"{path.relative_to(self.workspace).as_posix()} (gone)"
        line = re.split(r"\r\n|\n|\r", path.read_bytes().decode())[where.start.line]
        encoded = line.encode("utf-16-le")
        end = where.end.character if where.end.line == where.start.line else len(encoded)
        text = encoded[2 * where.start.character : 2 * end].decode("utf-16-le").strip()
        return f"{path.relative_to(self.workspace).as_posix()}:{where.start.line + 1} {text}".strip()


@contextlib.asynccontextmanager
async def serving(
    workspace: Path,
    settings: dict[str, Any] | None = None,
    capabilities: types.ClientCapabilities | None = None,
) -> AsyncIterator[LensClient]:
    """A server for a workspace, shut down in the end; it must not have written a traceback."""
    config = ClientServerConfig([*COMMAND], server_env=environment())
    client = await config.start()
    assert isinstance(client, LanguageClient)
    lens = LensClient(client, workspace)

    for method in (types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH):

        @client.feature(method)
        def refresh(*_: Any) -> None:
            lens.refreshed = time.monotonic()

    @client.feature("inductorLens/tracesChanged")
    def traces_changed(*_: Any) -> None:
        pass

    params = types.InitializeParams(
        capabilities=capabilities or full_capabilities(),
        process_id=None,
        root_uri=workspace.as_uri(),
        workspace_folders=[types.WorkspaceFolder(workspace.as_uri(), workspace.name)],
        initialization_options=settings,
    )
    try:
        result = await client.initialize_session(params)
        lens.capabilities = result.capabilities
        lens.configured_traces = len((settings or {}).get("traces", []))
        yield lens
    finally:
        await client.shutdown_session()
        await client.stop()


def full_capabilities() -> types.ClientCapabilities:
    """What VS Code says it can, of what matters here."""
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            definition=types.DefinitionClientCapabilities(link_support=True),
            implementation=types.ImplementationClientCapabilities(link_support=True),
            diagnostic=types.DiagnosticClientCapabilities(),
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
    )


@contextlib.asynccontextmanager
async def fixture(
    name: str, workspace: Path, *, example: bool = False
) -> AsyncIterator[tuple[LensClient, dict[str, Fixture]]]:
    """A server for a fixture folder's files, over a copy of the example if asked for."""
    if example:
        shutil.copytree(EXAMPLE, workspace, dirs_exist_ok=True)
    files = lay_out(FIXTURES / name, workspace)
    settings_file = FIXTURES / name / "settings.json"
    text = settings_file.read_text() if settings_file.exists() else "null"
    settings = json.loads(text.replace("WORKSPACE", workspace.as_posix()))
    async with serving(workspace, settings) as lens:
        yield lens, files


async def check(lens: LensClient, file: Fixture) -> None:
    """Opens a fixture's file and asserts all that its markers tell of lenses, hints, diagnostics and answers."""
    await lens.open(file.path, file.text)
    await lens.settled()
    expected, found = wanted(file), await told(lens, file)
    deadline = time.monotonic() + 40
    while found != expected and time.monotonic() < deadline:
        await asyncio.sleep(0.1)  # figures follow a document's opening after a moment
        found = await told(lens, file)
    difference = "\n".join(
        difflib.unified_diff(expected, found, "the markers", "the server", lineterm="", n=1)
    )
    if difference:
        pytest.fail(f"{file.path.name}\n{difference}", pytrace=False)


def wanted(file: Fixture) -> list[str]:
    """What the markers tell, a line each."""
    return _by_place(
        f"line {e.line + 1}: {e.kind} {_where(e.kind, e.start, e.end)}{line}"
        for e in file.expectations
        for line in (e.lines if e.kind in ASKED else [e.text])
        if line != "nothing"
    )


async def told(lens: LensClient, file: Fixture) -> list[str]:
    """What the server says, a line each."""
    said: list[str] = []

    def say(kind: str, where: types.Range, text: str) -> None:
        said.append(
            f"line {where.start.line + 1}: {kind} {_where(kind, where.start.character, where.end.character)}{text}"
        )

    for one in await lens.lenses(file.uri):
        say("lens", one.range, one.command.title if one.command else "")
    for hint in await lens.hints(file.uri):
        say("hint", types.Range(hint.position, hint.position), str(hint.label))
    for found in await lens.diagnostics(file.uri):
        say("diagnostic", found.range, f"{SEVERITIES[found.severity or 0]} {found.code}: {found.message}")
    for link in await lens.links(file.uri):
        say("link", link.range, lens.relative(link.target or ""))
    for fold in await lens.folds(file.uri):
        start = types.Position(fold.start_line, 0)
        say("fold", types.Range(start, start), f"{fold.kind} to line {fold.end_line + 1}")
    for symbol in await lens.symbols(file.uri):
        say("symbol", symbol.selection_range, f"{symbol.name}: {symbol.detail or ''}".rstrip())
    for e in file.expectations:
        if e.kind in ASKED:
            where = _where(e.kind, e.start, e.end)
            answer = await _answer(lens, file, e)
            said += [f"line {e.line + 1}: {e.kind} {where}{line}" for line in answer.split("\n") if answer]
    return _by_place(said)


def _by_place(said: Iterable[str]) -> list[str]:
    """By line and kind; the lines of one answer stay in their order."""

    def place(line: str) -> tuple[int, str]:
        head = line.split(": ")
        return int(head[0].removeprefix("line ")), head[1]

    return sorted(said, key=place)


def _where(kind: str, start: int, end: int) -> str:
    return {"lens": f"at {start}: ", "fold": "", "hint": f"at {end}: "}.get(kind, f"at {start}-{end}: ")


async def _answer(lens: LensClient, file: Fixture, e: Expectation) -> str:
    column = (e.start + e.end) // 2
    position = types.Position(e.line, column)
    if e.kind == "hover":
        return await lens.hover(file.uri, e.line, column) or ""
    if e.kind == "highlight":
        return "\n".join(await lens.highlights(file.uri, position))
    if e.kind in ("callers", "callees"):
        return "\n".join(await lens.calls(e.kind, file.uri, position))
    if e.kind == "actions":
        return "\n".join(await lens.actions(file.uri, position))
    return "\n".join(await lens.navigate(e.kind, file.uri, e.line, column))
