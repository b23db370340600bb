// The table of a packed trace, its plots, the Explorer view and the status bar.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { isAccessible } from './accessibility.mjs';
import { example, serve } from './serve.mjs';
import { ADD, exampleTrace, manySteps, NORM, NORM_ADD, put, SILU } from './traces.mjs';
import { openWorkbench, scenario } from './workbench.mjs';

/** @type {import('./serve.mjs').Served} */ let served;
/** @type {import('./workbench.mjs').Workbench} */ let bench;
/** @type {import('playwright-core').Frame} */ let page;

before(async () => {
  served = await serve(example, { settings: { 'explorer.autoReveal': false } });
  await put(served.folder, 'run.json.gz', await exampleTrace());
  await put(served.folder, 'before.json.gz', await exampleTrace({ [SILU]: 606.36, [ADD]: 98.6 }));
  await put(served.folder, 'broken.json.gz', '{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1, "name": "triton_poi_fused_add_0"}], "finish_ts": 3}');
  await put(served.folder, 'steps.json.gz', await manySteps(61));
  await put(served.folder, 'steps-before.json.gz', await manySteps(61, { [SILU]: 606.36, [ADD]: 98.6, [NORM]: 131.2 }));
  const whole = await exampleTrace();
  await put(served.folder, 'cut.json.gz', whole.slice(0, whole.lastIndexOf(ADD)));
  bench = await openWorkbench(served.url);
});
after(async () => {
  await bench?.close();
  await served?.stop();
});

/** @returns {Promise<string[][]>} */
const cells = () => page.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/ \*$/, '').trim())));
const rows = () => page.locator('tbody tr');

scenario('a packed trace opens as a table with the seed’s figures', () => bench, async () => {
  await bench.open('run.json.gz');
  page = await bench.tracePage('run.json.gz');
  await rows().nth(3).waitFor();
  assert.deepEqual(await cells(), [
    [SILU, '201.4', '60', '3.19', '505.3', '1', '1,536', '1.342', '2.66', '0.833', 'source'],
    [ADD, '39.6', '72', '3.81', '140.9', '1', '512', '0.067', '0.48', '0.125', 'source'],
    [NORM, '28.8', '64', '3.38', '79.4', '1', '256', '0.470', '5.92', '1.750', 'source'],
    [NORM_ADD, '17.2', '82', '4.32', '93.2', '1', '384', '0.470', '5.04', '1.167', 'source'],
  ]);
  assert.match(await page.locator('.facts').innerText(), /^AMD Instinct MI300X · 5\.30 TB\/s peak · 4 kernels · 4 Triton launches/);
});

scenario('and as a plot: a point a kernel, its figures on hover, its row lit', () => bench, async () => {
  assert.equal(await page.locator('#roofline .points .point').count(), 4);
  await page.locator(`#roofline .point[aria-label^="${NORM}"]`).hover();
  assert.match(await page.locator('#roofline .tip').innerText(), /3\.38 TB\/s · 64 % of peak\s+5\.92 TFLOPS\/s · 1\.750 FLOP\/B\s+79\.4 µs in 1 launch/);
  assert.equal(await page.locator('tr.pointed').getAttribute('data-id'), await rows().nth(2).getAttribute('data-id'));
  assert.deepEqual(await page.locator('#roofline .rooftext').allTextContents(), ['5.30 TB/s', '163.4 TFLOPS/s']);
});

scenario('the launches of the selected kernel', () => bench, async () => {
  await rows().first().click();
  await page.locator('#timeline .dots').waitFor({ state: 'attached' });
  assert.equal(await page.locator('#timeline h2').innerText(), `Launches of ${SILU}`);
  await page.locator('#timeline svg').focus();
  assert.match(await page.locator('#timeline .tip').innerText(), /Launch 1 of 1\s+3\.19 TB\/s · 505\.3 µs/);
  assert.doesNotMatch(await page.locator('main').innerText(), /undefined|null|NaN|\[object/);
  await bench.shot('table');
});

scenario('the keyboard sorts, filters, walks, copies and opens', () => bench, async () => {
  await page.locator('th.time button').focus();
  await bench.page.keyboard.press('Enter');
  await bench.page.keyboard.press('Enter');
  assert.equal(await page.locator('th.time').getAttribute('aria-sort'), 'ascending');
  assert.equal((await cells())[0]?.[0], NORM);
  await page.locator('input').focus();
  await bench.page.keyboard.type('unsafe add');
  assert.deepEqual((await cells()).map(([name]) => name), [NORM_ADD, ADD]);
  assert.equal(await page.locator('.found').innerText(), '2 of 4 kernels');
  await rows().first().focus();
  await bench.page.keyboard.press('ArrowDown');
  await bench.page.keyboard.press('c');
  await bench.page.locator('.statusbar-item', { hasText: `Copied ${ADD}` }).waitFor();
  const copied = await bench.page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /\| Bandwidth \| 3\.81 TB\/s, 72 % of peak \|/);
  await bench.page.keyboard.press('Enter');
  await bench.page.locator('.tabs-container .tab.active', { hasText: 'ciqcdmasu6gaqjpsckusydeadydc2hragvfxtiaufo7fcrzcqcyx.py' }).waitFor();
  await bench.lens('3.81 TB/s');
});

