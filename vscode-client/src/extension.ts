// The gate. VS Code runs this for the first Python or JSON file; it registers names and looks at first lines.
// Everything else (lens.js: the language client, the views) loads when a file, command or view is ours.
import * as vscode from 'vscode';
import { COMMANDS, JSON_TRACE_EDITOR, KERNELS_VIEW, TRACE_EDITOR } from './commandIds';
import { isOurs } from './gate';
import type { Lens } from './lens';
import type { Node } from './kernelTree';

let lens: Lens | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const treeChanged = new vscode.EventEmitter<undefined>();
  const load = (): Lens => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a second bundle, loaded when it is needed
    lens ??= (require('./lens.js') as typeof import('./lens')).createLens(context, treeChanged);
    return lens;
  };

  context.subscriptions.push(
    treeChanged,
    ...COMMANDS.map((id) => vscode.commands.registerCommand(id, (...args: unknown[]) => load().commands[id](...args))),
    vscode.window.registerTreeDataProvider<Node>(KERNELS_VIEW, {
      onDidChangeTreeData: treeChanged.event,
      getChildren: (node) => load().tree.getChildren(node),
      getTreeItem: (node) => load().tree.getTreeItem(node),
    }),
    ...[TRACE_EDITOR, JSON_TRACE_EDITOR].map((viewType) =>
      vscode.window.registerCustomEditorProvider(viewType, {
        openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
        resolveCustomEditor: (document, panel) => load().showTrace(document.uri, panel),
      }),
    ),
  );
  whenOurs(context, () => setImmediate(() => load().start()));
}

export async function deactivate(): Promise<void> {
  await lens?.stop();
}

/** Calls `then` once: when a document of ours is open, or any Python file where the settings name traces. */
function whenOurs(context: vscode.ExtensionContext, then: () => void): void {
  const named = (): boolean => vscode.workspace.getConfiguration('inductorLens').get<string[]>('traces', []).length > 0;
  const wanted = (document: vscode.TextDocument): boolean =>
    isOurs(document) || (document.languageId === 'python' && named());
  if (vscode.workspace.textDocuments.some(wanted)) {
    then();
    return;
  }
  const listener = vscode.workspace.onDidOpenTextDocument((document) => {
    if (!wanted(document)) return;
    listener.dispose();
    then();
  });
  context.subscriptions.push(listener);
}
