// What the server last said of its traces, asked once for all who show it.
import * as vscode from 'vscode';
import type { Launch, Report, Traces } from './protocol';

export const NO_TRACES: Traces = { active: null, baseline: null, traces: [] };

export interface Store {
  traces(): Promise<Traces>;
  /** null while the trace loads. */
  report(uri: string): Promise<Report | null>;
  /** In time order. */
  launches(uri: string, kernel: string): Promise<readonly Launch[]>;
  /** Forgets everything: the server said that it changed. */
  forget(): void;
}

export function createStore(request: <T>(method: string, params?: object) => Promise<T>): Store {
  const answers = new Map<string, Promise<unknown>>();

  function ask<T>(method: string, params?: object): Promise<T> {
    const key = JSON.stringify([method, params]);
    const known = answers.get(key);
    if (known) return known as Promise<T>;
    const asked = request<T>(method, params);
    answers.set(key, asked);
    asked.catch(() => answers.delete(key));
    return asked;
  }

  return {
    traces: () => ask<Traces>('inductorLens/traces').then(withOurUris),
    report: (uri) => ask<Report | null>('inductorLens/report', { uri, launches: false }),
    launches: async (uri, kernel) => (await ask<readonly Launch[] | null>('inductorLens/launches', { uri, kernel })) ?? [],
    forget: () => answers.clear(),
  };
}

/** URIs in VS Code's spelling: it escapes more characters than others do. */
function withOurUris({ active, baseline, traces }: Traces): Traces {
  const ours = (uri: string): string => vscode.Uri.parse(uri).toString();
  return {
    active: active && ours(active),
    baseline: baseline && ours(baseline),
    traces: traces.map((trace) => ({ ...trace, uri: ours(trace.uri) })),
  };
}
