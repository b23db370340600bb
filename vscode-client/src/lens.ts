// Everything behind the gate, put together: the server, what it said, and who shows it.
import * as vscode from 'vscode';
import { sayAside } from './aside';
import type { Commands } from './commandIds';
import { createCommands } from './commands';
import { createTree, type KernelTree } from './kernelTree';
import type { PageRequest } from './messages';
import { openTable } from './places';
import type { KernelOfTrace } from './protocol';
import { createServer } from './server';
import { createStatus } from './status';
import { createStore, NO_TRACES } from './store';
import { createTraceEditors } from './traceEditor';

export interface Lens {
  /** Starts the server in the background. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  readonly commands: Commands;
  readonly tree: KernelTree;
  readonly showTrace: (uri: vscode.Uri, panel: vscode.WebviewPanel) => void;
}

/** Several changes within this time are shown once. */
const SETTLE_MS = 40;

export function createLens(context: vscode.ExtensionContext, treeChanged: vscode.EventEmitter<undefined>): Lens {
  const log = vscode.window.createOutputChannel('Inductor Lens', { log: true });
  const server = createServer(context, log);
  const store = createStore(server.request);
  const status = createStatus(context, server);
  const lowPercent = (): number => vscode.workspace.getConfiguration('inductorLens').get('lowBandwidth.peakPercent', 50);
  const tree = createTree(store, lowPercent);
  const editors = createTraceEditors(context, store, server, { lowPercent, openTrace: openBeside, act, failed: (error) => sayAside(error, log) });
  const commands = createCommands({ store, log, tell, openBeside, showInTable, restart: server.restart });

  async function tell(command: string, ...args: (string | null)[]): Promise<unknown> {
    const answer = await server.request('workspace/executeCommand', { command, arguments: args });
    store.forget();
    return answer;
  }

  /** Opens a trace to look at: the figures in the editors stay those of the trace that was active. */
  async function openBeside(uri: string): Promise<void> {
    const { active } = await store.traces();
    await tell('inductorLens.openTrace', uri);
    if (active !== null) await tell('inductorLens.selectTrace', active);
  }

  async function showInTable({ uri, id }: KernelOfTrace): Promise<void> {
    if (!editors.select(uri, id)) await openTable(vscode.Uri.parse(uri));
  }

  /** What a trace's page asks for. */
  async function act(message: PageRequest, uri: string): Promise<void> {
    switch (message.kind) {
      case 'openSource':
        await commands['inductorLens.openSource']({ uri, id: message.id });
        break;
      case 'copy':
        await commands['inductorLens.copyMarkdown']({ uri, id: message.id });
        break;
      case 'openLaunch': {
        const launch = (await store.launches(uri, message.id))[message.index];
        if (launch) await commands['inductorLens.openLaunch'](launch, { uri, id: message.id });
        break;
      }
      case 'makeActive':
        await commands['inductorLens.selectTrace'](uri);
        break;
      case 'compare':
        await commands['inductorLens.selectBaseline']();
        break;
      case 'stopComparing':
        await commands['inductorLens.clearBaseline']();
        break;
      case 'restart':
        await server.restart();
    }
  }

  async function refresh(): Promise<void> {
    store.forget();
    treeChanged.fire(undefined);
    editors.refresh();
    const traces = server.state.kind === 'ready' ? await store.traces() : NO_TRACES;
    status.show(traces, lowPercent());
    await vscode.commands.executeCommand('setContext', 'inductorLens.hasTraces', traces.traces.length > 0);
    await vscode.commands.executeCommand('setContext', 'inductorLens.hasBaseline', traces.baseline !== null);
  }

  let settling: NodeJS.Timeout | undefined;
  const refreshSoon = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      refresh().catch((error: unknown) => log.error(String(error)));
    }, SETTLE_MS);
  };

  context.subscriptions.push(
    log,
    server.onTracesChanged(refreshSoon),
    server.onState(({ kind }) => {
      if (kind !== 'ready') editors.forgetOpened();
      if (kind !== 'starting') refreshSoon();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('inductorLens.lowBandwidth')) refreshSoon();
    }),
    { dispose: () => clearTimeout(settling) },
  );

  return {
    start: () => void server.start().catch(() => undefined), // the failure has been shown
    stop: server.stop,
    commands,
    tree,
    showTrace: editors.resolve,
  };
}
