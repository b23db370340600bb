// The private environment: built once, published whole, and every failure one sentence.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { privateEnvironment, type Surroundings } from '../src/environment';
import { NoServer, type Python } from '../src/python';
import type { Finished, Run } from '../src/run';

const BASE: Python = { executable: '/usr/bin/python3', version: [3, 12], server: null, from: 'PATH' };
const DONE: Finished = { code: 0, stdout: '', stderr: '' };

let folder: string;
let calls: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lens-environment-'));
  calls = [];
  await mkdir(join(folder, 'wheels'));
  await writeFile(join(folder, 'wheels/inductor_lens-0.1.0-py3-none-any.whl'), 'wheel');
});
afterEach(() => rm(folder, { recursive: true }));

/** A Python whose steps `venv`, `offline` and `index` end as told, and which has the server once one install went well. */
function python(ends: Partial<Record<'venv' | 'offline' | 'index', Finished>> = {}): Run {
  let installed = false;
  return async (command, args) => {
    const step = args.includes('venv') ? 'venv' : args.includes('--no-index') ? 'offline' : args.includes('install') ? 'index' : 'ask';
    calls.push(step);
    if (step === 'ask') {
      return installed ? { ...DONE, stdout: JSON.stringify({ executable: command, version: [3, 12], server: '0.1.0' }) } : { ...DONE, code: 1 };
    }
    if (step === 'venv') await mkdir(args.at(-1) ?? '', { recursive: true });
    const end = ends[step] ?? DONE;
    if (end.code === 0 && step !== 'venv') installed = true;
    return end;
  };
}

function around(run: Run, part: Partial<Surroundings> = {}): Surroundings {
  return {
    storage: join(folder, 'storage'), wheels: join(folder, 'wheels'), platform: 'linux', run, log: () => undefined,
    withProgress: (build) => build(() => undefined, new AbortController().signal), ...part,
  };
}

test('it is made from the wheels, and found again the next time', async () => {
  const run = python();
  const made = await privateEnvironment(BASE, around(run));
  assert.match(made.executable, /storage\/env-[0-9a-f]{12}-py3\.12-[0-9a-f]{6}\/bin\/python$/);
  assert.equal(made.server, '0.1.0');
  assert.deepEqual(calls, ['venv', 'offline', 'ask']);
  assert.equal((await privateEnvironment(BASE, around(run))).executable, made.executable);
  assert.deepEqual(calls, ['venv', 'offline', 'ask', 'ask']);
});

test('dependencies that the extension does not carry come from the index', async () => {
  await privateEnvironment(BASE, around(python({ offline: { code: 1, stdout: '', stderr: 'ERROR: No matching distribution found for isal>=1.7' } })));
  assert.deepEqual(calls, ['venv', 'offline', 'index', 'ask']);
});

test('another build of the extension makes its own, and removes the old', async () => {
  await privateEnvironment(BASE, around(python()));
  const before = await readdir(join(folder, 'storage'));
  await writeFile(join(folder, 'wheels/inductor_lens-0.1.0-py3-none-any.whl'), 'another wheel');
  await privateEnvironment(BASE, around(python()));
  const after = await readdir(join(folder, 'storage'));
  assert.equal(after.length, 2);
  assert.ok(after.every((name) => !before.includes(name)), `${before.join()} → ${after.join()}`);
});

test('one that was not finished is not mistaken for ready', async () => {
  const failing = python({ offline: { code: 1, stdout: '', stderr: '' }, index: { code: 1, stdout: '', stderr: 'ERROR: no network\n' } });
  await assert.rejects(privateEnvironment(BASE, around(failing)), NoServer);
  assert.deepEqual(await readdir(join(folder, 'storage')), []);
  await privateEnvironment(BASE, around(python()));
});

for (const [what, ends, message] of [
  ['a Python without venv', { venv: { code: 1, stdout: 'ensurepip is not\navailable', stderr: 'The virtual environment was not created successfully because ensurepip is not available.' } },
    'Could not make a private environment with /usr/bin/python3: its venv module is missing. On Debian and Ubuntu, install python3-venv, or choose another interpreter.'],
  ['no network', { offline: { code: 1, stdout: '', stderr: '' }, index: { code: 1, stdout: 'Looking in indexes\n', stderr: 'WARNING: Retrying\nERROR: Could not find a version that satisfies the requirement isal>=1.7\nERROR: No matching distribution found for isal>=1.7\n' } },
    "Could not install the server's dependencies: No matching distribution found for isal>=1.7. Install it yourself with `pip install inductor-lens` and choose that interpreter in the setting inductorLens.interpreter."],
] as const) {
  test(`${what} is said in one message`, async () => {
    await assert.rejects(privateEnvironment(BASE, around(python(ends))), { message });
  });
}

test('stopping it leaves nothing', async () => {
  const controller = new AbortController();
  const run: Run = (command, args, options) => {
    controller.abort();
    return python()(command, args, options);
  };
  const stopped = around(run, { withProgress: (build) => build(() => undefined, controller.signal) });
  await assert.rejects(privateEnvironment(BASE, stopped), { message: 'Making the private environment was stopped.' });
  assert.deepEqual(await readdir(join(folder, 'storage')), []);
});

test('a build of the extension without a wheel says what to do', async () => {
  await assert.rejects(privateEnvironment(BASE, around(python(), { wheels: join(folder, 'none') })), /pip install inductor-lens/);
});
