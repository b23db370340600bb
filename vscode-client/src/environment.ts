// A private Python environment in the extension's own storage, from the wheel that the .vsix carries.
//
// An environment is built under a name of its own and then published by one small file that names it, so two
// windows that build at once, or a window that dies half-way, leave nothing that a third could mistake for ready.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPython, lastLine, NoServer, type Python, venvPython } from './python';
import type { Run } from './run';

const MINUTE_MS = 60_000;

export interface Surroundings {
  readonly storage: string;
  /** The folder with inductor_lens-*.whl and, for some platforms, the wheels that it depends on. */
  readonly wheels: string;
  readonly platform: NodeJS.Platform;
  readonly run: Run;
  readonly log: (line: string) => void;
  /** Runs the building, with something on screen that can stop it. */
  readonly withProgress: <T>(build: (say: (step: string) => void, signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** The interpreter of the private environment, which is built if it is not there. Throws NoServer. */
export async function privateEnvironment(base: Python, around: Surroundings): Promise<Python> {
  const wheel = await ownWheel(around.wheels);
  const contents = createHash('sha256').update(await readFile(wheel)).digest('hex').slice(0, 12);
  const key = `${contents}-py${base.version.join('.')}`;
  const pointer = join(around.storage, `server-${key}.json`);

  const ready = await published(pointer, around);
  if (ready) return ready;

  const directory = join(around.storage, `env-${key}-${randomBytes(3).toString('hex')}`);
  await mkdir(around.storage, { recursive: true });
  try {
    await around.withProgress((say, signal) => build(base, wheel, directory, around, say, signal));
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  const draft = `${directory}.json`;
  await writeFile(draft, JSON.stringify({ python: venvPython(directory, around.platform) }));
  await rename(draft, pointer);
  await removeOld(around.storage, contents);

  const built = await published(pointer, around);
  if (!built) throw new NoServer(`The private environment in ${directory} does not run. The log says more.`);
  return built;
}

async function ownWheel(folder: string): Promise<string> {
  const names = await readdir(folder).catch((): string[] => []);
  const wheel = names.find((name) => /^inductor_lens-.*\.whl$/.test(name));
  if (wheel === undefined) {
    throw new NoServer('This build of the extension carries no server. Install it with `pip install inductor-lens` for the interpreter in use.');
  }
  return join(folder, wheel);
}

async function published(pointer: string, around: Surroundings): Promise<Python | undefined> {
  try {
    const { python } = JSON.parse(await readFile(pointer, 'utf8')) as { python: string };
    const found = await findPython([{ command: python, from: 'setting' }], around.run, around.storage, around.log);
    return found.server === null ? undefined : found;
  } catch {
    return undefined;
  }
}

async function build(
  base: Python,
  wheel: string,
  directory: string,
  { wheels, platform, run, log, storage }: Surroundings,
  say: (step: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const step = async (command: string, args: string[]): Promise<string | null> => {
    log(`$ ${command} ${args.join(' ')}`);
    const { code, stdout, stderr } = await run(command, args, { cwd: storage, timeoutMs: 10 * MINUTE_MS, signal });
    if (signal.aborted) throw new NoServer('Making the private environment was stopped.');
    if (code === 0) return null;
    log(`${stdout}\n${stderr}`.trim());
    return reason(`${stdout}\n${stderr}`);
  };

  say(`making a private environment with Python ${base.version.join('.')}`);
  const noVenv = await step(base.executable, ['-m', 'venv', directory]);
  if (noVenv) throw new NoServer(`Could not make a private environment with ${base.executable}: ${noVenv}`);

  say('installing the server');
  const python = venvPython(directory, platform);
  // The wheel by its path: no index can put another in its place.
  const install = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--only-binary', ':all:', '--find-links', wheels, wheel];
  if ((await step(python, [...install, '--no-index'])) === null) return;
  log('Not all dependencies are in the extension for this platform and Python: asking the package index.');
  say('installing the server from the package index');
  const noInstall = await step(python, install);
  if (noInstall) {
    throw new NoServer(
      `Could not install the server's dependencies: ${noInstall} Install it yourself with \`pip install inductor-lens\` and choose that interpreter in the setting inductorLens.interpreter.`,
    );
  }
}

/** The line of pip's or venv's output that says why. */
function reason(output: string): string {
  if (/ensurepip is not available|No module named (?:venv|ensurepip)/.test(output)) {
    return 'its venv module is missing. On Debian and Ubuntu, install python3-venv, or choose another interpreter.';
  }
  const errors = output.split('\n').filter((line) => line.startsWith('ERROR: '));
  return sentence(errors.at(-1)?.slice('ERROR: '.length) ?? lastLine(output));
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Environments of other builds of the extension. One in use elsewhere on Windows stays: it cannot be removed. */
async function removeOld(storage: string, contents: string): Promise<void> {
  for (const name of await readdir(storage)) {
    if (/^(?:env|server)-/.test(name) && !name.includes(contents)) {
      await rm(join(storage, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
