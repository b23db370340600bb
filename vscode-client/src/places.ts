// Places in files: opening a kernel's source, a launch in its trace, or all launches in a peek.
import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient';
import { TRACE_EDITOR, JSON_TRACE_EDITOR } from './commandIds';
import type { KernelRow, Launch } from './protocol';

/** VS Code sends no larger text to an extension, and a peek of one would freeze the window. */
const LARGEST_TEXT_BYTES = 50 * 1024 * 1024;

/** `preserveFocus`: the person goes on in the list that they are in. */
export async function openSource({ definition }: KernelRow, preserveFocus = false): Promise<void> {
  if (!definition) return;
  const position = new vscode.Position(Math.max(0, definition.line - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(definition.path), { selection: new vscode.Range(position, position), preserveFocus });
}

/** Whether VS Code can show a place in this file: not in a `.gz`, and not beyond its own limit. */
export async function isShownAsText(uri: vscode.Uri): Promise<boolean> {
  if (uri.path.endsWith('.gz')) return false;
  try {
    return (await vscode.workspace.fs.stat(uri)).size <= LARGEST_TEXT_BYTES;
  } catch {
    return false;
  }
}

/** Opens the trace's text at the launch. Returns false where the text cannot be shown. */
export async function openLaunch({ uri, range }: Launch, preserveFocus = false): Promise<boolean> {
  const target = vscode.Uri.parse(uri);
  if (range === null || !(await isShownAsText(target))) return false;
  const { start, end } = range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const document = await vscode.workspace.openTextDocument(target);
  await vscode.window.showTextDocument(document, { selection, preserveFocus });
  return true;
}

/** A peek of the launches at a lens. Returns false where there is none to show, or one lies in a text that cannot be. */
export async function peekLaunches(uri: string, at: Position, locations: readonly Location[]): Promise<boolean> {
  if (locations.length === 0) return false;
  for (const target of new Set(locations.map((location) => location.uri))) {
    if (!(await isShownAsText(vscode.Uri.parse(target)))) return false;
  }
  await vscode.commands.executeCommand(
    'editor.action.showReferences',
    vscode.Uri.parse(uri),
    new vscode.Position(at.line, at.character),
    locations.map(({ uri: target, range: { start, end } }) =>
      new vscode.Location(vscode.Uri.parse(target), new vscode.Range(start.line, start.character, end.line, end.character))),
  );
  return true;
}

/** Opens the trace in the kernel table. */
export async function openTable(uri: vscode.Uri): Promise<void> {
  const byDefault = /\.json\.gz$|\.pt\.trace\.json$/.test(uri.path);
  await vscode.commands.executeCommand('vscode.openWith', uri, byDefault ? TRACE_EDITOR : JSON_TRACE_EDITOR);
}
