// Something went wrong that nobody waits for: said aside, in the corner of the window. A missing server has been said.
import * as vscode from 'vscode';
import { NoServer } from './python';

export function sayAside(error: unknown, log: vscode.LogOutputChannel): void {
  if (error instanceof NoServer) return;
  log.error(error instanceof Error ? error : String(error));
  void vscode.window.showErrorMessage(`Inductor Lens: ${error instanceof Error ? error.message : String(error)}`);
}
