// The server's life: found, started, restarted, stopped; and the one message when that cannot be.
import { PythonExtension } from '@vscode/python-extension';
import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  type ErrorHandler,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { COMMANDS } from './commandIds';
import { privateEnvironment } from './environment';
import { candidates, findPython, isCompatible, NoServer, type Python } from './python';
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
  /** The running client; starts it where it is not. Rejects with NoServer, after the message was shown. */
  readonly client: () => Promise<LanguageClient>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const MOST_DEATHS = 4;
const WITHIN_MS = 3 * 60_000;

/** Leaves the server's commands to the extension, whose own have the same names and work before the server runs. */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method) return;
    super.registerFeature(feature);
  }
}

export function createServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Server {
  const stateChanged = new vscode.EventEmitter<ServerState>();
  const tracesChanged = new vscode.EventEmitter<void>();
  context.subscriptions.push(stateChanged, tracesChanged);
  const version = (context.extension.packageJSON as { version: string }).version;

  let state: ServerState = { kind: 'stopped' };
  let starting: Promise<LanguageClient> | undefined;
  let running = false;
  let passedThrough: vscode.Disposable[] = [];

  const become = (next: ServerState): void => {
    state = next;
    stateChanged.fire(next);
  };

  async function start(): Promise<LanguageClient> {
    become({ kind: 'starting' });
    try {
      const python = await findServer(context, version, log);
      const client = createClient(python, context.globalStorageUri.fsPath, log, restarting());
      client.onNotification('inductorLens/tracesChanged', () => tracesChanged.fire());
      client.onDidChangeState(({ newState }) => {
        running = newState === State.Running;
        if (newState === State.Stopped && state.kind === 'ready') become({ kind: 'stopped' });
        if (running) {
          become({ kind: 'ready', detail: `${python.server ?? version} on Python ${python.version.join('.')}` });
          tracesChanged.fire();
        }
      });
      await client.start();
      passedThrough = passThrough(client);
      return client;
    } catch (error) {
      throw fail(error instanceof NoServer ? error.message : `The server did not start: ${text(error)} The log says more.`);
    }
  }

  function fail(message: string): NoServer {
    log.error(message);
    become({ kind: 'failed', message });
    void tell(message);
    return new NoServer(message);
  }

  /** A server that ran and died is started again, a few times; one that never ran is not. */
  function restarting(): ErrorHandler {
    const deaths: number[] = [];
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }), // a broken pipe: `closed` follows
      closed: () => {
        if (!running) return { action: CloseAction.DoNotRestart, handled: true };
        deaths.push(Date.now());
        if ((deaths.at(-MOST_DEATHS) ?? 0) < Date.now() - WITHIN_MS) return { action: CloseAction.Restart, handled: true };
        fail(`The server ended ${MOST_DEATHS} times within ${WITHIN_MS / 60_000} minutes. The log says more.`);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
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

  async function stop(): Promise<void> {
    const client = await starting?.catch(() => undefined);
    starting = undefined;
    vscode.Disposable.from(...passedThrough).dispose();
    passedThrough = [];
    await client?.dispose();
    become({ kind: 'stopped' });
  }

  async function restart(): Promise<void> {
    await stop();
    starting = start();
    await starting.catch(() => undefined); // it has been shown
  }

  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (starting && event.affectsConfiguration('inductorLens.interpreter')) void restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (state.kind === 'failed') void restart();
    }),
  );

  return {
    get state() {
      return state;
    },
    onState: stateChanged.event,
    onTracesChanged: tracesChanged.event,
    client: () => (starting ??= start()),
    restart,
    stop,
  };
}

/** A Python with a fitting server: one that has it already, else the private environment. */
async function findServer(context: vscode.ExtensionContext, version: string, log: vscode.LogOutputChannel): Promise<Python> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true }); // also where programs run: nothing of the workspace is on their path
  const say = (line: string): void => log.info(line);
  const list = await candidates({
    setting: vscode.workspace.getConfiguration('inductorLens').get('interpreter', ''),
    workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    pythonExtension: () => (vscode.workspace.isTrusted ? activeInterpreter() : Promise.resolve(undefined)),
    platform: process.platform,
  });
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

async function activeInterpreter(): Promise<string | undefined> {
  if (!vscode.extensions.getExtension('ms-python.python')) return undefined;
  try {
    const { environments } = await PythonExtension.api();
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath());
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // the Python extension failed, and says so itself
  }
}

function createClient(python: Python, cwd: string, log: vscode.LogOutputChannel, errorHandler: ErrorHandler): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'file', language: 'json' },
      { scheme: 'file', language: 'jsonc' },
    ],
    initializationOptions: () => vscode.workspace.getConfiguration('inductorLens'),
    outputChannel: log,
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    textSynchronization: { delayOpenNotifications: true },
    markdown: { supportThemeIcons: true },
    errorHandler,
    initializationFailedHandler: () => false, // `start` says so
  };
  const server = { command: python.executable, args: ['-m', 'inductor_lens', 'serve'], options: { cwd } };
  return new Client('inductorLens', 'Inductor Lens', server, options);
}

/** The server's commands that the extension has none of its own for, such as those of code actions. */
function passThrough(client: LanguageClient): vscode.Disposable[] {
  const own: readonly string[] = COMMANDS;
  const theirs = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
  return theirs
    .filter((command) => !own.includes(command))
    .map((command) =>
      vscode.commands.registerCommand(command, (...args: unknown[]) =>
        client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args as never[] }),
      ),
    );
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
