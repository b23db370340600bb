// The page of a trace in panels of any width, and with more kernels than anyone wants.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { isAccessible } from './accessibility.mjs';
import { example, serve } from './serve.mjs';
import { exampleTrace, manyKernels, put } from './traces.mjs';
import { openWorkbench, scenario } from './workbench.mjs';

const KERNELS = 1200;

/** @type {import('./serve.mjs').Served} */ let served;
/** @type {import('./workbench.mjs').Workbench} */ let bench;
/** @type {import('playwright-core').Frame} */ let page;

before(async () => {
  served = await serve(example);
  await put(served.folder, 'run.json.gz', await exampleTrace());
  await put(served.folder, 'many.json.gz', await manyKernels(KERNELS));
  await put(served.folder, 'none.json.gz', '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1.0, "dur": 2.0, "args": {}}]}');
  bench = await openWorkbench(served.url);
});
after(async () => {
  await bench?.close();
  await served?.stop();
});

const rows = () => page.locator('tbody tr');

scenario(`${KERNELS} kernels: the first are drawn at once, the last when they are wanted, and words find one`, () => bench, async () => {
  await bench.open('many.json.gz');
  page = await bench.tracePage('many.json.gz');
  await rows().nth(100).waitFor({ state: 'attached' });
  assert.equal(await page.locator('table').getAttribute('aria-rowcount'), String(KERNELS + 1));
  assert.ok(await rows().count() < KERNELS);
  await rows().first().click();
  await bench.shot('many');
  await bench.page.keyboard.press('End');
  await page.locator(`tr[aria-rowindex="${KERNELS + 1}"]:focus`).waitFor();
  assert.equal(await rows().count(), KERNELS);
  await bench.shot('many-end');
  await page.locator('input').fill('backward_777');
  assert.equal(await page.locator('.found').innerText(), '1 of 1,200 kernels');
  assert.equal(await rows().count(), 1);
  await page.locator('input').fill('no such kernel');
  assert.equal(await page.locator('.empty').innerText(), 'No kernel matches the filter.');
  await bench.shot('many-none');
});

for (const [name, width] of /** @type {const} */ ([['narrow', 448], ['wide', 2560]])) {
  scenario(`a ${name} panel: nothing is cut off, and what matters is in view`, () => bench, async () => {
    await bench.page.setViewportSize({ width, height: 1000 });
    if (name === 'narrow') await bench.command('View: Toggle Primary Side Bar Visibility');
    await bench.open('run.json.gz');
    page = await bench.tracePage('run.json.gz');
    await rows().nth(3).waitFor();
    await rows().nth(1).click();
    await page.locator('#timeline .dots').waitFor({ state: 'attached' });
    const { inner, scroll, peak } = await page.evaluate(() => ({
      inner: innerWidth,
      scroll: document.documentElement.scrollWidth,
      peak: document.querySelector('th.bandwidth')?.getBoundingClientRect().right ?? Infinity,
    }));
    assert.ok(scroll <= inner, `${scroll} px in ${inner}`);
    assert.ok(peak <= inner, `the bandwidth ends at ${peak} of ${inner} px`);
    await isAccessible(page);
    await bench.shot(name);
    await page.locator('#timeline').scrollIntoViewIfNeeded();
    await bench.shot(`${name}-plots`);
  });
}

scenario('a trace without a Triton kernel says so', () => bench, async () => {
  await bench.page.setViewportSize({ width: 1440, height: 900 });
  await bench.open('none.json.gz');
  page = await bench.tracePage('none.json.gz');
  await page.locator('.empty', { hasText: 'This trace has no Triton kernel.' }).waitFor();
  await isAccessible(page);
  await bench.shot('none');
});