scenario('clicking a point opens its source', () => bench, async () => {
  await bench.open('run.json.gz');
  page = await bench.tracePage('run.json.gz');
  assert.equal(await page.locator('input').inputValue(), 'unsafe add', 'the page comes back as it was left');
  await page.locator('input').fill('');
  await page.locator(`#roofline .point[aria-label^="${SILU}"]`).click();
  await bench.page.locator('.tabs-container .tab.active', { hasText: 'c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py' }).waitFor();
  await bench.cursorAt('Ln 18,');
  await bench.shot('point-source');
});

scenario('a lens whose launches lie in a packed trace leads to the timeline', () => bench, async () => {
  await bench.open('before.json.gz');
  await bench.tracePage('before.json.gz');
  await bench.choose('Inductor Lens: Choose Active Trace…', 'before.json.gz');
  await bench.openText('c7ly5lla5redje73ga7bxrvjkypv7oc4lpfovfb3rppdngs5m5kc.py');
  await (await bench.lens('2.66 TB/s')).click();
  page = await bench.tracePage('before.json.gz');
  await page.locator(`#timeline h2:has-text("${SILU}")`).waitFor();
  assert.match(await page.locator('tr[aria-selected="true"]').innerText(), /mul_silu_2/);
});

scenario('a baseline: changes in the table, arrows in the plot', () => bench, async () => {
  await bench.open('run.json.gz');
  page = await bench.tracePage('run.json.gz');
  await page.locator('button', { hasText: 'Make Active' }).click();
  await page.locator('button', { hasText: 'Compare with Baseline…' }).click();
  await bench.pick('before.json.gz');
  await page.locator('th.change').waitFor();
  const change = Object.fromEntries((await cells()).map((row) => [row[0], row[4]]));
  assert.deepEqual([change[SILU], change[ADD], change[NORM]], ['+20 %', '−30 %', '±0.0 %']);
  assert.equal(await page.locator('#roofline .points .before').count(), 4);
  await rows().first().click();
  await bench.shot('compare');
});

scenario('the Explorer view: traces, kernels, launches, and the roles of traces', () => bench, async () => {
  await bench.showView();
  const active = bench.treeRow(/run\.json\.gz.*active · 4 kernels/);
  await active.click(); // folds it: the side bar is short
  await bench.treeRow(/before\.json\.gz.*baseline · 4 kernels/).waitFor();
  await active.click();
  const silu = bench.treeRow(/unsafe_view_mul_silu_2.*3\.19 TB\/s/);
  await silu.click();
  await bench.page.keyboard.press('ArrowRight');
  await bench.treeRow(/Launch 1.*505\.3 µs · 3\.19 TB\/s/).waitFor();
  await bench.shot('explorer');
});

scenario('the status bar: the active trace, and how much of its time is slow', () => bench, async () => {
  await bench.open('run.json.gz');
  const item = bench.statusItem();
  assert.match(await item.innerText(), /run\.json\.gz 0 % low/);
  await put(served.folder, 'run.json.gz', await exampleTrace({ [SILU]: 1516 }));
  await bench.page.locator('.statusbar-item[id*="inductorLens.trace"]', { hasText: '83 % low' }).waitFor();
  page = await bench.tracePage('run.json.gz');
  assert.equal((await cells()).find(([name]) => name === SILU)?.[3], '1.06', 'and the open table shows the new trace');
  assert.equal(await page.locator('.fill.low').count(), 1);
  await item.click();
  assert.equal(await bench.activeTab(), 'run.json.gz');
});

scenario('a trace that is none says what it is', () => bench, async () => {
  await bench.open('broken.json.gz');
  page = await bench.tracePage('broken.json.gz');
  const message = page.locator('.failed p');
  await message.waitFor();
  assert.match(await message.innerText(), /execution trace/i);
  await bench.shot('broken');
});

