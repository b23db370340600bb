// The launches of one kernel over time, each with its bandwidth: outliers and drift. All dots are one path, so a
// hundred thousand launches draw as fast as ten. The arrow keys move a cursor from launch to launch.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { duration, fixed } from '../src/figures';
import type { KernelRow, Launch, Report } from '../src/protocol';
import { h, setAttributes } from './dom';
import { type Area, createPlot, type Frame, MARGIN } from './plot';

const LINE_PX = 13;

export interface Timeline {
  readonly element: HTMLElement;
  /** `launches` null: asked for, not here yet. */
  show(content: TimelineContent | null): void;
}

export interface TimelineContent {
  readonly kernel: KernelRow;
  readonly device: Report['device'];
  readonly launches: readonly Launch[] | null;
  /** Whether a launch leads into the trace's text. */
  readonly opens: boolean;
}

interface Dot {
  readonly launch: Launch;
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

export function createTimeline(open: (index: number) => void): Timeline {
  let content: TimelineContent | null = null;
  let dots: Dot[] = [];
  let cursor = 0;

  const title = h('h2', {}, 'Launches');
  const said = h('p', { class: 'absent' });
  const plot = createPlot(78, (frame) => { // as wide as the words at the right
    if (content?.launches) draw(content, content.launches, frame);
  });
  const element = h('section', { class: 'chart', id: 'timeline', 'aria-label': 'Launches of the selected kernel' }, title, plot.element, said);

  function draw({ kernel, device }: TimelineContent, launches: readonly Launch[], { area, width, height }: Frame): void {
    const rated = kernel.tb_s !== null;
    const value = (launch: Launch): number | null => (rated ? launch.tb_s : launch.busy_us);
    const start = launches[0]?.ts_us ?? 0;
    const spanMs = ((launches.at(-1)?.ts_us ?? 0) - start) / 1000 || 1;
    const values = launches.map(value).filter((one) => one !== null);
    const peak = rated ? device.peak_bandwidth_tb_s : null;
    const x = scaleLinear(launches.length === 1 ? [-1, 1] : [0, spanMs], [8, width - 8]);
    const y = scaleLinear([0, values.reduce((most, one) => Math.max(most, one), peak ?? 0) * 1.05 || 1], [height, 0]);

    dots = launches.flatMap((launch, index) => {
      const at = value(launch);
      return at === null ? [] : [{ launch, index, x: x((launch.ts_us - start) / 1000), y: y(at) }];
    });
    drawAxes(area, x, y, width, height, rated ? 'TB/s' : 'µs');
    const level = (name: string, at: number, label: string, labelY = y(at)): void => {
      area.append('line').attr('class', name).attr('x1', 0).attr('x2', width).attr('y1', y(at)).attr('y2', y(at));
      area.append('text').attr('class', 'rooftext').attr('x', width + 6).attr('y', labelY).attr('dy', '0.32em').text(label);
    };
    if (peak) level('roof', peak, `peak ${fixed(peak, 2)}`);
    if (kernel.tb_s !== null) level('median', kernel.tb_s, `median ${fixed(kernel.tb_s, 2)}`, apart(y(kernel.tb_s), peak && y(peak)));
    area.append('path').attr('class', 'dots').attr('d', dots.map((dot) => `M${dot.x.toFixed(1)},${dot.y.toFixed(1)}h0`).join(''));
    area.append('circle').attr('class', 'cursor').attr('r', 6).attr('visibility', 'hidden');
    area
      .append('rect')
      .attr('class', content?.opens ? 'field opens' : 'field')
      .attr('width', width)
      .attr('height', height)
      .on('pointermove', (event: PointerEvent) => point(nearest(event)))
      .on('pointerleave', () => point(null))
      .on('click', (event: PointerEvent) => {
        const dot = nearest(event);
        if (dot && content?.opens) open(dot.index);
      });
    cursor = Math.min(cursor, Math.max(0, dots.length - 1));
    describe();
  }

  function nearest(event: PointerEvent): Dot | null {
    const box = plot.svg.getBoundingClientRect();
    const px = event.clientX - box.left - MARGIN.left;
    const py = event.clientY - box.top - MARGIN.top;
    let best: Dot | null = null;
    let least = Infinity;
    for (const dot of dots) {
      const distance = (dot.x - px) ** 2 + ((dot.y - py) / 2) ** 2; // nearness in time counts for more
      if (distance < least) [best, least] = [dot, distance];
    }
    return best;
  }

  function point(dot: Dot | null): void {
    const ring = plot.svg.querySelector('.cursor');
    if (!dot) {
      ring?.setAttribute('visibility', 'hidden');
      plot.tell(null);
      return;
    }
    if (ring) setAttributes(ring, { cx: dot.x, cy: dot.y, visibility: 'visible' });
    plot.tell(words(dot), dot.x, dot.y);
  }

  const words = ({ launch, index }: Dot): string[] => [
    `Launch ${index + 1} of ${content?.launches?.length ?? 0}`,
    `${fixed(launch.tb_s, 2)} TB/s · ${duration(launch.busy_us)}`,
    `at ${duration(launch.ts_us - (content?.launches?.[0]?.ts_us ?? 0))}`,
  ];

  /** To a screen reader the plot is a slider over the launches. */
  function describe(): void {
    const dot = dots[cursor];
    setAttributes(plot.svg, {
      role: 'slider', tabindex: 0, 'aria-label': 'Launch', 'aria-valuemin': 1, 'aria-valuemax': dots.length, 'aria-valuenow': cursor + 1,
      'aria-valuetext': dot ? words(dot).join(', ') : 'none',
    });
  }

  plot.svg.addEventListener('keydown', (event) => {
    const to: Partial<Record<string, number>> = {
      ArrowRight: cursor + 1, ArrowUp: cursor + 1, ArrowLeft: cursor - 1, ArrowDown: cursor - 1,
      PageUp: cursor + 10, PageDown: cursor - 10, Home: 0, End: dots.length - 1,
    };
    const target = to[event.key];
    const dot = dots[cursor];
    if (event.key === 'Enter' && dot && content?.opens) open(dot.index);
    else if (target !== undefined) {
      cursor = Math.min(dots.length - 1, Math.max(0, target));
      describe();
      point(dots[cursor] ?? null);
    } else return;
    event.preventDefault();
  });
  plot.svg.addEventListener('focus', () => point(dots[cursor] ?? null));
  plot.svg.addEventListener('blur', () => point(null));

  return {
    element,
    show(next) {
      if (next?.kernel.id !== content?.kernel.id) cursor = 0;
      content = next;
      dots = [];
      title.textContent = next ? `Launches of ${next.kernel.name}` : 'Launches';
      title.title = title.textContent;
      said.textContent = next === null ? 'Select a kernel to see its launches over time.' : next.launches === null ? 'Loading…' : '';
      plot.svg.replaceChildren();
      plot.element.classList.toggle('vacant', !next?.launches);
      plot.redraw();
    },
  };
}

/** Where a label stands that would else lie on another. */
function apart(at: number, other: number | null): number {
  if (other === null || Math.abs(at - other) >= LINE_PX) return at;
  return at < other ? other - LINE_PX : other + LINE_PX;
}

function drawAxes(
  area: Area,
  x: ScaleLinear<number, number>,
  y: ScaleLinear<number, number>,
  width: number,
  height: number,
  unit: string,
): void {
  const bottom = area.append<SVGGElement>('g').attr('class', 'axis').attr('transform', `translate(0,${height})`);
  const ticks = (x.domain()[0] ?? 0) < 0 ? [0] : x.ticks(Math.max(2, width / 90)); // a single launch stands in the middle
  bottom.call(axisBottom(x).tickValues(ticks).tickFormat((ms) => Number(ms).toLocaleString('en-US')).tickSizeInner(4).tickSizeOuter(0));
  const left = area.append<SVGGElement>('g').attr('class', 'axis');
  left.call(axisLeft(y).ticks(5).tickSizeInner(4).tickSizeOuter(0));
  area.append('text').attr('class', 'title').attr('x', width).attr('y', height + 34).attr('text-anchor', 'end').text('ms since the first launch');
  area.append('text').attr('class', 'title').attr('transform', 'rotate(-90)').attr('x', 0).attr('y', -42).attr('text-anchor', 'end').text(unit);
}
