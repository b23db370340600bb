// Programs run to their end, or to ours.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { run } from '../src/run';

const node = process.execPath;
const options = { cwd: tmpdir(), timeoutMs: 10_000 };

test('what a program says and how it ends', async () => {
  assert.deepEqual(await run(node, ['-e', 'console.log(1); console.error(2); process.exit(3)'], options), { code: 3, stdout: '1\n', stderr: '2\n' });
});

test('a program that is not there', async () => {
  const { code, stderr } = await run('/no/such/program', [], options);
  assert.equal(code, null);
  assert.match(stderr, /ENOENT/);
});

test('one that takes too long, and one that is stopped', async () => {
  const forever = ['-e', 'setInterval(() => {}, 1000)'];
  assert.equal((await run(node, forever, { ...options, timeoutMs: 100 })).code, null);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  assert.equal((await run(node, forever, { ...options, signal: controller.signal })).code, null);
});

test('no shell reads the arguments', async () => {
  assert.equal((await run(node, ['-p', 'process.argv[1]', '$(echo hi); `id`'], options)).stdout, '$(echo hi); `id`\n');
});