scenario('a trace that was cut off shows what it holds, and says so once', () => bench, async () => {
  await bench.open('cut.json.gz');
  page = await bench.tracePage('cut.json.gz');
  await page.locator('.problem').waitFor();
  assert.equal(await page.locator('.problem', { hasText: 'trace-damaged' }).count(), 1);
  const figures = Object.fromEntries((await cells()).map(([name, , , bandwidth, time]) => [name, [time, bandwidth]]));
  assert.deepEqual(figures, { [SILU]: ['505.3', '3.19'], [NORM]: ['79.4', '3.38'], [NORM_ADD]: ['93.2', '4.32'], [ADD]: ['–', '–'] });
  await bench.shot('damaged');
});

for (const theme of ['Default Dark Modern', 'Default Light Modern', 'Default High Contrast', 'Default High Contrast Light']) {
  scenario(`in the theme ${theme}`, () => bench, async () => {
    await writeSettings({ 'workbench.colorTheme': theme });
    await bench.open('run.json.gz');
    page = await bench.tracePage('run.json.gz');
    await page.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor();
    await page.locator('#roofline .point').first().waitFor();
    await bench.shot(theme.toLowerCase().replaceAll(' ', '-'));
    await rows().first().click();
    await page.locator('#timeline .dots').waitFor({ state: 'attached' });
    await isAccessible(page);
    await page.locator('input').focus();
    await isAccessible(page);
    for (const [name, notice] of [['broken.json.gz', '.failed'], ['cut.json.gz', '.problem']]) {
      await bench.open(name ?? '');
      page = await bench.tracePage(name ?? '');
      await page.locator(notice ?? '').waitFor();
      await isAccessible(page);
    }
  });
}

scenario('the report as a text', () => bench, async () => {
  await bench.command('Inductor Lens: Stop Comparing');
  await bench.command('Inductor Lens: Show Report as Text');
  await bench.page.locator('.tabs-container .tab.active', { hasText: '.md' }).waitFor();
  await bench.page.locator('.editor-group-container.active .view-line', { hasText: 'Kernels by recoverable time' }).waitFor();
  await bench.shot('report');
});

scenario('many launches: outliers stand out on the timeline, and a cursor walks them', () => bench, async () => {
  await writeSettings({});
  await bench.command('View: Close All Editors');
  for (const name of ['broken.json.gz', 'cut.json.gz']) { // for the pictures' sake
    await bench.choose('Inductor Lens: Close Trace', name);
    await rm(join(served.folder, name));
  }
  await bench.open('steps-before.json.gz');
  await bench.tracePage('steps-before.json.gz');
  await bench.open('steps.json.gz');
  page = await bench.tracePage('steps.json.gz');
  await page.locator('button', { hasText: 'Make Active' }).click();
  await page.locator(`tr:has-text("mul_silu_2")`).click();
  await page.locator('#timeline .dots').waitFor({ state: 'attached' });
  const [silu] = (await cells()).filter(([name]) => name === SILU);
  assert.deepEqual([silu?.[3], silu?.[5]], ['3.19', '61']);
  const slider = page.locator('#timeline svg');
  await slider.focus();
  assert.equal(await slider.getAttribute('aria-valuemax'), '61');
  await bench.page.keyboard.press('ArrowRight');
  await bench.page.keyboard.press('ArrowRight');
  assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Launch 3 of 61, 2\.11 TB\/s · 763\.1 µs, at 32\.00 ms$/);
  await page.locator('#roofline .point').last().focus();
  await page.locator('input').focus();
  await bench.picture('table');
  await page.locator('button', { hasText: 'Compare with Baseline…' }).click();
  await bench.pick('steps-before.json.gz');
  await page.locator('th.change').waitFor();
  await page.locator(`tr:has-text("mul_silu_2")`).click();
  await page.locator('#timeline .dots').waitFor({ state: 'attached' });
  await bench.picture('compare');
});

scenario('no message was left unread', () => bench, async () => {
  assert.deepEqual(await bench.messages(), []);
});

scenario('nothing was asked of another machine', () => bench, async () => {
  assert.deepEqual(bench.abroad.filter((url) => !/open-vsx|vscode-unpkg/.test(url)), [], 'but for the workbench’s own gallery, which was refused');
});

/** @param {object} more */
async function writeSettings(more) {
  await writeFile(join(served.folder, '.vscode/settings.json'), JSON.stringify({ 'inductorLens.traces': ['trace.json'], 'inductorLens.inductorCacheDirs': ['cache'], ...more }));
}
