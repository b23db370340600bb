// The roofline: each kernel's rate of work over its operations for each byte, both on log scales, under the
// device's ceilings. A kernel without operations has no place on such an x axis: it stands in a strip at the left,
// as far below the bandwidth roof as its bandwidth is below the peak.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLog, scaleSqrt, type ScaleLogarithmic } from 'd3-scale';
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle, type SymbolType } from 'd3-shape';
import { change, count, duration, fixed, percent } from '../src/figures';
import type { KernelRow, Report } from '../src/protocol';
import { h } from './dom';
import { type Area, createPlot, type Frame } from './plot';

export interface RooflineEvents {
  readonly open: (kernel: KernelRow) => void;
  readonly point: (kernel: KernelRow | null) => void;
}

export interface Roofline {
  readonly element: HTMLElement;
  show(content: RooflineContent): void;
  select(id: string | null): void;
  highlight(id: string | null): void;
}

export interface RooflineContent {
  readonly kernels: readonly KernelRow[];
  readonly device: Report['device'];
  readonly baseline: { readonly label: string; readonly kernels: readonly KernelRow[] } | null;
  readonly lowPercent: number;
}

interface Point {
  readonly kernel: KernelRow;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Where the same kernel stood in the baseline. */
  readonly before: { readonly x: number; readonly y: number } | null;
}

const STRIP = 46;
const SHAPES: readonly [string, string, SymbolType][] = [
  ['poi', 'pointwise', symbolCircle],
  ['red', 'reduction', symbolSquare],
  ['per', 'persistent reduction', symbolDiamond],
  ['', 'other', symbolTriangle],
];

export function createRoofline(events: RooflineEvents): Roofline {
  let content: RooflineContent | null = null;
  let points: Point[] = [];
  let selected: string | null = null;

  const legend = h('div', { class: 'legend' });
  const absent = h('p', { class: 'absent' });
  const plot = createPlot(18, (frame) => content && draw(content, frame));
  plot.svg.setAttribute('role', 'group');
  plot.svg.setAttribute('aria-label', 'Roofline: a point for each kernel. Arrow keys walk the points, Enter opens the source.');
  const element = h('section', { class: 'chart', id: 'roofline', 'aria-label': 'Roofline' }, h('h2', {}, 'Roofline'), legend, plot.element, absent);

  function draw(now: RooflineContent, { area, width, height }: Frame): void {
    const scales = createScales(now, width, height);
    points = placePoints(now, scales);
    drawAxes(area, scales, width, height);
    drawRoofs(area, now, scales, width);
    const clip = area.append('g').attr('class', 'points');
    for (const point of points) {
      const { kernel, x, y, radius } = point;
      const low = kernel.peak_percent !== null && kernel.peak_percent < now.lowPercent;
      clip
        .append('path')
        .datum(kernel.id)
        .attr('class', low ? 'point low' : 'point')
        .attr('d', symbol(shapeOf(kernel), Math.PI * radius * radius)() ?? '')
        .attr('transform', `translate(${x},${y})`)
        .attr('role', 'button')
        .attr('tabindex', -1)
        .attr('aria-label', `${describe(kernel).join(', ')}${kernel.definition ? '. Opens its source.' : ''}`)
        .on('pointerenter focus', () => {
          plot.tell(describe(kernel), x, y);
          events.point(kernel);
        })
        .on('pointerleave blur', () => {
          plot.tell(null);
          events.point(null);
        })
        .on('click', () => events.open(kernel));
    }
    for (const { kernel, before, x, y, radius } of points) { // on top: a small step would hide under its point
      if (!before) continue;
      clip.append('path').attr('class', 'before').attr('d', symbol(shapeOf(kernel), Math.PI * radius * radius)() ?? '').attr('transform', `translate(${before.x},${before.y})`);
      clip.append('path').attr('class', 'arrow').attr('d', arrow(before.x, before.y, x, y));
    }
    area.selectAll('.rooftext').raise();
    mark();
    const left = now.kernels.length - points.length;
    absent.textContent = left === 0 ? '' : `${fixed(left, 0)} of ${count(now.kernels.length, 'kernel')} ${left === 1 ? 'has' : 'have'} no figures to be placed by.`;
  }

  /** The points in the order in which the arrow keys walk them: from left to right. */
  const walk = (): Point[] => [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const elements = (): SVGPathElement[] => [...plot.svg.querySelectorAll<SVGPathElement>('.point')];
  const elementOf = (id: string | null): SVGPathElement | undefined =>
    elements()[points.findIndex(({ kernel }) => kernel.id === id)];

  function mark(): void {
    const entry = elementOf(selected) ?? elementOf(walk()[0]?.kernel.id ?? null);
    for (const one of elements()) one.setAttribute('tabindex', one === entry ? '0' : '-1');
    plot.svg.querySelector('.selected')?.classList.remove('selected');
    elementOf(selected)?.classList.add('selected');
  }

  plot.svg.addEventListener('keydown', (event) => {
    const here = points[elements().findIndex((element) => element === document.activeElement)];
    if (!here) return;
    const path = walk();
    const at = path.indexOf(here);
    const to: Partial<Record<string, number>> = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: path.length - 1 };
    const target = to[event.key];
    if (event.key === 'Enter' || event.key === ' ') events.open(here.kernel);
    else if (target !== undefined) elementOf(path[Math.min(path.length - 1, Math.max(0, target))]?.kernel.id ?? null)?.focus();
    else return;
    event.preventDefault();
  });

  return {
    element,
    show(next) {
      content = next;
      legend.replaceChildren(...legendOf(next));
      plot.redraw();
    },
    select(id) {
      selected = id;
      mark();
    },
    highlight(id) {
      plot.svg.querySelector('.pointed')?.classList.remove('pointed');
      elementOf(id)?.classList.add('pointed');
    },
  };
}

