// The kernel table: sorted by a click on a header, filtered by words, walked with the arrow keys.
import { change, fixed, microseconds, percent, significant } from '../src/figures';
import type { KernelRow } from '../src/protocol';
import { h, setAttributes } from './dom';
import { type Column, FIRST_ORDER, inOrder, matching, type Order } from './rows';

export interface TableEvents {
  readonly select: (kernel: KernelRow) => void;
  readonly open: (kernel: KernelRow) => void;
  readonly copy: (kernel: KernelRow) => void;
  readonly point: (kernel: KernelRow | null) => void;
  readonly ordered: (order: Order) => void;
}

export interface Table {
  readonly element: HTMLElement;
  show(content: Content): void;
  filter(words: string): number;
  select(id: string | null, how?: { focus: boolean }): void;
  highlight(id: string | null): void;
}

interface Content {
  readonly uri: string;
  readonly kernels: readonly KernelRow[];
  readonly compared: boolean;
  readonly lowPercent: number;
}

interface Heading {
  readonly column: Column;
  readonly title: string;
  readonly unit: string;
  readonly hint: string;
}

const HEADINGS: readonly Heading[] = [
  { column: 'name', title: 'Kernel', unit: '', hint: 'Name' },
  { column: 'recoverable', title: 'Recoverable', unit: 'µs', hint: 'Total time that would be saved at the attainable bandwidth' },
  { column: 'peak', title: '% of peak', unit: '', hint: "Share of the device's peak memory bandwidth" },
  { column: 'bandwidth', title: 'TB/s', unit: '', hint: 'Bandwidth, median over the launches' },
  { column: 'change', title: 'Change', unit: '', hint: 'Bandwidth against the baseline' },
  { column: 'time', title: 'Time', unit: 'µs', hint: 'GPU busy time of all launches' },
  { column: 'launches', title: 'Launches', unit: '', hint: 'Number of launches' },
  { column: 'moved', title: 'MB', unit: '', hint: 'Data moved by one launch (1024 × 1024 bytes)' },
  { column: 'gflops', title: 'GFLOP', unit: '', hint: 'Work of one launch (10⁹ operations)' },
  { column: 'tflops', title: 'TFLOPS/s', unit: '', hint: 'Rate of work, median over the launches' },
  { column: 'intensity', title: 'FLOP/B', unit: '', hint: 'Operations for each byte moved' },
  { column: 'origin', title: 'From', unit: '', hint: 'Where the figures come from: trace, cache or kernel source' },
];

/** Rows are drawn this many at a time as the end of the table comes into view. */
const CHUNK = 300;
const PAGE = 10;

