// Runs a program to its end. Never through a shell, never in a folder that the workspace controls.
import { execFile } from 'node:child_process';

export interface Finished {
  /** null: it could not be started, was stopped, or took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<Finished>;

export const run: Run = (command, args, { cwd, timeoutMs, signal }) =>
  new Promise((resolve) => {
    const options = { cwd, timeout: timeoutMs, maxBuffer: 16 << 20, windowsHide: true, ...(signal && { signal }) };
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr: stderr || (error?.message ?? '') });
    });
  });
