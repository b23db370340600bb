// Starting and stopping: when the extension wakes, which Python it takes, what it says when there is none, and that
// nothing stays behind.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { example, python, serve } from './serve.mjs';
import { exampleTrace, put, SILU } from './traces.mjs';
import { openWorkbench, PATIENCE, scenario, until, within } from './workbench.mjs';

/** @type {import('./serve.mjs').Served | undefined} */ let served;
/** @type {import('./workbench.mjs').Workbench | undefined} */ let bench;
/** @type {string} */ let plain;
const KERNEL = 'c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py';

before(async () => {
  plain = await mkdtemp(join(tmpdir(), 'inductor-lens-plain-'));
  await writeFile(join(plain, 'model.py'), 'import torch\n\nmodel = torch.compile(torch.nn.Linear(3, 3))\n');
  await writeFile(join(plain, 'data.json'), '{"name": "plain"}\n'); // VS Code itself opens a package.json
});
afterEach(async () => {
  await bench?.close();
  await served?.stop();
  bench = served = undefined;
});
after(() => rm(plain, { recursive: true }));

/** @param {string} folder @param {Parameters<typeof serve>[1]} [options] */
async function start(folder, options) {
  served = await serve(folder, options);
  bench = await openWorkbench(served.url);
  return /** @type {{ served: import('./serve.mjs').Served, bench: import('./workbench.mjs').Workbench }} */ ({ served, bench });
}

/** The extension's row among the running extensions. */
async function runningRow() {
  await bench?.command('Developer: Show Running Extensions');
  await bench?.page.locator('.runtime-extensions-editor .extension').first().waitFor();
  return bench?.page.locator('.runtime-extensions-editor .extension', { hasText: 'Inductor Lens' });
}

/** How long activation took, of the shortest of a few windows. @param {string} what @param {() => Promise<unknown>} wake */
const wakesWithin100ms = (what, wake) => within(100, `activation on ${what}`, async (again) => {
  if (again) await bench?.reload();
  await wake();
  const row = (await runningRow())?.filter({ hasText: /Activation: \d+ms/ });
  return Number(/Activation: (\d+)ms/.exec((await row?.innerText()) ?? '')?.[1]);
});

scenario('a workspace without Python or JSON does not wake it', () => bench, async () => {
  await writeFile(join(plain, 'notes.txt'), 'nothing of ours\n');
  const { bench, served } = await start(plain);
  await bench.openText('notes.txt');
  await wait(1500);
  assert.equal(await (await runningRow())?.count(), 0);
  assert.deepEqual(await served.servers(), []);
});

scenario('other people’s Python and JSON wake the gate only: no server, no log, under 100 ms', () => bench, async () => {
  const { bench, served } = await start(plain);
  await wakesWithin100ms('files that are not ours', async () => {
    await bench.openText('model.py');
    await bench.openText('data.json');
  });
  await wait(1500);
  assert.deepEqual(await served.servers(), []);
  assert.equal((await readdir(join(served.base, 'data/logs'), { recursive: true })).filter((name) => /Inductor Lens/.test(name)).length, 0);
});

scenario('a file of ours wakes all of it, under 100 ms of the extension host’s time', () => bench, async () => {
  const { bench, served } = await start(example);
  await wakesWithin100ms('a kernel', async () => {
    await bench.openText(KERNEL);
    await bench.lens('3.19 TB/s');
  });
  await until('one server', async () => (await served.servers()).length === 1); // a reloaded window's last one may still be ending
});

scenario('no interpreter: one message, and the setting heals it', () => bench, async () => {
  const { bench, served } = await start(example, { settings: { 'inductorLens.interpreter': '/no/such/python' } });
  await put(served.folder, 'run.json.gz', await exampleTrace());
  await bench.openText(KERNEL);
  const toast = await bench.toast('Inductor Lens needs Python 3.10 or newer');
  assert.match(await toast.innerText(), /The interpreter in the setting inductorLens\.interpreter cannot be used: \/no\/such\/python is not there\./);
  await bench.shot('no-interpreter');
  await bench.open('run.json.gz');
  const page = await bench.tracePage('run.json.gz');
  await page.locator('.failed', { hasText: '/no/such/python is not there' }).waitFor();
  await bench.shot('no-interpreter-table');
  assert.equal((await bench.messages()).length, 1, 'said once, however many views want the server');
  const healed = { 'inductorLens.interpreter': python, 'inductorLens.traces': ['trace.json'], 'inductorLens.inductorCacheDirs': ['cache'] };
  await writeFile(join(served.folder, '.vscode/settings.json'), JSON.stringify(healed));
  await bench.openText(KERNEL);
  await bench.lens('3.19 TB/s');
});

scenario('a Python whose server does not start: one message', () => bench, async () => {
  const broken = join(plain, 'broken-python');
  await writeFile(broken, `#!/bin/sh\ncase "$*" in *"inductor_lens serve"*) echo "ImportError: no pygls" >&2; exit 1;; *) exec ${python} "$@" | sed 's#"executable": "[^"]*"#"executable": "'$0'"#';; esac\n`);
  await chmod(broken, 0o755);
  const { bench } = await start(example, { settings: { 'inductorLens.interpreter': broken } });
  await bench.openText(KERNEL);
  await bench.toast('The server did not start');
  await wait(2000);
  const messages = await bench.messages();
  assert.deepEqual(messages.length, 1, messages.join('\n'));
});

