// What the commands do. Each works before the server runs: it starts with the first question that is asked of it.
import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient';
import { sayAside } from './aside';
import type { CommandId, Commands } from './commandIds';
import type { Node } from './kernelTree';
import { kernelMarkdown } from './markdown';
import { pickBaseline, pickFile, pickTrace } from './picks';
import { openLaunch, openSource, openTable, peekLaunches } from './places';
import type { KernelOfTrace, KernelRow, Launch } from './protocol';
import type { Store } from './store';

export interface Means {
  readonly store: Store;
  readonly log: vscode.LogOutputChannel;
  /** Has the server run one of its commands. */
  readonly tell: (command: string, ...args: (string | null)[]) => Promise<unknown>;
  /** Opens a trace to look at, without making it the active one. */
  readonly openBeside: (uri: string) => Promise<void>;
  readonly showInTable: (kernel: KernelOfTrace) => Promise<void>;
  readonly restart: () => Promise<void>;
}

export function createCommands({ store, log, tell, openBeside, showInTable, restart }: Means): Commands {
  const commands: Commands = {
    async 'inductorLens.openTrace'(where) {
      const given = traceUri(where);
      const uri = given === null ? await pickFile() : vscode.Uri.parse(given);
      if (!uri) return;
      await tell('inductorLens.openTrace', uri.toString());
      await openTable(uri);
    },
    async 'inductorLens.showKernels'(where) {
      const uri = traceUri(where) ?? (await store.traces()).active;
      if (uri === null) await commands['inductorLens.openTrace']();
      else await openTable(vscode.Uri.parse(uri));
    },
    async 'inductorLens.selectTrace'(where) {
      const uri = traceUri(where) ?? (await pickTrace(store, 'The trace whose figures the editors show'));
      if (uri) await tell('inductorLens.selectTrace', uri);
    },
    async 'inductorLens.selectBaseline'(where) {
      const uri = where === null ? null : (traceUri(where) ?? (await pickBaseline(store, openBeside)));
      if (uri !== undefined) await tell('inductorLens.selectBaseline', uri);
    },
    'inductorLens.clearBaseline': () => tell('inductorLens.selectBaseline', null),
    async 'inductorLens.closeTrace'(where) {
      const uri = traceUri(where) ?? (await pickTrace(store, 'The trace to close'));
      if (uri) await tell('inductorLens.closeTrace', uri);
    },
    async 'inductorLens.showReport'(where) {
      const uri = traceUri(where);
      await tell('inductorLens.showReport', ...(uri === null ? [] : [uri]));
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
      // A code action of the server's names (trace, row).
      const found = await kernelOf(typeof row === 'string' ? { uri: what, id: row } : what);
      if (!found) return;
      const place = { uri: found.uri, id: found.kernel.id };
      if (!(await tell('inductorLens.openWorstLaunch', place.uri, place.id))) await showInTable(place);
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
    'inductorLens.restart': restart,
    'inductorLens.showLog': () => log.show(),
  };

  /** The kernel that a tree node stands for, or that a webview, its menu or the server names. */
  async function kernelOf(what: unknown): Promise<{ uri: string; kernel: KernelRow } | undefined> {
    const named = what as (Partial<Node & { kind: 'kernel' }> & Partial<KernelOfTrace>) | undefined;
    if (named?.uri === undefined) return undefined;
    const kernel = named.kernel ?? (await store.report(named.uri))?.kernels.find(({ id }) => id === named.id);
    return kernel && { uri: named.uri, kernel };
  }

  return guarded(commands, log);
}

/** A command that throws opens a box that blocks the window. */
function guarded(commands: Commands, log: vscode.LogOutputChannel): Commands {
  const guard = (act: Commands[CommandId]) => async (...args: unknown[]) => {
    try {
      return await act(...args);
    } catch (error) {
      sayAside(error, log);
    }
  };
  return Object.fromEntries(Object.entries(commands).map(([id, act]) => [id, guard(act)])) as Commands;
}

/** A trace as commands name it: a URI (of VS Code or as text) or a node of the tree. */
function traceUri(where: unknown): string | null {
  if (typeof where === 'string') return where;
  if (where instanceof vscode.Uri) return where.toString();
  const node = where as Node | undefined;
  return node?.kind === 'trace' ? node.trace.uri : null;
}
