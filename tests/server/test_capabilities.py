"""The whole list of what the server announces, so that nothing is announced and missing."""

from __future__ import annotations

from .raw_client import RawClient

COMMANDS = [
    "inductorLens.openTrace",
    "inductorLens.closeTrace",
    "inductorLens.selectTrace",
    "inductorLens.selectBaseline",
    "inductorLens.showReport",
    "inductorLens.openWorstLaunch",
    "inductorLens.ignoreKernel",
]


def test_the_whole_list() -> None:
    with RawClient() as client:
        assert client.initialize({"general": {"positionEncodings": ["utf-8", "utf-16"]}}) == {
            "serverInfo": {"name": "inductor-lens", "version": "0.1.0"},
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": True, "change": 2, "save": False},
                "hoverProvider": True,
                "definitionProvider": True,
                "implementationProvider": True,
                "referencesProvider": True,
                "documentHighlightProvider": True,
                "documentSymbolProvider": True,
                "workspaceSymbolProvider": {"resolveProvider": False},
                "codeActionProvider": {"codeActionKinds": ["", "quickfix"]},
                "codeLensProvider": {"resolveProvider": True},
                "inlayHintProvider": {"resolveProvider": False},
                "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False},
                "documentLinkProvider": {"resolveProvider": False},
                "foldingRangeProvider": True,
                "callHierarchyProvider": True,
                "executeCommandProvider": {"commands": COMMANDS},
                "workspace": {
                    "workspaceFolders": {"supported": True, "changeNotifications": True},
                    "fileOperations": {},
                },
            },
        }
        assert client.leave() == 0


def test_every_command_answers_and_an_unknown_one_is_an_error() -> None:
    with RawClient() as client:
        client.initialize()

        def run(command: str, *arguments: object) -> object:
            return client.request(
                "workspace/executeCommand", {"command": command, "arguments": list(arguments)}
            )

        nowhere = "file:///no/such/trace.json"
        assert run("inductorLens.openTrace", nowhere) == nowhere
        assert run("inductorLens.openTrace", "/no/such/trace.json") == nowhere
        assert run("inductorLens.selectTrace", nowhere) in (True, False)  # whether it is loaded by now
        assert run("inductorLens.selectBaseline", nowhere) in (True, False)
        assert run("inductorLens.selectBaseline", None) is True
        assert run("inductorLens.openWorstLaunch", nowhere, "no such row") is False
        assert run("inductorLens.ignoreKernel", "triton_poi_fused_add_0") is None
        assert run("inductorLens.showReport") == "inductor-lens:/report/active.md"
        assert run("inductorLens.closeTrace", nowhere) is True
        assert run("inductorLens.closeTrace", nowhere) is False
        for command in ("no.such.command", "inductorLens.openTrace"):
            assert (
                client.error_of("workspace/executeCommand", {"command": command, "arguments": []}) == -32602
            )
        assert client.leave() == 0
        assert b"Traceback" not in client.stderr
