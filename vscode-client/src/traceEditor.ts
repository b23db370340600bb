// The read-only editor of a trace of any size: a webview that shows the server's report. The file itself is never
// read here; the server streams it.
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FromWebview, PageRequest, ToWebview } from './messages';
import { isShownAsText } from './places';
import type { Server } from './server';
import type { Store } from './store';

export interface Actions {
  readonly openTrace: (uri: string) => Promise<void>;
  readonly act: (message: PageRequest, uri: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly lowPercent: () => number;
}

export interface TraceEditors {
  readonly resolve: (uri: vscode.Uri, panel: vscode.WebviewPanel) => void;
  readonly refresh: () => void;
  /** After the server began anew it knows no trace: what is open here is to be opened again. */
  readonly forgetOpened: () => void;
  /** Brings a kernel into view: now where the trace's editor is open, else when it opens. */
  readonly select: (uri: string, id: string) => boolean;
}

interface Editor {
  readonly uri: string;
  readonly panel: vscode.WebviewPanel;
  /** Its page listens: VS Code ends the page of a tab behind another, and loads it anew. */
  ready: boolean;
  last: string;
}

export function createTraceEditors(context: vscode.ExtensionContext, store: Store, server: Server, actions: Actions): TraceEditors {
  const editors = new Set<Editor>();
  const opened = new Set<string>();
  const pending = new Map<string, string>();

  const listens = (editor: Editor): boolean => editor.ready && editors.has(editor);

  async function refresh(editor: Editor): Promise<void> {
    if (!listens(editor)) return;
    const message = await answer(editor.uri).catch((error: unknown): ToWebview => failed(editor.uri, error));
    if (!listens(editor)) return; // no longer
    const text = JSON.stringify(message);
    if (text !== editor.last) { // else nothing is new: the reader keeps their place
      editor.last = text;
      await editor.panel.webview.postMessage(message);
    }
    const id = pending.get(editor.uri);
    if (message.kind === 'report' && id !== undefined) {
      pending.delete(editor.uri);
      await editor.panel.webview.postMessage({ kind: 'select', id } satisfies ToWebview);
    }
  }

  async function answer(uri: string): Promise<ToWebview> {
    const label = labelOf(uri);
    const { traces, active, baseline } = await store.traces();
    const trace = traces.find((one) => one.uri === uri);
    if (!trace) {
      if (opened.has(uri)) return { kind: 'failed', label, message: 'This trace was closed.', offer: 'reopen' };
      opened.add(uri);
      await actions.openTrace(uri);
      return { kind: 'waiting', label };
    }
    opened.add(uri);
    if (trace.state === 'failed') return { kind: 'failed', label, message: trace.message || 'This trace could not be read.', offer: null };
    const report = trace.state === 'loading' ? null : await store.report(uri);
    if (!report) return { kind: 'waiting', label };
    const other = traces.find((one) => one.uri === baseline && one.uri !== uri && one.state === 'ready');
    const otherReport = other && uri === active ? await store.report(other.uri) : null;
    return {
      kind: 'report',
      uri,
      label: trace.label,
      role: uri === active ? 'active' : uri === baseline ? 'baseline' : null,
      report,
      baseline: other && otherReport ? { label: other.label, report: otherReport } : null,
      lowPercent: actions.lowPercent(),
    };
  }

  function failed(uri: string, error: unknown): ToWebview {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', label: labelOf(uri), message, offer: server.state.kind === 'ready' ? null : 'restart' };
  }

  async function hear(editor: Editor, message: FromWebview): Promise<void> {
    switch (message.kind) {
      case 'ready':
        editor.ready = true;
        editor.last = '';
        await editor.panel.webview.postMessage({ kind: 'waiting', label: labelOf(editor.uri) } satisfies ToWebview);
        await refresh(editor);
        break;
      case 'reopen':
        opened.delete(editor.uri);
        await refresh(editor);
        break;
      case 'wantLaunches': {
        const launches = await store.launches(editor.uri, message.id);
        const opens = await isShownAsText(vscode.Uri.parse(editor.uri));
        await editor.panel.webview.postMessage({ kind: 'launches', id: message.id, launches, opens } satisfies ToWebview);
        break;
      }
      default:
        await actions.act(message, editor.uri);
    }
  }

  return {
    resolve(documentUri, panel) {
      const editor: Editor = { uri: documentUri.toString(), panel, ready: false, last: '' };
      editors.add(editor);
      opened.delete(editor.uri); // closed before, and now wanted again
      const dist = vscode.Uri.joinPath(context.extensionUri, 'dist');
      panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
      panel.webview.onDidReceiveMessage((message: FromWebview) => hear(editor, message).catch(actions.failed));
      panel.onDidChangeViewState(() => {
        if (!panel.visible) editor.ready = false;
      });
      panel.onDidDispose(() => editors.delete(editor));
      panel.webview.html = page(panel.webview, dist);
      answer(editor.uri).catch(() => undefined); // the server begins to read while the page loads; the page asks again
    },
    refresh() {
      for (const editor of editors) void refresh(editor);
    },
    forgetOpened() {
      opened.clear();
    },
    select(uri, id) {
      pending.set(uri, id);
      const editor = [...editors].find((one) => one.uri === uri);
      if (!editor) return false;
      editor.panel.reveal();
      void refresh(editor);
      return true;
    },
  };
}

function labelOf(uri: string): string {
  return basename(vscode.Uri.parse(uri).path);
}

function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const link = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${link('webview.css')}">
<title>Inductor Kernels</title>
</head>
<body>
<main id="main" aria-busy="true"></main>
<script nonce="${nonce}" src="${link('webview.js')}"></script>
</body>
</html>`;
}