interface Scales {
  readonly x: ScaleLogarithmic<number, number>;
  readonly y: ScaleLogarithmic<number, number>;
  readonly radius: (us: number) => number;
}

function createScales({ kernels, device, baseline }: RooflineContent, width: number, height: number): Scales {
  const all = [...kernels, ...(baseline?.kernels ?? [])];
  const positive = (values: (number | null | undefined)[]): number[] => values.filter((value): value is number => typeof value === 'number' && value > 0);
  const { peak_bandwidth_tb_s: bandwidth, peak_tflops_s: compute } = device;
  const ridge = bandwidth && compute ? [(compute / bandwidth) * 2] : [];
  const xs = positive(all.map((kernel) => kernel.flops_per_byte));
  const left = Math.min(0.1, ...xs) / 1.6;
  const right = Math.max(4, ...xs.map((value) => value * 2), ...ridge);
  const ys = [
    ...positive(all.map((kernel) => kernel.tflops_s)),
    ...positive(all.filter((kernel) => kernel.gflops === 0).map((kernel) => kernel.tb_s)).map((tbS) => tbS * left),
  ];
  const top = Math.max(1, ...ys, ...positive([compute, bandwidth])) * 1.7;
  const bottom = Math.min(...ys, ...positive([bandwidth]).map((tbS) => tbS * left), 1) / 1.6;
  return {
    x: scaleLog([left, right], [STRIP, width]),
    y: scaleLog([bottom, top], [height, 0]),
    radius: scaleSqrt([0, Math.max(1, ...positive(kernels.map((kernel) => kernel.kernel_time_us.total)))], [4, 20]),
  };
}

function placePoints({ kernels, baseline }: RooflineContent, { x, y, radius }: Scales): Point[] {
  const place = (kernel: KernelRow | undefined): { x: number; y: number } | null => {
    if (!kernel?.tb_s) return null;
    if (kernel.gflops === 0) return { x: STRIP / 2, y: y((x.domain()[0] ?? 1) * kernel.tb_s) };
    const { flops_per_byte: intensity, tflops_s: rate } = kernel;
    return intensity && rate ? { x: x(intensity), y: y(rate) } : null;
  };
  const before = new Map(baseline?.kernels.map((kernel) => [kernel.id, kernel]));
  return kernels
    .flatMap((kernel) => {
      const at = place(kernel);
      return at ? [{ kernel, ...at, radius: radius(kernel.kernel_time_us.total ?? 0), before: place(before.get(kernel.id)) }] : [];
    })
    .sort((a, b) => b.radius - a.radius); // the small are drawn over the large
}

function drawAxes(area: Area, { x, y }: Scales, width: number, height: number): void {
  const decade = (value: number): string => (Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? `${Number(value.toPrecision(1))}` : '');
  const bottom = area.append<SVGGElement>('g').attr('class', 'axis').attr('transform', `translate(0,${height})`);
  bottom.call(axisBottom(x).ticks(10).tickFormat((value) => decade(Number(value))).tickSizeInner(4).tickSizeOuter(0));
  const left = area.append<SVGGElement>('g').attr('class', 'axis');
  left.call(axisLeft(y).ticks(10).tickFormat((value) => decade(Number(value))).tickSizeInner(4).tickSizeOuter(0));
  area.append('text').attr('class', 'title').attr('x', width).attr('y', height + 34).attr('text-anchor', 'end').text('FLOP / byte');
  area.append('text').attr('class', 'title').attr('transform', 'rotate(-90)').attr('x', 0).attr('y', -42).attr('text-anchor', 'end').text('TFLOPS/s');
  area.append('rect').attr('class', 'strip').attr('width', STRIP).attr('height', height);
  area.append('text').attr('class', 'title').attr('x', STRIP / 2).attr('y', height + 18).attr('text-anchor', 'middle').text('0 FLOP');
}

