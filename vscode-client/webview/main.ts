// The trace's page: header, problems, table, the selected kernel, roofline and timeline.
import { count, fixed } from '../src/figures';
import type { FromWebview, Shown, ToWebview } from '../src/messages';
import type { KernelRow } from '../src/protocol';
import { createDetail } from './detail';
import { button, h } from './dom';
import './main.css';
import { createRoofline } from './roofline';
import type { Order } from './rows';
import { createTable } from './table';
import { createTimeline } from './timeline';

interface Kept {
  readonly order?: Order;
  readonly filter?: string;
  readonly selected?: string | null;
}

const host = acquireVsCodeApi<Kept>();
const say = (message: FromWebview): void => host.postMessage(message);
const keep = (part: Kept): void => void host.setState({ ...host.getState(), ...part });
const kept = host.getState() ?? {};

let shown: Shown | null = null;
let selected: string | null = kept.selected ?? null;

const table = createTable(
  {
    select: (kernel) => select(kernel.id),
    open: (kernel) => say({ kind: 'openSource', id: kernel.id }),
    copy: (kernel) => say({ kind: 'copy', id: kernel.id }),
    point: (kernel) => roofline.highlight(kernel?.id ?? null),
    ordered: (order) => keep({ order }),
  },
  kept.order,
);
const roofline = createRoofline({
  open: (kernel) => {
    table.select(kernel.id);
    select(kernel.id);
    if (kernel.definition) say({ kind: 'openSource', id: kernel.id });
  },
  point: (kernel) => table.highlight(kernel?.id ?? null),
});
const timeline = createTimeline((index) => selected !== null && say({ kind: 'openLaunch', id: selected, index }));
const detail = createDetail({
  open: (kernel) => say({ kind: 'openSource', id: kernel.id }),
  copy: (kernel) => say({ kind: 'copy', id: kernel.id }),
});

const header = h('header');
const problems = h('div', { id: 'problems' });
const search = h('input', { type: 'search', placeholder: 'Filter by name, operation or note', 'aria-label': 'Filter kernels', spellcheck: 'false' });
const found = h('span', { class: 'found', role: 'status' });
search.value = kept.filter ?? '';
search.addEventListener('input', () => {
  keep({ filter: search.value });
  filter();
});
const charts = h('div', { class: 'charts' }, roofline.element, timeline.element);
const report = [
  problems,
  h('div', { class: 'list' },
    h('section', { 'aria-label': 'Kernels' }, h('div', { class: 'toolbar' }, search, found), table.element),
    detail.element),
  charts,
];
const main = document.getElementById('main') ?? document.body;

window.addEventListener('message', ({ data }: MessageEvent<ToWebview>) => {
  switch (data.kind) {
    case 'waiting':
      showNotice(data.label, h('p', { class: 'waiting', role: 'status' }, 'Reading the trace…'));
      break;
    case 'failed': {
      const { offer } = data;
      const again = offer && button(offer === 'reopen' ? 'Open Again' : 'Restart Server', () => say({ kind: offer }));
      showNotice(data.label, h('div', { class: 'failed', role: 'alert' }, h('p', {}, data.message), again));
      break;
    }
    case 'report':
      showReport(data);
      break;
    case 'launches':
      showLaunches(data);
      break;
    case 'select':
      table.select(data.id, { focus: true });
      select(data.id);
  }
});
say({ kind: 'ready' });

function showNotice(label: string, notice: HTMLElement): void {
  shown = null;
  main.setAttribute('aria-busy', String(notice.className === 'waiting'));
  main.replaceChildren(h('header', {}, h('h1', {}, label)), notice);
}

function showReport(next: Shown): void {
  const first = shown === null;
  shown = next;
  header.replaceChildren(...headerOf(next));
  problems.replaceChildren(...problemsOf(next));
  if (first) main.replaceChildren(header, ...report);
  main.setAttribute('aria-busy', 'false');
  const { kernels, device } = next.report;
  const compared = next.baseline !== null;
  charts.hidden = kernels.length === 0;
  table.show({ uri: next.uri, kernels, compared, lowPercent: next.lowPercent });
  filter();
  const baseline = next.baseline && { label: next.baseline.label, kernels: next.baseline.report.kernels };
  roofline.show({ kernels, device, baseline, lowPercent: next.lowPercent });
  table.select(selected);
  select(selected);
}

function filter(): void {
  const matching = table.filter(search.value);
  const all = shown?.report.kernels.length ?? 0;
  found.textContent = matching === all ? count(all, 'kernel') : `${fixed(matching, 0)} of ${count(all, 'kernel')}`;
}

function select(id: string | null): void {
  const kernel = shown?.report.kernels.find((one) => one.id === id) ?? null;
  selected = kernel?.id ?? null;
  keep({ selected });
  detail.show(kernel);
  roofline.select(selected);
  timeline.show(kernel && shown && { kernel, device: shown.report.device, launches: null, opens: false });
  if (kernel) say({ kind: 'wantLaunches', id: kernel.id });
}

function showLaunches({ id, launches, opens }: ToWebview & { kind: 'launches' }): void {
  const kernel: KernelRow | undefined = shown?.report.kernels.find((one) => one.id === id);
  if (kernel && shown && id === selected) timeline.show({ kernel, device: shown.report.device, launches, opens });
}

function headerOf({ label, role, report: { trace, device, kernels }, baseline }: Shown): HTMLElement[] {
  const peak = device.peak_bandwidth_tb_s;
  const facts = [
    device.name ?? 'Device unknown',
    peak === null ? 'peak bandwidth unknown' : `${fixed(peak, 2)} TB/s peak${device.peak_source === 'user' ? ' (your setting)' : ''}`,
    count(kernels.length, 'kernel'),
    `${count(trace.triton_launches, 'Triton launch')}${trace.modelled_launches < trace.triton_launches ? `, ${fixed(trace.modelled_launches, 0)} with figures` : ''}`,
    ...(baseline ? [`compared with ${baseline.label}`] : []),
  ];
  return [
    h('h1', {}, label, role ? h('span', { class: 'role' }, role) : null),
    h('p', { class: 'facts' }, facts.join(' · ')),
    h(
      'div',
      { class: 'actions' },
      role === 'active' ? null : button('Make Active', () => say({ kind: 'makeActive' })),
      role === 'active' ? button(baseline ? 'Change Baseline…' : 'Compare with Baseline…', () => say({ kind: 'compare' })) : null,
      baseline ? button('Stop Comparing', () => say({ kind: 'stopComparing' })) : null,
    ),
  ];
}

function problemsOf({ report }: Shown): HTMLElement[] {
  return report.problems.map(({ severity, code, message }) =>
    h('p', { class: `problem ${severity}` }, h('strong', {}, severity), ` ${message} `, h('code', {}, code)),
  );
}
