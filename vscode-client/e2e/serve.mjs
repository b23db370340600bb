// Starts the real workbench (code-server) on loopback, with a fresh profile and the packaged extension.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
export const repository = resolve(here, '../..');
export const example = join(repository, 'examples/transformer_block');
const vsweb = process.env.VSWEB ?? join(here, '.vsweb');
const entry = join(vsweb, 'node_modules/code-server/out/node/entry.js');

/** The .vsix under test. */
export const vsix = process.env.VSIX ?? join(repository, 'dist/inductor-lens.vsix');
/** A Python with the server of this repository. */
export const python = process.env.PYTHON ?? join(repository, '.venv/bin/python');

const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'extensions.autoCheckUpdates': false,
  'update.showReleaseNotes': false,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'files.autoSave': 'off',
  'editor.minimap.enabled': false,
  'editor.hover.delay': 150,
};

/** @type {Set<number>} Process groups to end with this process, however it ends. */
const groups = new Set();
process.once('exit', () => groups.forEach((group) => group > 0 && kill(-group, 'SIGKILL')));

/**
 * @typedef {object} Served
 * @property {string} url
 * @property {string} folder The workspace: a copy, so that a test may change it.
 * @property {string} base Where the profile is.
 * @property {() => Promise<string[]>} servers The command lines of the language servers that run for it.
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} source The folder to copy and open.
 * @param {{ settings?: object, env?: NodeJS.ProcessEnv, trusted?: boolean, extensions?: string[] }} [options] `extensions`: other .vsix files to install.
 * @returns {Promise<Served>}
 */
export async function serve(source, { settings = {}, env = {}, trusted = true, extensions = [] } = {}) {
  if (!existsSync(entry)) throw new Error(`no workbench in ${vsweb}: run \`make e2e\`, or set VSWEB`);
  if (!existsSync(vsix)) throw new Error(`no ${vsix}: run \`make vsix\``);
  const base = await mkdtemp(join(tmpdir(), 'inductor-lens-e2e-'));
  const folder = join(base, 'workspace');
  await cp(source, folder, { recursive: true });
  await mkdir(join(base, 'data/User'), { recursive: true });
  const all = { ...QUIET, 'inductorLens.interpreter': python, ...settings };
  await writeFile(join(base, 'data/User/settings.json'), JSON.stringify(all));
  const profile = ['--user-data-dir', join(base, 'data'), '--extensions-dir', join(base, 'extensions')];
  const environment = { ...process.env, XDG_CONFIG_HOME: join(base, 'config'), XDG_DATA_HOME: join(base, 'share'), ...env };
  const install = [vsix, ...extensions].flatMap((extension) => ['--install-extension', extension]);
  await promisify(execFile)('node', [entry, ...install, ...profile], { env: environment });

  const port = await freePort();
  const trust = trusted ? ['--disable-workspace-trust'] : [];
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
  const child = spawn('node', [entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...profile, ...trust, ...quiet, folder], {
    env: environment,
    stdio: 'ignore',
    detached: true, // a group of its own, so that all of it can be ended
  });
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      const gone = once(child, 'exit');
      kill(-child.pid, 'SIGTERM');
      await Promise.race([gone, wait(3000).then(() => child.pid !== undefined && kill(-child.pid, 'SIGKILL'))]);
    }
    groups.delete(child.pid ?? 0);
    await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  groups.add(child.pid ?? 0);
  const origin = `http://127.0.0.1:${port}`;
  try {
    await answers(`${origin}/healthz`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `${origin}/?folder=${folder}`, folder, base, servers: () => serversUnder(base), stop };
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // already gone
  }
}

/** @returns {Promise<number>} */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** @param {string} url */
async function answers(url) {
  for (let tries = 0; tries < 900; tries++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await wait(100);
  }
  throw new Error(`${url} does not answer`);
}

/**
 * Language servers whose working folder lies in a profile: which is where the extension runs them.
 * @param {string} base
 */
async function serversUnder(base) {
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').join(' ').trim();
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      if (command.includes('-m inductor_lens serve') && environment.includes(base)) found.push(`${pid} ${command}`);
    } catch {
      // gone meanwhile
    }
  }
  return found;
}