function drawRoofs(area: Area, { device, lowPercent }: RooflineContent, { x, y }: Scales, width: number): void {
  const { peak_bandwidth_tb_s: bandwidth, peak_tflops_s: compute } = device;
  const [left = 1, right = 1] = x.domain();
  const [bottom = 1, top = 1] = y.domain();
  const line = (name: string, x1: number, y1: number, x2: number, y2: number): void =>
    void area.append('line').attr('class', name).attr('x1', x1).attr('y1', y1).attr('x2', x2).attr('y2', y2);
  const words = (text: string, atX: number, atY: number, angle: number, anchor: string): void =>
    void area.append('text').attr('class', 'rooftext').attr('transform', `translate(${atX},${atY}) rotate(${angle})`).attr('dy', -6).attr('text-anchor', anchor).text(text);

  const ceiling = compute ?? top;
  if (bandwidth) {
    // On log scales every share of the bandwidth is a parallel to the roof.
    const slope = (name: string, share: number): { angle: number; startX: number; startY: number } => {
      const from = Math.max(left, bottom / (bandwidth * share));
      const to = Math.min(right, ceiling / (bandwidth * share));
      const [x1, y1, x2, y2] = [x(from), y(from * bandwidth * share), x(to), y(to * bandwidth * share)];
      line(name, x1, y1, x2, y2);
      if (from === left) line(name, 0, y1, STRIP, y1); // within the strip nothing depends on x
      return { angle: (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI, startX: x1, startY: y1 };
    };
    const roof = slope('roof', 1);
    const along = 0.12;
    words(`${fixed(bandwidth, 2)} TB/s`, roof.startX + along * (width - roof.startX), y(x.invert(roof.startX + along * (width - roof.startX)) * bandwidth), roof.angle, 'start');
    if (lowPercent > 0 && lowPercent < 100) slope('roof low', lowPercent / 100);
  }
  if (compute) {
    const from = bandwidth ? Math.max(left, compute / bandwidth) : left;
    if (from < right) line('roof', x(from), y(compute), width, y(compute));
    words(`${fixed(compute, 1)} TFLOPS/s`, width, y(compute), 0, 'end');
  }
}

function describe(kernel: KernelRow): string[] {
  const compared = kernel.change_percent !== null && kernel.change_percent !== undefined;
  return [
    kernel.name,
    `${fixed(kernel.tb_s, 2)} TB/s${kernel.peak_percent === null ? '' : ` · ${percent(kernel.peak_percent)} % of peak`}`,
    `${fixed(kernel.tflops_s, 2)} TFLOPS/s · ${fixed(kernel.flops_per_byte, 3)} FLOP/B`,
    `${duration(kernel.kernel_time_us.total)} in ${count(kernel.launches, 'launch')}`,
    ...(compared ? [`${change(kernel.change_percent)} against the baseline`] : []),
  ];
}

function shapeOf({ category }: KernelRow): SymbolType {
  return (SHAPES.find(([name]) => name === category) ?? SHAPES.at(-1))?.[2] ?? symbolCircle;
}

function legendOf({ kernels, baseline, lowPercent }: RooflineContent): HTMLElement[] {
  const named = new Set(SHAPES.map(([category]) => category));
  const present = new Set(kernels.map(({ category }) => (category !== null && named.has(category) ? category : '')));
  const key = (name: string, d: string, label: string): HTMLElement => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '-7 -7 14 14');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('class', name);
    path.setAttribute('d', d);
    svg.append(path);
    const item = h('span', { class: 'key' });
    item.append(svg, label);
    return item;
  };
  return [
    ...SHAPES.filter(([category]) => present.has(category)).map(([, label, shape]) => key('point', symbol(shape, 70)() ?? '', label)),
    key('point low', symbol(symbolCircle, 70)() ?? '', `below ${percent(lowPercent)} % of peak`),
    ...(baseline ? [key('before', symbol(symbolCircle, 70)() ?? '', `baseline ${baseline.label}`)] : []),
  ];
}

function arrow(x1: number, y1: number, x2: number, y2: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 3) return '';
  const [ux, uy] = [((x2 - x1) / length) * 6, ((y2 - y1) / length) * 6];
  return `M${x1},${y1}L${x2},${y2}M${x2 - ux - uy * 0.5},${y2 - uy + ux * 0.5}L${x2},${y2}L${x2 - ux + uy * 0.5},${y2 - uy - ux * 0.5}`;
}
