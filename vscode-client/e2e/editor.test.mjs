// In the editor: what stands on a kernel's line, where jumps lead, and that figures follow the trace.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { example, serve } from './serve.mjs';
import { exampleTrace, put, SILU } from './traces.mjs';
import { openWorkbench, scenario } from './workbench.mjs';

/** @type {import('./serve.mjs').Served} */ let served;
/** @type {import('./workbench.mjs').Workbench} */ let bench;

const LENS = '3.19 TB/s · 60 % of peak · 1,536 MB · 1.342 GFLOP · 505.3 µs × 1';
const wrapper = await readFile(join(example, 'output_code.py'), 'utf8');
const trace = await exampleTrace();
/** The place of the first match of a text, counted from 1. @param {string} text @param {string} what */
function place(text, what) {
  const before = text.slice(0, text.indexOf(what)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

before(async () => {
  served = await serve(example);
  await put(served.folder, 'before.json', await exampleTrace({ [SILU]: 606.36 }));
  bench = await openWorkbench(served.url);
});
after(async () => {
  await bench?.close();
  await served?.stop();
});

scenario('a wrapper: a lens above each kernel, with the seed’s figures', () => bench, async () => {
  await bench.openText('output_code.py');
  const { line } = place(wrapper, `${SILU} = async_compile`);
  await bench.goto(line);
  const lens = await bench.lens(LENS);
  assert.equal(await lens.innerText(), LENS);
  await bench.shot('lens');
});

scenario('a kernel of the cache: lens and hover', () => bench, async () => {
  await bench.openText('c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py');
  await bench.lens(LENS);
  const source = await readFile(join(example, 'cache/7l/c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py'), 'utf8');
  const { line, column } = place(source, `${SILU}(`);
  const hover = await bench.hover(line, column + 3);
  for (const figure of ['3.19 TB/s', '60', '1,536', '1.342', '2.66', '0.833', '505.3']) assert.ok(hover.includes(figure), `${figure} in\n${hover}`);
  await bench.picture('kernel');
  await bench.page.keyboard.press('Escape');
});

scenario('a call site: an inlay hint, and Go to Definition leads to the kernel', () => bench, async () => {
  await bench.openText('output_code.py');
  const call = place(wrapper, `${SILU}.run(`);
  await bench.goto(call.line, call.column + 4);
  await bench.hint('3.19 TB/s');
  await bench.shot('call-site');
  await bench.page.keyboard.press('F12');
  const kernel = place(wrapper, `def ${SILU}(`);
  await bench.cursorAt(`Ln ${kernel.line},`);
  await bench.shot('call-site-definition');
});

scenario('a trace as text: a hint at a launch, and F12 lands on the generated kernel’s line', () => bench, async () => {
  await bench.openText('trace.json');
  const event = place(trace, `"name": "${SILU}"`);
  await bench.goto(event.line, event.column + 12);
  await bench.hint('3.19 TB/s');
  await bench.shot('trace-text');
  await bench.page.keyboard.press('F12');
  // Two definitions, for the same kernel stands in the wrapper too: VS Code peeks, Enter goes to the first.
  const peek = bench.page.locator('.peekview-widget');
  await peek.locator('.view-line', { hasText: `def ${SILU}` }).first().waitFor();
  assert.match(await peek.locator('.peekview-title').innerText(), /c7ly5lla5redje73.*Definitions \(2\)/s);
  await bench.shot('definition');
  await bench.page.keyboard.press('Enter');
  await bench.page.locator('.tabs-container .tab.active', { hasText: 'c7ly5lla5redje73' }).waitFor();
  await bench.cursorAt('Ln 18,');
});

scenario('a lens peeks its launches', () => bench, async () => {
  await bench.openText('c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py');
  await (await bench.lens(LENS)).click();
  const peek = bench.page.locator('.peekview-widget');
  await peek.waitFor();
  assert.match(await peek.locator('.peekview-title').innerText(), /trace\.json/);
  await peek.locator('.view-line', { hasText: SILU }).first().waitFor();
  await bench.shot('peek');
  await bench.page.keyboard.press('Escape');
});

scenario('a baseline changes the lens', () => bench, async () => {
  await bench.command('Inductor Lens: Open Trace…');
  await bench.fillPath(join(served.folder, 'before.json'));
  await bench.tracePage('before.json');
  await bench.choose('Inductor Lens: Choose Active Trace…', 'trace.json');
  await bench.choose('Inductor Lens: Compare with Baseline…', 'before.json');
  await bench.openText('c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py');
  await bench.lens('3.19 TB/s · +20 % · 60 % of peak');
  await bench.shot('baseline-lens');
  await bench.command('Inductor Lens: Stop Comparing');
  await bench.lens(LENS);
});

scenario('low bandwidth is a problem, and a trace that changes on disk changes the figures', () => bench, async () => {
  await put(served.folder, 'trace.json', await exampleTrace({ [SILU]: 1516.0 }));
  const slow = await bench.lens('1.06 TB/s · 20 % of peak');
  assert.match(await slow.innerText(), /1,516 µs/);
  const problems = await bench.problems();
  assert.ok(problems.some((text) => /20 %/.test(text ?? '') && /TB\/s/.test(text ?? '')), problems.join('\n'));
  await bench.shot('problem');
  await put(served.folder, 'trace.json', trace);
  await bench.lens(LENS);
});