scenario('the Python extension’s interpreter, and another when it changes', () => bench, async () => {
  const extension = join(plain, 'python.vsix');
  const folder = fileURLToPath(new URL('./python-extension', import.meta.url));
  const vsce = fileURLToPath(new URL('../node_modules/.bin/vsce', import.meta.url));
  await promisify(execFile)(vsce, ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', extension], { cwd: folder });
  const theirs = { 'standIn.interpreter': python, 'inductorLens.traces': ['trace.json'], 'inductorLens.inductorCacheDirs': ['cache'] };
  const { bench, served } = await start(example, { settings: { ...theirs, 'inductorLens.interpreter': '' }, extensions: [extension] });
  await bench.openText(KERNEL);
  await bench.lens('3.19 TB/s');
  const [first = ''] = await served.servers();
  assert.match(first, new RegExp(` ${python} -m inductor_lens serve$`));
  const other = join(plain, 'other');
  await run(python, ['-m', 'venv', '--without-pip', other]);
  await writeFile(join(served.folder, '.vscode/settings.json'), JSON.stringify({ ...theirs, 'standIn.interpreter': join(other, 'bin/python') }));
  await bench.toast('making a private environment');
  await until('a server of the private environment', async () => /globalStorage\/inductor-lens\.inductor-lens\/env-/.test((await served.servers())[0] ?? ''));
});

scenario('a Python without inductor-lens: a private environment, from the extension alone', () => bench, async () => {
  const clean = join(plain, 'clean');
  await run(python, ['-m', 'venv', '--without-pip', clean]);
  const { bench, served } = await start(example, {
    settings: { 'inductorLens.interpreter': join(clean, 'bin/python') },
    env: { PIP_INDEX_URL: 'http://127.0.0.1:9/', PIP_EXTRA_INDEX_URL: '', PIP_FIND_LINKS: '', PIP_CONFIG_FILE: '/dev/null', PYTHONPATH: '' },
  });
  await bench.openText(KERNEL);
  await bench.toast('making a private environment');
  await bench.shot('private-environment');
  await bench.lens('3.19 TB/s', 2 * PATIENCE);
  const [server] = await served.servers();
  assert.match(server ?? '', /globalStorage\/inductor-lens\.inductor-lens\/env-/);
});

scenario('an untrusted workspace: figures, but not with the interpreter that it names', () => bench, async () => {
  const evil = await mkdtemp(join(tmpdir(), 'inductor-lens-evil-'));
  await run('cp', ['-r', `${example}/.`, evil]);
  const trap = join(evil, 'python');
  await writeFile(trap, `#!/bin/sh\ntouch ${join(evil, 'ran')}\nexec ${python} "$@"\n`);
  await chmod(trap, 0o755);
  await writeFile(join(evil, 'inductor_lens.py'), `open(${JSON.stringify(join(evil, 'ran'))}, "w")\n`);
  await writeFile(join(evil, 'json.py'), `open(${JSON.stringify(join(evil, 'ran'))}, "w")\n`);
  const theirs = { 'inductorLens.interpreter': trap, 'inductorLens.traces': ['trace.json'], 'inductorLens.inductorCacheDirs': ['cache'] };
  await writeFile(join(evil, '.vscode/settings.json'), JSON.stringify(theirs));
  const { bench, served } = await start(evil, { trusted: false, settings: { 'security.workspace.trust.startupPrompt': 'never' } });
  await bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  await bench.openText(KERNEL);
  await bench.lens('3.19 TB/s');
  await bench.shot('untrusted');
  assert.ok(!(await readdir(served.folder)).includes('ran') && !(await readdir(evil)).includes('ran'), 'nothing of the workspace was run');
  await rm(evil, { recursive: true });
});

scenario('restarting the server brings everything back', () => bench, async () => {
  const { bench, served } = await start(example);
  await put(served.folder, 'run.json.gz', await exampleTrace());
  await bench.open('run.json.gz');
  const page = await bench.tracePage('run.json.gz');
  await page.locator('tbody tr').nth(3).waitFor();
  const [first] = await served.servers();
  await bench.command('Inductor Lens: Restart Server');
  await until('another server', async () => ((await served.servers())[0] ?? first) !== first);
  await (await bench.tracePage('run.json.gz')).locator('tbody tr', { hasText: SILU.slice(-10) }).waitFor();
  assert.equal((await served.servers()).length, 1);
});

scenario('a server that is killed comes back', () => bench, async () => {
  const { bench, served } = await start(example);
  await bench.openText(KERNEL);
  await bench.lens('3.19 TB/s');
  const [first = ''] = await served.servers();
  process.kill(Number(first.split(' ')[0]), 'SIGKILL');
  await until('another server', async () => ((await served.servers())[0] ?? first) !== first);
  await bench.openText('output_code.py');
  await bench.goto(231);
  await bench.lens('3.19 TB/s');
});

scenario('closing the window leaves no server behind', () => bench, async () => {
  const started = await start(example);
  await started.bench.openText(KERNEL);
  await started.bench.lens('3.19 TB/s');
  assert.equal((await started.served.servers()).length, 1);
  await started.bench.close();
  bench = undefined;
  const closed = Date.now();
  await until('no server', async () => (await started.served.servers()).length === 0);
  console.log(`the server is gone ${Date.now() - closed} ms after the window`);
});

/** @param {string} command @param {string[]} args */
const run = (command, args) => promisify(execFile)(command, args);
