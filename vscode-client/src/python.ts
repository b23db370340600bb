// Which Python runs the server: the setting's, else the Python extension's, else the PATH's.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Run } from './run';

export const OLDEST_PYTHON = [3, 10] as const;

export interface Candidate {
  readonly command: string;
  readonly from: 'setting' | 'Python extension' | 'PATH';
}

export interface Python {
  /** What `sys.executable` says: the interpreter behind a shim or a link. */
  readonly executable: string;
  readonly version: readonly [number, number];
  /** The version of `inductor-lens` that is installed there, if one is. */
  readonly server: string | null;
  readonly from: Candidate['from'];
}

/** No Python, or none that can run the server. The message is for people. */
export class NoServer extends Error {}

// Asks without importing: what an old or broken inductor-lens would do at import does not matter here.
const QUESTION = `
import importlib.metadata, importlib.util, json, sys
try:
    server = importlib.metadata.version("inductor-lens") if importlib.util.find_spec("inductor_lens") else None
except Exception:
    server = None
print(json.dumps({"executable": sys.executable, "version": sys.version_info[:2], "server": server}))
`;

export interface Sources {
  /** The setting `inductorLens.interpreter`: the only candidate where it is not empty. */
  readonly setting: string;
  readonly workspaceFolder: string | undefined;
  /** The Python extension's choice; not asked in an untrusted workspace, which may have made that choice. */
  readonly pythonExtension: () => Promise<string | undefined>;
  readonly platform: NodeJS.Platform;
}

export async function candidates(sources: Sources): Promise<Candidate[]> {
  const setting = sources.setting.trim();
  if (setting) return [{ command: expand(setting, sources.workspaceFolder), from: 'setting' }];
  const chosen = await sources.pythonExtension();
  const names = sources.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];
  return [
    ...(chosen ? [{ command: chosen, from: 'Python extension' as const }] : []),
    ...names.map((command) => ({ command, from: 'PATH' as const })),
  ];
}

function expand(path: string, folder: string | undefined): string {
  const here = path.replace('${workspaceFolder}', folder ?? '.').replace(/^~(?=$|[\\/])/, homedir());
  const isName = !/[\\/]/.test(here); // looked up on the PATH
  return isName || isAbsolute(here) ? here : resolve(folder ?? homedir(), here);
}

/** The first candidate that runs and is new enough. Throws NoServer, saying what was wrong with each. */
export async function findPython(list: readonly Candidate[], run: Run, cwd: string, log: (line: string) => void): Promise<Python> {
  const wrong: string[] = [];
  for (const candidate of list) {
    const answer = await ask(candidate, run, cwd);
    if (typeof answer !== 'string') return answer;
    log(`${candidate.command} (${candidate.from}): ${answer}`);
    wrong.push(`${candidate.command} ${answer}`);
  }
  const needs = `Inductor Lens needs Python ${OLDEST_PYTHON.join('.')} or newer`;
  if (list[0]?.from === 'setting') {
    throw new NoServer(`${needs}. The interpreter in the setting inductorLens.interpreter cannot be used: ${wrong.join('; ')}.`);
  }
  throw new NoServer(`${needs} and found none: ${wrong.join('; ')}. Choose an interpreter in the setting inductorLens.interpreter.`);
}

async function ask({ command, from }: Candidate, run: Run, cwd: string): Promise<Python | string> {
  const { code, stdout, stderr } = await run(command, ['-c', QUESTION], { cwd, timeoutMs: 20_000 });
  if (code !== 0) return stderr.includes('ENOENT') ? 'is not there' : `did not run (${lastLine(stderr) || `exit ${String(code)}`})`;
  let answer: Omit<Python, 'from'>;
  try {
    answer = JSON.parse(stdout) as Omit<Python, 'from'>;
  } catch {
    return 'is not a Python';
  }
  const [major, minor] = answer.version;
  const old = major < OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor < OLDEST_PYTHON[1]);
  return old ? `is Python ${major}.${minor}` : { ...answer, from };
}

/** Whether an installed server speaks as this extension does: the same major version, and minor while major is 0. */
export function isCompatible(installed: string, wanted: string): boolean {
  const parts = (version: string): string[] => version.split('.').slice(0, version.startsWith('0.') ? 2 : 1);
  return parts(installed).join('.') === parts(wanted).join('.');
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** The interpreter inside a virtual environment. */
export function venvPython(directory: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? join(directory, 'Scripts', 'python.exe') : join(directory, 'bin', 'python');
}
