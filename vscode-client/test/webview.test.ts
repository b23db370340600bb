// The page in a DOM without layout: what is drawn, what keys do, and that text stays text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { JSDOM } from 'jsdom';
import type { FromWebview, Shown, ToWebview } from '../src/messages';
import type { KernelRow, Launch } from '../src/protocol';
import { ADD, COPY, kernel, NORM, report, SILU, UNKNOWN } from './kernels';

let dom: JSDOM;
let sent: FromWebview[];

const script = readFileSync('out/page/webview.js', 'utf8');

beforeEach(() => {
  dom = new JSDOM('<body><main id="main"></main></body>', { pretendToBeVisual: true, runScripts: 'outside-only' });
  sent = [];
  const { window } = dom;
  Object.defineProperties(window.HTMLElement.prototype, { clientWidth: { get: () => 600 }, clientHeight: { get: () => 350 } });
  class Observer {
    observe(): void { /* nothing changes its size or comes into view here */ }
  }
  Object.assign(window, {
    ResizeObserver: Observer, IntersectionObserver: Observer,
    acquireVsCodeApi: () => ({ postMessage: (message: FromWebview) => sent.push(JSON.parse(JSON.stringify(message)) as FromWebview), getState: () => undefined, setState: () => undefined }),
  });
  window.eval(script);
});
afterEach(() => dom.window.close());

