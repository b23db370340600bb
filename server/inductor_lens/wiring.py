"""Which message goes to which function. Nothing is computed here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from inductor_lens.arguments import params_as
from inductor_lens.lazy import lazy
from inductor_lens.server import LensServer

if TYPE_CHECKING:
    from inductor_lens.features import (
        call_hierarchy,
        code_actions,
        code_lens,
        diagnostics,
        folding,
        highlight,
        hover,
        inlay_hint,
        links,
        model_source,
        navigation,
        report_document,
        symbols,
        trace_requests,
    )
else:
    # The model behind the features takes as long to import as pygls itself, and `initialize` needs none of it.
    call_hierarchy = lazy("inductor_lens.features.call_hierarchy")
    code_actions = lazy("inductor_lens.features.code_actions")
    code_lens = lazy("inductor_lens.features.code_lens")
    diagnostics = lazy("inductor_lens.features.diagnostics")
    folding = lazy("inductor_lens.features.folding")
    highlight = lazy("inductor_lens.features.highlight")
    hover = lazy("inductor_lens.features.hover")
    inlay_hint = lazy("inductor_lens.features.inlay_hint")
    links = lazy("inductor_lens.features.links")
    model_source = lazy("inductor_lens.features.model_source")
    navigation = lazy("inductor_lens.features.navigation")
    report_document = lazy("inductor_lens.features.report_document")
    symbols = lazy("inductor_lens.features.symbols")
    trace_requests = lazy("inductor_lens.features.trace_requests")


def create_server() -> LensServer:
    """A server with every feature registered."""
    server = LensServer()
    _register_life(server)
    _register_documents(server)
    _register_features(server)
    _register_navigation(server)
    _register_commands(server)
    _register_requests(server)
    return server


def _register_life(server: LensServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.beginning = params

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await server.host.initialized(server.beginning)

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        if "host" in vars(server):  # else nothing runs, and the model need not be imported to end it
            server.host.stop()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        await server.host.configuration_changed(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.host.files_changed([change.uri for change in params.changes])

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        await server.host.folders_changed(params.event.added, params.event.removed)


def _register_documents(server: LensServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.host.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.host.edited(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.host.closed(params.text_document.uri)


def _register_features(server: LensServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        at = params.position
        if not (document := await server.ours(params.text_document.uri, at=at)):
            return None
        return hover.hover(server.session, document, at) or model_source.line_hover(
            server.session, document, at
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def on_code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        if not (document := await server.ours(params.text_document.uri, seen=True)):
            return []
        lenses = await server.told_aside("symbols", code_lens.code_lenses, document)
        return lenses or model_source.function_lenses(server.session, document)

    @server.feature(types.CODE_LENS_RESOLVE)
    async def on_resolve(lens: types.CodeLens) -> types.CodeLens:
        return await server.aside("kernels", code_lens.resolve, server.session, lens)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def on_inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = await server.ours(params.text_document.uri)
        return inlay_hint.inlay_hints(server.session, document, params.range) if document else []

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False),
    )
    async def on_diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = await server.ours(params.text_document.uri)
        items = diagnostics.diagnostics(server.session, document) if document else []
        return types.RelatedFullDocumentDiagnosticReport(items)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.Empty, types.CodeActionKind.QuickFix]),
    )
    async def on_code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        if not (document := await server.ours(params.text_document.uri, at=params.range.start)):
            return []
        copies = server.editor.wants_traces
        return code_actions.code_actions(
            server.session, document, params.range, params.context, copies=copies
        )

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def on_folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = await server.ours(params.text_document.uri)
        return folding.folding_ranges(server.session, document) if document else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def on_symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = await server.ours(params.text_document.uri)
        return await server.told_aside("symbols", symbols.document_symbols, document) if document else []

    @server.feature(types.WORKSPACE_SYMBOL)
    async def on_workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return await server.searched(symbols.workspace_symbols, params.query)


def _register_navigation(server: LensServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def on_definition(params: types.DefinitionParams) -> Any:
        if not (document := await server.ours(params.text_document.uri, at=params.position)):
            return None
        links = await server.told_aside("navigation", navigation.definition, document, params.position)
        return server.host.links(links, "definition")

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    async def on_implementation(params: types.ImplementationParams) -> Any:
        if not (document := await server.ours(params.text_document.uri, at=params.position)):
            return None
        links = await server.told_aside("navigation", navigation.implementation, document, params.position)
        links = links or model_source.line_implementation(server.session, document, params.position)
        return server.host.links(links, "implementation")

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def on_references(params: types.ReferenceParams) -> list[types.Location]:
        if not (document := await server.ours(params.text_document.uri)):
            return []
        declared = params.context.include_declaration
        at = params.position
        return await server.told_aside(
            "navigation", navigation.references, document, at, with_declaration=declared
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def on_highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        document = await server.ours(params.text_document.uri)
        return highlight.highlights(server.session, document, params.position) if document else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def on_links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        if params.text_document.uri.startswith("inductor-lens:"):
            text = report_document.report_text(server.session, params.text_document.uri)
            return report_document.report_links(text or "")
        document = await server.ours(params.text_document.uri)
        return await server.told_aside("symbols", links.document_links, document) if document else []

    @server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def on_prepare_calls(params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
        document = await server.ours(params.text_document.uri)
        return call_hierarchy.prepare(server.session, document, params.position) if document else []

    @server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)
    async def on_incoming(
        params: types.CallHierarchyIncomingCallsParams,
    ) -> list[types.CallHierarchyIncomingCall]:
        return await server.aside("navigation", call_hierarchy.incoming, server.session, params.item)

    @server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
    async def on_outgoing(
        params: types.CallHierarchyOutgoingCallsParams,
    ) -> list[types.CallHierarchyOutgoingCall]:
        return await server.aside("navigation", call_hierarchy.outgoing, server.session, params.item)


def _register_commands(server: LensServer) -> None:
    @server.command("inductorLens.openTrace")
    def open_trace(uri: str) -> str:
        return server.host.open_trace(uri)

    @server.command("inductorLens.closeTrace")
    def close_trace(uri: str) -> bool:
        return server.host.close_trace(uri)

    @server.command("inductorLens.selectTrace")
    def select_trace(uri: str) -> bool:
        return server.host.select_trace(uri)

    @server.command("inductorLens.selectBaseline")
    def select_baseline(uri: str | None) -> bool:
        return server.host.select_baseline(uri)

    @server.command("inductorLens.showReport")
    def show_report(uri: str | None = None) -> str:
        return server.host.show_report(uri)

    @server.command("inductorLens.openWorstLaunch")
    def open_worst_launch(trace: str, row: str) -> bool:
        return server.host.open_worst_launch(trace, row)

    @server.command("inductorLens.ignoreKernel")
    def ignore_kernel(name: str) -> None:
        server.host.ignore_kernel(name)


def _register_requests(server: LensServer) -> None:
    @server.feature("inductorLens/traces")
    def on_traces(_: Any) -> Any:
        server.host.editor.wants_traces = True
        return trace_requests.traces(server.session)

    @server.feature("inductorLens/report")
    async def on_report(params: Any) -> Any:
        server.host.editor.wants_traces = True
        wanted = params_as(trace_requests.ReportParams, params)
        return await server.aside("symbols", trace_requests.report, server.session, wanted)

    @server.feature("inductorLens/launches")
    async def on_launches(params: Any) -> Any:
        wanted = params_as(trace_requests.LaunchesParams, params)
        return await server.aside("navigation", trace_requests.launches, server.session, wanted)

    @server.feature("inductorLens/reportText")
    def on_report_text(params: Any) -> Any:
        server.host.editor.wants_traces = True
        wanted = params_as(trace_requests.ReportTextParams, params)
        return {"text": report_document.report_text(server.session, wanted.uri)}

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    def on_text_document_content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        text = report_document.report_text(server.session, params.uri)
        return types.TextDocumentContentResult(text or "")
