// Which Python runs the server, with each interpreter's answer scripted.
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { test } from 'node:test';
import { candidates, findPython, isCompatible, NoServer, type Sources } from '../src/python';
import type { Finished, Run } from '../src/run';

const nothing = (): void => undefined;
const sources = (part: Partial<Sources>): Sources => ({
  setting: '', workspaceFolder: '/work', pythonExtension: () => Promise.resolve(undefined), platform: 'linux', ...part,
});
const says = (version: [number, number], server: string | null, executable = '/usr/bin/python3'): Finished => ({
  code: 0, stdout: JSON.stringify({ executable, version, server }), stderr: '',
});
const scripted = (answers: Record<string, Finished>): Run => (command) =>
  Promise.resolve(answers[command] ?? { code: null, stdout: '', stderr: `spawn ${command} ENOENT` });

test('the setting is the only candidate where it is set', async () => {
  const asked = sources({ setting: ' /opt/py/bin/python ', pythonExtension: () => Promise.reject(new Error('must not be asked')) });
  assert.deepEqual(await candidates(asked), [{ command: '/opt/py/bin/python', from: 'setting' }]);
});

test('a setting may name a place in the workspace, at home, or a name on the PATH', async () => {
  const command = async (setting: string): Promise<string | undefined> => (await candidates(sources({ setting })))[0]?.command;
  assert.equal(await command('.venv/bin/python'), '/work/.venv/bin/python');
  assert.equal(await command('${workspaceFolder}/.venv/bin/python'), '/work/.venv/bin/python');
  assert.equal(await command('~/py/bin/python'), `${homedir()}/py/bin/python`);
  assert.equal(await command('python3.12'), 'python3.12');
});

test("else the Python extension's choice, then the PATH", async () => {
  const chosen = await candidates(sources({ pythonExtension: () => Promise.resolve('/env/bin/python') }));
  assert.deepEqual(chosen.map(({ command }) => command), ['/env/bin/python', 'python3', 'python']);
  const onWindows = await candidates(sources({ platform: 'win32' }));
  assert.deepEqual(onWindows.map(({ command }) => command), ['python', 'py']);
});

test('the first that runs and is new enough is taken, whether it has the server or not', async () => {
  const run = scripted({ '/env/bin/python': says([3, 9], '0.1.0'), python3: says([3, 12], null), python: says([3, 12], '0.1.0') });
  const list = await candidates(sources({ pythonExtension: () => Promise.resolve('/env/bin/python') }));
  const log: string[] = [];
  assert.deepEqual(await findPython(list, run, '/', (line) => log.push(line)), {
    executable: '/usr/bin/python3', version: [3, 12], server: null, from: 'PATH',
  });
  assert.deepEqual(log, ['/env/bin/python (Python extension): is Python 3.9']);
});

test('no Python gives one message that names each and says what to do', async () => {
  const run = scripted({ python: { code: 1, stdout: '', stderr: 'dyld: cannot load\nno such library\n' } });
  await assert.rejects(findPython(await candidates(sources({})), run, '/', nothing), (error: unknown) => {
    assert.ok(error instanceof NoServer);
    assert.equal(
      error.message,
      'Inductor Lens needs Python 3.10 or newer and found none: python3 is not there; python did not run (no such library). Choose an interpreter in the setting inductorLens.interpreter.',
    );
    return true;
  });
});

test('a setting that cannot be used is said, and nothing else is tried in its place', async () => {
  const run = scripted({ python3: says([3, 12], '0.1.0'), '/bin/echo': { code: 0, stdout: '-c import', stderr: '' } });
  const reject = async (setting: string, pattern: RegExp): Promise<void> =>
    assert.rejects(findPython(await candidates(sources({ setting })), run, '/', nothing), pattern);
  await reject('/no/python', /the setting inductorLens\.interpreter cannot be used: \/no\/python is not there\.$/);
  await reject('/bin/echo', /\/bin\/echo is not a Python\.$/);
});

test('an installed server fits when it has the same minor version before 1.0, the same major after', () => {
  for (const [installed, wanted] of [['0.1.0', '0.1.0'], ['0.1.7', '0.1.0'], ['1.4.0', '1.2.3']] as const) assert.ok(isCompatible(installed, wanted));
  for (const [installed, wanted] of [['0.2.0', '0.1.0'], ['1.0.0', '0.1.0'], ['2.0.0', '1.9.0'], ['0.10.0', '0.1.0']] as const) assert.ok(!isCompatible(installed, wanted));
});
