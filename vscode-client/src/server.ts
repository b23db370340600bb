// The server's life: its Python found, started, restarted, stopped; and the one message when that cannot be.
import { PythonExtension } from '@vscode/python-extension';
import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { sayAside } from './aside';
import type { Connection } from './client';
import { privateEnvironment } from './environment';
import { type Candidate, candidates, findPython, isCompatible, NoServer, type Python } from './python';
import { run } from './run';

export type ServerState =
  | { readonly kind: 'stopped' | 'starting' }
  | { readonly kind: 'ready'; readonly detail: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface Server {
  readonly state: ServerState;
  readonly onState: vscode.Event<ServerState>;
  /** The server says that its traces or reports are not what they were. */
  readonly onTracesChanged: vscode.Event<void>;
  /** Asks the server, and starts it where it does not run. Rejects with NoServer, after the message was shown. */
  readonly request: <T>(method: string, params?: object) => Promise<T>;
  readonly start: () => Promise<unknown>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The Python that served these candidates last: asking it again would cost a window's first figures a quarter second. */
interface Remembered {
  readonly key: string;
  readonly python: Python;
}
const REMEMBERED = 'python';

export function createServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Server {
  const stateChanged = new vscode.EventEmitter<ServerState>();
  const tracesChanged = new vscode.EventEmitter<void>();
  const version = (context.extension.packageJSON as { version: string }).version;

  let state: ServerState = { kind: 'stopped' };
  let connection: Promise<Connection> | undefined;
  let life = 0; // counts starts and stops: what a server of an earlier one says is not told
  let watched: vscode.Disposable | undefined;

  const become = (next: ServerState): void => {
    state = next;
    stateChanged.fire(next);
  };

  async function connect(): Promise<Connection> {
    const mine = ++life;
    const current = (): boolean => life === mine;
    become({ kind: 'starting' });
    try {
      const list = await candidatesHere(() => activeInterpreter(watch));
      const key = JSON.stringify([version, list]);
      const known = context.globalState.get<Remembered>(REMEMBERED);
      if (known?.key === key) {
        try {
          return await connectTo(known.python, current);
        } catch (error) {
          log.info(`${known.python.executable} no longer does (${text(error)}): searching anew`);
        }
      }
      const python = await findServer(list, context, version, log);
      const connected = await connectTo(python, current);
      await context.globalState.update(REMEMBERED, { key, python } satisfies Remembered);
      return connected;
    } catch (error) {
      const message = error instanceof NoServer ? error.message : `The server did not start: ${text(error)}. The log says more.`;
      throw current() ? fail(message) : new NoServer(message);
    }
  }

  function connectTo(python: Python, current: () => boolean): Promise<Connection> {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a bundle of its own
    const client = require('./client.js') as typeof import('./client');
    const detail = `${python.server ?? version} on Python ${python.version.join('.')}`;
    return client.connect(python.executable, context.globalStorageUri.fsPath, log, {
      running(isRunning) {
        if (current()) become(isRunning ? { kind: 'ready', detail } : { kind: 'starting' });
      },
      gaveUp(message) {
        if (current()) fail(message);
      },
      tracesChanged() {
        if (current()) tracesChanged.fire();
      },
      kernelIgnored: (name) => void rememberIgnored(name).catch((error: unknown) => sayAside(error, log)),
    });
  }

  function fail(message: string): NoServer {
    log.error(message);
    become({ kind: 'failed', message });
    void tell(message);
    return new NoServer(message);
  }

  async function tell(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(message, 'Choose Interpreter', 'Try Again', 'Show Log');
    if (choice === 'Choose Interpreter') {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'inductorLens.interpreter');
    } else if (choice === 'Try Again') {
      await restart();
    } else if (choice === 'Show Log') {
      log.show();
    }
  }

  const start = (): Promise<Connection> => (connection ??= connect());

  async function stop(): Promise<void> {
    const old = connection;
    connection = undefined;
    life++;
    become({ kind: 'stopped' });
    await (await old?.catch(() => undefined))?.close();
  }

  async function restart(): Promise<void> {
    await stop();
    await context.globalState.update(REMEMBERED, undefined);
    await start().catch(() => undefined); // it has been shown
  }

  const restartIfAsked = (): void => {
    if (connection) void restart();
  };
  const watch = (interpreterChanged: vscode.Event<unknown>): void => {
    watched ??= interpreterChanged(() => restartIfAsked());
  };
  context.subscriptions.push(
    stateChanged,
    tracesChanged,
    { dispose: () => void watched?.dispose() },
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('inductorLens.interpreter')) restartIfAsked();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (state.kind === 'failed') restartIfAsked();
    }),
  );

  return {
    get state() {
      return state;
    },
    onState: stateChanged.event,
    onTracesChanged: tracesChanged.event,
    async request<T>(method: string, params?: object) {
      const connected = await start();
      if (state.kind === 'failed') throw new NoServer(state.message); // it ran, and gave up
      return connected.request<T>(method, params);
    },
    start,
    restart,
    stop,
  };
}

function candidatesHere(active: () => Promise<string | undefined>): Promise<Candidate[]> {
  return candidates({
    setting: vscode.workspace.getConfiguration('inductorLens').get('interpreter', ''),
    workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    pythonExtension: () => (vscode.workspace.isTrusted ? active() : Promise.resolve(undefined)),
    platform: process.platform,
  });
}

/** A Python with a fitting server: one that has it already, else the private environment. */
async function findServer(
  list: readonly Candidate[],
  context: vscode.ExtensionContext,
  version: string,
  log: vscode.LogOutputChannel,
): Promise<Python> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true }); // also where programs run: nothing of the workspace is on their path
  const say = (line: string): void => log.info(line);
  const python = await findPython(list, run, storage, say);
  if (python.server !== null && isCompatible(python.server, version)) {
    say(`inductor-lens ${python.server} in ${python.executable} (${python.from})`);
    return python;
  }
  const why = python.server === null ? 'has no inductor-lens' : `has inductor-lens ${python.server}, not ${version}`;
  say(`${python.executable} (${python.from}) ${why}: using a private environment`);
  return privateEnvironment(python, {
    storage,
    wheels: context.asAbsolutePath('wheels'),
    platform: process.platform,
    run,
    log: say,
    withProgress: (build) =>
      Promise.resolve(
        vscode.window.withProgress(
          { location: vscode.ProgressLocation.Notification, title: 'Inductor Lens', cancellable: true },
          (progress, token) => {
            const controller = new AbortController();
            token.onCancellationRequested(() => controller.abort());
            return build((message) => progress.report({ message }), controller.signal);
          },
        ),
      ),
  });
}

/** In the workspace's settings, where there is one: other people of the project will not want to hear of it either. */
async function rememberIgnored(name: string): Promise<void> {
  const settings = vscode.workspace.getConfiguration('inductorLens');
  const ignored = settings.get<string[]>('ignoreKernels', []);
  if (!ignored.includes(name)) await settings.update('ignoreKernels', [...ignored, name], vscode.workspace.workspaceFolders === undefined);
}

/** The interpreter that the Python extension has for this window; `watch` is given what tells of another. */
async function activeInterpreter(watch: (changed: vscode.Event<unknown>) => void): Promise<string | undefined> {
  if (!vscode.extensions.getExtension('ms-python.python')) return undefined;
  try {
    const { environments } = await PythonExtension.api();
    watch(environments.onDidChangeActiveEnvironmentPath);
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath());
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // the Python extension failed, and says so itself
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