export function createTable(events: TableEvents, startOrder: Order = FIRST_ORDER): Table {
  let content: Content = { uri: '', kernels: [], compared: false, lowPercent: 50 };
  let order = startOrder;
  let words = '';
  let rows: KernelRow[] = [];
  let selected: string | null = null;
  let drawn = 0;

  const headRow = h('tr');
  const body = h('tbody');
  const table = h('table', { role: 'grid', 'aria-label': 'Kernels', 'aria-readonly': 'true' }, h('thead', {}, headRow), body);
  const empty = h('p', { class: 'empty', hidden: true });
  const end = h('div', { class: 'end', 'aria-hidden': 'true' });
  const element = h('div', { class: 'table' }, table, empty, end);

  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) drawMore();
  }, { root: element, rootMargin: '400px' }).observe(end);

  const rowOf = (id: string | null): HTMLTableRowElement | undefined =>
    id === null ? undefined : [...body.rows].find((row) => row.dataset.id === id);

  function arrange(): void {
    const hadFocus = body.contains(document.activeElement);
    rows = inOrder(matching(content.kernels, words), order);
    drawHead();
    body.replaceChildren();
    drawn = 0;
    drawMore();
    table.setAttribute('aria-rowcount', String(rows.length + 1));
    empty.hidden = rows.length > 0;
    empty.textContent = content.kernels.length === 0 ? 'This trace has no Triton kernel.' : 'No kernel matches the filter.';
    mark();
    if (hadFocus) (rowOf(selected) ?? body.rows[0])?.focus();
  }

  function drawHead(): void {
    const focused = document.activeElement?.closest('th')?.dataset.column;
    headRow.replaceChildren(
      ...HEADINGS.filter(({ column }) => column !== 'change' || content.compared).map(({ column, title, unit, hint }) => {
        const here = column === order.column;
        const sort = here ? (order.descending ? 'descending' : 'ascending') : 'none';
        const label = h('button', { type: 'button', title: hint }, title, unit ? h('small', {}, ` ${unit}`) : null);
        label.addEventListener('click', () => {
          order = { column, descending: here ? !order.descending : column !== 'name' && column !== 'origin' };
          events.ordered(order);
          arrange();
        });
        return h('th', { scope: 'col', class: column, 'aria-sort': sort, 'data-column': column }, label);
      }),
    );
    if (focused) headRow.querySelector<HTMLElement>(`th[data-column="${focused}"] button`)?.focus();
  }

  function drawMore(upTo = drawn + CHUNK): void {
    body.append(...rows.slice(drawn, upTo).map((kernel, index) => drawRow(kernel, drawn + index)));
    drawn = Math.min(rows.length, Math.max(drawn, upTo));
    end.hidden = drawn >= rows.length;
    mark();
  }

  function drawRow(kernel: KernelRow, index: number): HTMLTableRowElement {
    const context = { webviewSection: 'kernel', uri: content.uri, id: kernel.id, hasSource: kernel.definition !== null, preventDefaultContextMenuItems: true };
    const cell = (name: Column, text: string): HTMLElement => h('td', { class: name }, text);
    const row = h(
      'tr',
      { 'data-id': kernel.id, tabindex: -1, 'aria-rowindex': index + 2, 'data-vscode-context': JSON.stringify(context) },
      h('th', { scope: 'row', class: 'name', title: kernel.name }, shortened(kernel.name)),
      cell('recoverable', microseconds(kernel.recoverable_us)),
      h('td', { class: 'peak' }, ...bar(kernel.peak_percent)),
      cell('bandwidth', fixed(kernel.tb_s, 2)),
      content.compared ? h('td', { class: `change ${direction(kernel.change_percent)}` }, change(kernel.change_percent)) : null,
      cell('time', microseconds(kernel.kernel_time_us.total)),
      cell('launches', fixed(kernel.launches, 0)),
      cell('moved', significant(kernel.data_moved_mb)),
      cell('gflops', fixed(kernel.gflops, 3)),
      cell('tflops', fixed(kernel.tflops_s, 2)),
      cell('intensity', fixed(kernel.flops_per_byte, 3)),
      h('td', { class: 'origin' }, kernel.origin ?? '–', kernel.notes.length > 0 ? noted(kernel.notes) : null),
    );
    row.addEventListener('click', () => pick(kernel));
    row.addEventListener('dblclick', () => events.open(kernel));
    row.addEventListener('focus', () => pick(kernel));
    row.addEventListener('pointerenter', () => events.point(kernel));
    row.addEventListener('pointerleave', () => events.point(null));
    return row;
  }

  function bar(share: number | null): Node[] {
    if (share === null) return [document.createTextNode('–')];
    const fill = h('div', { class: share > 100 ? 'fill above' : share < content.lowPercent ? 'fill low' : 'fill' });
    fill.style.width = `${Math.min(100, share)}%`;
    const mark = h('div', { class: 'mark' });
    mark.style.left = `${content.lowPercent}%`;
    return [h('div', { class: 'bar', 'aria-hidden': 'true' }, fill, mark), h('span', {}, percent(share))];
  }

  function pick(kernel: KernelRow): void {
    if (selected === kernel.id) return;
    selected = kernel.id;
    mark();
    events.select(kernel);
  }

  /** One row is selected, and it or else the first is where Tab enters the table. */
  function mark(): void {
    const chosen = rowOf(selected);
    for (const row of body.rows) {
      setAttributes(row, { 'aria-selected': row === chosen ? 'true' : 'false', tabindex: row === (chosen ?? body.rows[0]) ? 0 : -1 });
    }
  }

  body.addEventListener('keydown', (event) => {
    const at = rows.findIndex(({ id }) => id === (event.target as HTMLElement).closest('tr')?.dataset.id);
    const kernel = rows[at];
    if (!kernel || event.altKey || event.metaKey) return;
    const to: Partial<Record<string, number>> = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + PAGE, PageUp: at - PAGE, Home: 0, End: rows.length - 1,
    };
    const target = to[event.key];
    if (event.key === 'Enter') events.open(kernel);
    else if (event.key === 'c' && !event.ctrlKey) events.copy(kernel);
    else if (target !== undefined) bringTo(Math.min(rows.length - 1, Math.max(0, target)));
    else return;
    event.preventDefault();
  });

  /** Within the table: the page stays where it is, for the reader may be at the plots. */
  function scrollTo(row: HTMLElement): void {
    const [box, { top, bottom }] = [element.getBoundingClientRect(), row.getBoundingClientRect()];
    const first = box.top + headRow.offsetHeight;
    if (top < first) element.scrollTop -= first - top;
    else if (bottom > box.bottom) element.scrollTop += bottom - box.bottom;
  }

  function bringTo(index: number): void {
    const kernel = rows[index];
    if (!kernel) return;
    if (index >= drawn) drawMore(index + CHUNK);
    rowOf(kernel.id)?.focus();
  }

  return {
    element,
    show(next) {
      content = next;
      arrange();
    },
    filter(next) {
      words = next;
      arrange();
      return rows.length;
    },
    select(id, how) {
      selected = id;
      const index = rows.findIndex((kernel) => kernel.id === id);
      if (index >= drawn) drawMore(index + CHUNK);
      mark();
      const row = rowOf(id);
      if (how?.focus) row?.focus();
      else if (row) scrollTo(row);
    },
    highlight(id) {
      body.querySelector('.pointed')?.classList.remove('pointed');
      rowOf(id)?.classList.add('pointed');
    },
  };
}

/**
 * What all names have in common is there for readers of text and screens, but takes no room. A name that is still too
 * long gives way in its middle: its end tells kernels apart.
 */
function shortened(name: string): HTMLElement {
  const [, triton = '', category = '', fused = '', rest = name] = /^(triton_)([a-z]{3})(_fused_)(.+)$/.exec(name) ?? [];
  const unseen = (text: string): HTMLElement => h('span', { class: 'unseen' }, text);
  return h('div', {},
    category ? h('span', { class: 'category' }, unseen(triton), category, unseen(fused)) : null,
    h('span', { class: 'head' }, rest.slice(0, -10)),
    h('span', { class: 'tail' }, rest.slice(-10)));
}

function direction(changed: number | null | undefined): string {
  return !changed || Math.abs(changed) < 0.05 ? '' : changed > 0 ? 'faster' : 'slower';
}

function noted(notes: KernelRow['notes']): HTMLElement {
  return h('span', { class: 'noted', title: notes.join('\n'), role: 'img', 'aria-label': `${notes.length} notes` }, ' *');
}
