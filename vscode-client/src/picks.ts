// Questions to the person: which trace, which baseline, which file.
import * as vscode from 'vscode';
import type { TraceSummary } from './protocol';
import type { Store } from './store';

const item = ({ uri, label }: TraceSummary, description: string) => ({ label, description, detail: vscode.Uri.parse(uri).fsPath, uri });

/** One of the traces that are open. */
export async function pickTrace(store: Store, placeHolder: string): Promise<string | undefined> {
  const { traces, active } = await store.traces();
  const items = traces.map((trace) => item(trace, trace.uri === active ? 'active' : ''));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

/** An open trace that is not the active one, or any file, which `open` opens first. */
export async function pickBaseline(store: Store, open: (uri: string) => Promise<void>): Promise<string | undefined> {
  const { traces, active, baseline } = await store.traces();
  const others = traces.filter(({ uri }) => uri !== active).map((trace) => item(trace, trace.uri === baseline ? 'baseline now' : ''));
  const another = { label: '$(folder-opened) Another trace…', uri: null };
  const picked = await vscode.window.showQuickPick([...others, another], { placeHolder: 'The trace to compare with' });
  if (picked?.uri !== null) return picked?.uri;
  const file = await pickFile();
  if (file) await open(file.toString());
  return file?.toString();
}

export async function pickFile(): Promise<vscode.Uri | undefined> {
  const filters = { 'Profiler traces': ['json', 'gz'] };
  return (await vscode.window.showOpenDialog({ canSelectMany: false, filters, title: 'Open a profiler trace' }))?.[0];
}