const shown = (kernels: readonly KernelRow[], part: Partial<Shown> = {}): Shown => ({
  kind: 'report', uri: 'file:///t.json.gz', label: 't.json.gz', role: 'active', report: report(kernels), baseline: null, lowPercent: 50, ...part,
});
function tell(message: ToWebview): void {
  dom.window.dispatchEvent(new dom.window.MessageEvent('message', { data: message }));
}
const all = (selector: string): Element[] => [...dom.window.document.querySelectorAll(selector)];
const texts = (selector: string): string[] => all(selector).map((element) => element.textContent.trim());
function press(key: string, element = dom.window.document.activeElement): void {
  element?.dispatchEvent(new dom.window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

test('the table shows the report’s figures, the most recoverable first', () => {
  tell(shown([UNKNOWN, NORM, SILU]));
  assert.deepEqual(texts('tbody tr:first-child > *'), ['triton_poi_fused__unsafe_view_mul_silu_2', '147.8', '60', '3.19', '505.3', '1', '1,536', '1.342', '2.66', '0.833', 'trace']);
  assert.deepEqual(texts('tbody tr:last-child > *'), ['triton_for_fused_5', '–', '–', '–', '10.0', '1', '–', '–', '–', '–', '–']);
  assert.equal(all('table')[0]?.getAttribute('aria-rowcount'), '4');
});

test('a header sorts, says so, and turns round', () => {
  tell(shown([SILU, NORM, ADD]));
  const sorted = (): [string | null | undefined, string[]] => [all('th.moved')[0]?.getAttribute('aria-sort'), texts('td.moved')];
  all('th.moved button')[0]?.dispatchEvent(new dom.window.Event('click'));
  assert.deepEqual(sorted(), ['descending', ['1,536', '512', '256']]);
  all('th.moved button')[0]?.dispatchEvent(new dom.window.Event('click'));
  assert.deepEqual(sorted(), ['ascending', ['256', '512', '1,536']]);
});

test('the filter leaves what matches and says how many', () => {
  tell(shown([SILU, NORM, ADD]));
  const input = all('input')[0] as HTMLInputElement;
  input.value = 'silu';
  input.dispatchEvent(new dom.window.Event('input'));
  assert.deepEqual([texts('tbody th'), texts('.found')], [[SILU.name], ['1 of 3 kernels']]);
  input.value = 'nothing like it';
  input.dispatchEvent(new dom.window.Event('input'));
  assert.deepEqual(texts('.empty'), ['No kernel matches the filter.']);
});

test('arrow keys walk the rows; Enter opens the source, c copies', () => {
  tell(shown([SILU, NORM, ADD]));
  (all('tbody tr')[0] as HTMLElement).focus();
  press('ArrowDown');
  press('End');
  press('Enter');
  press('c');
  assert.deepEqual(sent.filter(({ kind }) => kind !== 'ready'), [
    { kind: 'wantLaunches', id: SILU.id }, { kind: 'wantLaunches', id: ADD.id }, { kind: 'wantLaunches', id: NORM.id },
    { kind: 'openSource', id: NORM.id }, { kind: 'copy', id: NORM.id },
  ]);
  assert.deepEqual(all('tbody tr').map((row) => row.getAttribute('tabindex')), ['-1', '-1', '0'], 'Tab enters at the row that was left');
});

test('bars: colour by the threshold, never longer than their box', () => {
  tell(shown([SILU, COPY, kernel('above', { peak_percent: 218 })]));
  const bars = all('.fill').map((fill) => `${fill.className} ${(fill as HTMLElement).style.width}`);
  assert.deepEqual(bars, ['fill 60.14%', 'fill low 20.8%', 'fill above 100%']);
});

test('a point for each kernel that has a place, with its figures for a screen reader', () => {
  tell(shown([SILU, COPY, UNKNOWN]));
  assert.deepEqual(all('#roofline .points .point').map((point) => point.getAttribute('aria-label')), [
    'triton_poi_fused__unsafe_view_mul_silu_2, 3.19 TB/s · 60 % of peak, 2.66 TFLOPS/s · 0.833 FLOP/B, 505.3 µs in 1 launch. Opens its source.',
    'triton_poi_fused_clone_4, 1.10 TB/s · 21 % of peak, 0 TFLOPS/s · 0 FLOP/B, 10.0 µs in 1 launch',
  ]);
  assert.deepEqual(texts('#roofline .absent'), ['1 of 3 kernels has no figures to be placed by.']);
});

test('a point is as far below the roof as its bandwidth is below the peak', () => {
  const half = kernel('half', { gflops: 1, flops_per_byte: 1, tb_s: 2.65, tflops_s: 2.65 });
  const full = kernel('full', { gflops: 1, flops_per_byte: 2, tb_s: 5.3, tflops_s: 10.6 });
  tell(shown([half, full]));
  const y = (line: Element, at: number): number => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = ['x1', 'y1', 'x2', 'y2'].map((name) => Number(line.getAttribute(name)));
    return y1 + ((at - x1) / (x2 - x1)) * (y2 - y1);
  };
  const at = (point: Element | undefined): number[] => /translate\((.*),(.*)\)/.exec(point?.getAttribute('transform') ?? '')?.slice(1).map(Number) ?? [];
  const slopes = all('#roofline line.roof').filter((line) => line.getAttribute('x1') !== '0' && line.getAttribute('y1') !== line.getAttribute('y2'));
  const [roof, low] = slopes;
  assert.ok(roof && low && slopes.length === 2);
  const points = all('#roofline .points .point');
  const [halfAt, fullAt] = [at(points[0]), at(points[1])];
  assert.ok(Math.abs(y(low, halfAt[0] ?? 0) - (halfAt[1] ?? 0)) < 0.5, 'half the bandwidth lies on the 50 % line');
  assert.ok(Math.abs(y(roof, fullAt[0] ?? 0) - (fullAt[1] ?? 0)) < 0.5, 'all of it on the roof');
});

test('a click on a point opens its source; the arrow keys walk from left to right', () => {
  tell(shown([SILU, NORM, ADD]));
  const points = all('#roofline .points .point') as SVGElement[];
  points[0]?.dispatchEvent(new dom.window.Event('click'));
  assert.deepEqual(sent.at(-1), { kind: 'openSource', id: SILU.id });
  points.find((point) => point.getAttribute('aria-label')?.startsWith(ADD.name))?.focus();
  press('ArrowRight');
  assert.ok(dom.window.document.activeElement?.getAttribute('aria-label')?.startsWith(SILU.name), 'more operations for each byte stand to the right');
});

test('a baseline adds its column, its fainter points and arrows', () => {
  const before = { label: 'before.json', report: report([{ ...SILU, tb_s: 2.8, tflops_s: 2.3 }]) };
  tell(shown([{ ...SILU, change_percent: 13.8 }, { ...NORM, change_percent: null }], { baseline: before }));
  assert.deepEqual(texts('td.change'), ['+14 %', '–']);
  assert.equal(all('#roofline .points .before').length, 1);
  assert.match(all('#roofline .points .arrow')[0]?.getAttribute('d') ?? '', /^M[\d.]+,[\d.]+L/);
});

test('the timeline is a slider over the launches; Enter opens one where the text can be shown', () => {
  const launches: Launch[] = [1, 2, 3].map((at) => ({ uri: 'file:///t.json', range: null, ts_us: at * 1000, busy_us: 505.3, tb_s: 3 + at / 10 }));
  tell(shown([SILU]));
  (all('tbody tr')[0] as HTMLElement).focus();
  tell({ kind: 'launches', id: SILU.id, launches, opens: true });
  const slider = all('#timeline svg')[0] as SVGElement;
  slider.focus();
  press('ArrowRight');
  assert.equal(slider.getAttribute('aria-valuetext'), 'Launch 2 of 3, 3.20 TB/s · 505.3 µs, at 1.00 ms');
  press('End');
  press('Enter');
  assert.deepEqual(sent.at(-1), { kind: 'openLaunch', id: SILU.id, index: 2 });
  tell({ kind: 'launches', id: SILU.id, launches, opens: false });
  press('Enter');
  assert.equal(sent.filter(({ kind }) => kind === 'openLaunch').length, 1);
});

test('a hundred thousand launches are one path', () => {
  const launches: Launch[] = Array.from({ length: 100_000 }, (_, at) => ({ uri: 'file:///t.json', range: null, ts_us: at, busy_us: 1, tb_s: 1 }));
  tell(shown([SILU]));
  (all('tbody tr')[0] as HTMLElement).focus();
  tell({ kind: 'launches', id: SILU.id, launches, opens: false });
  assert.equal(all('#timeline .dots').length, 1);
  assert.equal(all('#timeline .dots')[0]?.getAttribute('d')?.match(/M/g)?.length, 100_000);
});

test('many kernels are drawn as they come into view, and End still reaches the last', () => {
  tell(shown(Array.from({ length: 1000 }, (_, at) => kernel(`triton_poi_fused_add_${at}`, { recoverable_us: 1000 - at }))));
  assert.equal(all('tbody tr').length, 300);
  (all('tbody tr')[0] as HTMLElement).focus();
  press('End');
  assert.equal(dom.window.document.activeElement?.getAttribute('data-id'), 'triton_poi_fused_add_999');
});

test('a refresh keeps the selection, the focus and the filter', () => {
  tell(shown([SILU, NORM, ADD]));
  (all('tbody tr')[1] as HTMLElement).focus();
  tell(shown([SILU, NORM, { ...ADD, tb_s: 4.9 }]));
  assert.equal(dom.window.document.activeElement?.getAttribute('data-id'), ADD.id);
  assert.deepEqual(texts('tr[aria-selected="true"] td.bandwidth'), ['4.90']);
});

test('waiting, failed and closed traces say so', () => {
  tell({ kind: 'waiting', label: 't.json' });
  assert.deepEqual(texts('.waiting'), ['Reading the trace…']);
  tell({ kind: 'failed', label: 't.json', message: 'This is an execution trace.', offer: null });
  assert.deepEqual([texts('.failed p'), texts('.failed button')], [['This is an execution trace.'], []]);
  tell({ kind: 'failed', label: 't.json', message: 'This trace was closed.', offer: 'reopen' });
  (all('.failed button')[0] as HTMLElement).click();
  assert.deepEqual(sent.at(-1), { kind: 'reopen' });
});

test('names and messages from files stay text', () => {
  const evil = '<img src=x onerror=alert(1)>"\'`&';
  tell(shown([kernel(evil, { ops: [evil], tb_s: 1, gflops: 1, tflops_s: 1, flops_per_byte: 1, notes: [evil], kernel_file: evil })], {
    label: evil, report: { ...report([kernel(evil)]), problems: [{ code: evil, severity: 'warning', message: evil, path: null, offset: null }] },
  }));
  (all('tbody tr')[0] as HTMLElement).focus();
  tell({ kind: 'failed', label: evil, message: evil, offer: null });
  assert.equal(all('img').length, 0);
  assert.deepEqual(texts('h1'), [evil]);
});
