// The Explorer view's rows, from what the server says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTree, type Node } from '../src/kernelTree';
import type { Launch, TraceSummary } from '../src/protocol';
import { createStore, type Store } from '../src/store';
import { ADD, NORM, report, SILU, UNKNOWN } from './kernels';

const trace = (name: string, part: Partial<TraceSummary> = {}): TraceSummary => ({
  uri: `file:///t/${name}`, label: name, state: 'ready', message: '', kernels: 4, triton_launches: 4, low_time_percent: 38.2, ...part,
});
const launch: Launch = { uri: 'file:///t/now.json', range: null, ts_us: 12.5, busy_us: 505.3, tb_s: 3.1874 };

const store: Store = {
  traces: () => Promise.resolve({
    active: 'file:///t/now.json', baseline: 'file:///t/before.json',
    traces: [trace('now.json'), trace('before.json'), trace('slow.json', { state: 'loading', kernels: 0, triton_launches: 0, low_time_percent: null }), trace('bad.json', { state: 'failed', message: 'This is an execution trace.' })],
  }),
  report: () => Promise.resolve(report([UNKNOWN, NORM, { ...SILU, change_percent: -12.3 }, { ...ADD, peak_percent: 12 }])),
  launches: () => Promise.resolve([launch, { ...launch, tb_s: null }]),
  forget: () => undefined,
};
const tree = createTree(store, () => 50);
const words = (nodes: Node[]): string[] => nodes.map((node) => {
  const item = tree.getTreeItem(node);
  return `${item.label as string} — ${String(item.description)} [${(item.iconPath as { id: string }).id}] ${item.contextValue ?? ''}`.trim();
});

test('traces, with the roles they play and the state they are in', async () => {
  assert.deepEqual(words(await tree.getChildren()), [
    'now.json — active · 4 kernels [pass-filled] trace ready active',
    'before.json — baseline · 4 kernels [git-compare] trace ready baseline',
    'slow.json — loading… [loading~spin] trace loading',
    'bad.json — This is an execution trace. [error] trace failed',
  ]);
});

test('kernels by what is recoverable, the low ones marked', async () => {
  const [first] = await tree.getChildren();
  assert.deepEqual(words(await tree.getChildren(first)), [
    'unsafe_view_mul_silu_2 — 3.19 TB/s · 60 % · −12 % · 505.3 µs [symbol-event] kernel source',
    'unsafe_view_add_3 — 3.81 TB/s · 12 % · 140.9 µs [arrow-down] kernel',
    'add_mean_mul_pow_rsqrt_0 — 3.38 TB/s · 64 % · 79.4 µs [symbol-event] kernel',
    '5 — 10.0 µs [question] kernel',
  ]);
});

test('launches in time order', async () => {
  const [first] = await tree.getChildren();
  const [kernel] = await tree.getChildren(first);
  assert.deepEqual(words(await tree.getChildren(kernel)), ['Launch 1 — 505.3 µs · 3.19 TB/s [debug-start] launch', 'Launch 2 — 505.3 µs [debug-start] launch']);
});

test('without a server the view is empty, which shows how to open a trace', async () => {
  const none = createTree({ ...store, traces: () => Promise.reject(new Error('no server')) }, () => 50);
  assert.deepEqual(await none.getChildren(), []);
});

test('the server is asked once until it says that something changed, and again after a failure', async () => {
  const asked: string[] = [];
  let fails = true;
  const real = createStore((method, params) => {
    asked.push(params === undefined ? method : `${method} ${JSON.stringify(params)}`);
    if (fails) return Promise.reject(new Error('gone'));
    return Promise.resolve((method === 'inductorLens/traces' ? { active: 'file:///c++', baseline: null, traces: [] } : null) as never);
  });
  await assert.rejects(real.report('file:///a'));
  fails = false;
  await Promise.all([real.report('file:///a'), real.report('file:///a'), real.report('file:///b')]);
  assert.equal((await real.traces()).active, 'file:///c%2B%2B', "in VS Code's spelling");
  assert.deepEqual(await real.launches('file:///a', 'gone'), []);
  real.forget();
  await real.report('file:///a');
  const a = 'inductorLens/report {"uri":"file:///a","launches":false}';
  assert.deepEqual(asked, [a, a, 'inductorLens/report {"uri":"file:///b","launches":false}', 'inductorLens/traces', 'inductorLens/launches {"uri":"file:///a","kernel":"gone"}', a]);
});
