// The language client: a bundle of its own, since it is nine tenths of the code and not needed until Python is found.
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

export interface Connection {
  request<T>(method: string, params?: object): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server runs, at first or again; or it ended and is being started again. */
  readonly running: (isRunning: boolean) => void;
  /** The server ended too often. */
  readonly gaveUp: (message: string) => void;
  readonly tracesChanged: () => void;
  /** The user wants a kernel flagged no more. */
  readonly kernelIgnored: (name: string) => void;
}

const MOST_DEATHS = 4;
const WITHIN_MS = 3 * 60_000;

class Client extends LanguageClient {
  /** Leaves the server's commands to the extension, whose own have the same names and work before the server runs. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method) return;
    super.registerFeature(feature);
  }

  /** To the log only: what a person has to know, the extension says itself, once. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Starts the server with this interpreter; its working folder must be none that a workspace controls. */
export async function connect(python: string, cwd: string, log: vscode.LogOutputChannel, events: ConnectionEvents): Promise<Connection> {
  let running = false;
  let ran = false;
  const options: LanguageClientOptions = {
    documentSelector: [...['python', 'json', 'jsonc'].map((language) => ({ scheme: 'file', language })), { scheme: 'inductor-lens' }],
    initializationOptions: () => vscode.workspace.getConfiguration('inductorLens'),
    outputChannel: log,
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    textSynchronization: { delayOpenNotifications: true },
    markdown: { supportThemeIcons: true },
    errorHandler: restarting(() => running, () => ran, events.gaveUp),
    initializationFailedHandler: () => false, // `start` rejects
  };
  const server = { command: python, args: ['-m', 'inductor_lens', 'serve'], options: { cwd } };
  const client = new Client('inductorLens', 'Inductor Lens', server, options);
  client.onNotification('inductorLens/tracesChanged', events.tracesChanged);
  client.onNotification('inductorLens/kernelIgnored', ({ kernel }: { kernel: string }) => events.kernelIgnored(kernel));
  client.onDidChangeState(({ newState }) => {
    if (running === (newState === State.Running)) return;
    running = !running;
    ran = true;
    events.running(running);
  });
  await client.start();
  const passedThrough = passThrough(client);
  return {
    request: (method, params) => client.sendRequest(method, params),
    async close() {
      vscode.Disposable.from(...passedThrough).dispose();
      if (client.state === State.Starting) await client.start().catch(() => undefined); // one that starts cannot be stopped
      await client.dispose().catch((error: unknown) => log.warn(`The server was ended: ${String(error)}`));
    },
  };
}

/** A server that ran and died is started again, a few times; one that never ran is not. */
function restarting(runs: () => boolean, ran: () => boolean, gaveUp: (message: string) => void): ErrorHandler {
  const deaths: number[] = [];
  return {
    error: () => ({ action: ErrorAction.Continue, handled: true }), // a broken pipe: `closed` follows
    closed: () => {
      if (!runs()) {
        if (ran()) gaveUp('The server ended and did not start again. The log says more.');
        return { action: CloseAction.DoNotRestart, handled: true };
      }
      deaths.push(Date.now());
      if ((deaths.at(-MOST_DEATHS) ?? 0) < Date.now() - WITHIN_MS) return { action: CloseAction.Restart, handled: true };
      gaveUp(`The server ended ${MOST_DEATHS} times within ${WITHIN_MS / 60_000} minutes. The log says more.`);
      return { action: CloseAction.DoNotRestart, handled: true };
    },
  };
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
