// Everything behind the gate, put together: the server, what it said, and who shows it.
import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient';
import type { CommandId, Commands } from './commandIds';
import { createTree, type KernelTree, type Node } from './kernelTree';
import { kernelMarkdown } from './markdown';
import { openLaunch, openSource, openTable, peekLaunches } from './places';
import { NoServer } from './python';
import type { KernelOfTrace, KernelRow, Launch, Traces } from './protocol';
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
  const editors = createTraceEditors(context, store, server, {
    lowPercent,
    openTrace: openBeside,
    act: async (message, uri) => {
      switch (message.kind) {
        case 'openSource':
          await commands['inductorLens.openSource']({ uri, id: message.id });
          return;
        case 'copy':
          await commands['inductorLens.copyMarkdown']({ uri, id: message.id });
          return;
        case 'openLaunch': {
          const launch = (await store.launches(uri, message.id))[message.index];
          if (launch) await openLaunch(launch);
          return;
        }
        case 'makeActive':
          await tellServer('inductorLens.selectTrace', uri);
          return;
        case 'compare':
          await commands['inductorLens.selectBaseline']();
          return;
        case 'stopComparing':
          await tellServer('inductorLens.selectBaseline', null);
          return;
        case 'showText':
          return openAsText(vscode.Uri.parse(uri));
        case 'restart':
          return server.restart();
      }
    },
  });

  function tellServer(command: string, ...args: (string | null)[]): Promise<unknown> {
    return server.request('workspace/executeCommand', { command, arguments: args });
  }

  /** Opens a trace to look at: the figures in the editors stay those of the trace that was active. */
  async function openBeside(uri: string): Promise<void> {
    const { active } = await store.traces();
    await tellServer('inductorLens.openTrace', uri);
    if (active !== null) await tellServer('inductorLens.selectTrace', active);
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

  const commands = guarded(createCommands());
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
    new vscode.Disposable(() => clearTimeout(settling)),
  );

  return {
    start: () => void server.start().catch(() => undefined), // the failure has been shown
    stop: server.stop,
    commands,
    tree,
    showTrace: editors.resolve,
  };

  function createCommands(): Commands {
    return {
      async 'inductorLens.openTrace'(where) {
        const chosen = traceUri(where) ? [vscode.Uri.parse(traceUri(where) ?? '')] : await pickFiles();
        for (const uri of chosen) {
          await tellServer('inductorLens.openTrace', uri.toString());
          await openTable(uri);
        }
      },
      async 'inductorLens.showKernels'(where) {
        const uri = traceUri(where) ?? (await store.traces()).active;
        if (uri === null) await commands['inductorLens.openTrace']();
        else await openTable(vscode.Uri.parse(uri));
      },
      async 'inductorLens.selectTrace'(where) {
        const uri = traceUri(where) ?? (await pickTrace('The trace whose figures the editors show', ({ active }) => active));
        if (uri) await tellServer('inductorLens.selectTrace', uri);
      },
      async 'inductorLens.selectBaseline'(where) {
        const uri = where === null ? null : (traceUri(where) ?? (await pickBaseline()));
        if (uri !== undefined) await tellServer('inductorLens.selectBaseline', uri);
      },
      async 'inductorLens.clearBaseline'() {
        await tellServer('inductorLens.selectBaseline', null);
      },
      async 'inductorLens.closeTrace'(where) {
        const uri = traceUri(where) ?? (await pickTrace('Close', ({ active }) => active));
        if (uri) await tellServer('inductorLens.closeTrace', uri);
      },
      async 'inductorLens.showReport'(where) {
        const uri = traceUri(where);
        await tellServer('inductorLens.showReport', ...(uri === null ? [] : [uri]));
      },
      async 'inductorLens.openSource'(what, preserveFocus) {
        const found = await kernelOf(what);
        if (found) await openSource(found.kernel, preserveFocus === true);
      },
      async 'inductorLens.showTimeline'(what) {
        const found = await kernelOf(what);
        if (found) await showInTable({ uri: found.uri, id: found.kernel.id });
      },
      async 'inductorLens.openWorstLaunch'(what, row) {
        // The server's own way to say it is (trace, row).
        const found = await kernelOf(typeof row === 'string' ? { uri: what, id: row } : what);
        if (!found) return;
        const place = { uri: found.uri, id: found.kernel.id };
        if (!(await tellServer('inductorLens.openWorstLaunch', place.uri, place.id))) await showInTable(place);
      },
      async 'inductorLens.copyMarkdown'(what) {
        const found = await kernelOf(what);
        if (!found) return;
        await vscode.env.clipboard.writeText(kernelMarkdown(found.kernel));
        vscode.window.setStatusBarMessage(`Copied ${found.kernel.name}`, 3000);
      },
      async 'inductorLens.showLaunches'(uri, position, locations, kernel) {
        const shown = await peekLaunches(uri as string, position as Position, locations as Location[]);
        if (!shown && kernel) await showInTable(kernel as KernelOfTrace);
      },
      async 'inductorLens.openLaunch'(launch, kernel, preserveFocus) {
        const shown = await openLaunch(launch as Launch, preserveFocus === true);
        if (!shown) await showInTable(kernel as KernelOfTrace);
      },
      'inductorLens.restart': server.restart,
      'inductorLens.showLog': () => log.show(),
    };
  }

  /** A command that throws opens a box that blocks the window: say it aside instead. A missing server has been said. */
  function guarded(all: Commands): Commands {
    const guard = (act: Commands[CommandId]) => async (...args: unknown[]) => {
      try {
        return await act(...args);
      } catch (error) {
        if (error instanceof NoServer) return;
        log.error(String(error));
        void vscode.window.showErrorMessage(`Inductor Lens: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    return Object.fromEntries(Object.entries(all).map(([id, act]) => [id, guard(act)])) as Commands;
  }

  async function showInTable({ uri, id }: KernelOfTrace): Promise<void> {
    if (!editors.select(uri, id)) await openTable(vscode.Uri.parse(uri));
  }

  /** The kernel that a tree node stands for, or that a webview or its menu names. */
  async function kernelOf(what: unknown): Promise<{ uri: string; kernel: KernelRow } | undefined> {
    const node = what as Partial<Node & { kind: 'kernel' }> & Partial<KernelOfTrace>;
    if (node.kernel && node.uri !== undefined) return { uri: node.uri, kernel: node.kernel };
    if (node.uri === undefined || node.id === undefined) return undefined;
    const kernel = (await store.report(node.uri))?.kernels.find(({ id }) => id === node.id);
    return kernel && { uri: node.uri, kernel };
  }

  async function pickTrace(placeHolder: string, current: (traces: Traces) => string | null): Promise<string | undefined> {
    const traces = await store.traces();
    const items = traces.traces.map(({ uri, label }) => ({
      label,
      description: uri === current(traces) ? 'active' : '',
      detail: vscode.Uri.parse(uri).fsPath,
      uri,
    }));
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
  }

  /** A loaded trace, or another file, which is loaded first. */
  async function pickBaseline(): Promise<string | undefined> {
    const { traces, active, baseline } = await store.traces();
    const others = traces.filter(({ uri }) => uri !== active);
    const browse = { label: '$(folder-opened) Another trace…', uri: null };
    const items = [
      ...others.map(({ uri, label }) => ({
        label,
        description: uri === baseline ? 'baseline now' : '',
        detail: vscode.Uri.parse(uri).fsPath,
        uri,
      })),
      browse,
    ];
    const picked = await vscode.window.showQuickPick(items, { placeHolder: 'The trace to compare with' });
    if (picked?.uri !== null) return picked?.uri;
    const [file] = await pickFiles();
    if (file) await openBeside(file.toString());
    return file?.toString();
  }
}

function pickFiles(): Promise<readonly vscode.Uri[]> {
  const filters = { 'Profiler traces': ['json', 'gz'] };
  return Promise.resolve(vscode.window.showOpenDialog({ canSelectMany: false, filters, title: 'Open a profiler trace' })).then(
    (uris) => uris ?? [],
  );
}

/** A trace as commands name it: a URI (of VS Code or as text) or a node of the tree. */
function traceUri(where: unknown): string | null {
  if (typeof where === 'string') return where;
  if (where instanceof vscode.Uri) return where.toString();
  const node = where as Node | undefined;
  return node?.kind === 'trace' ? node.trace.uri : null;
}

async function openAsText(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
}
