// What both charts share: an SVG that fills its box, redrawn when the box changes, and a tooltip.
import { type Selection, select } from 'd3-selection';
import { h } from './dom';

/** A group inside the SVG. */
export type Area = Selection<SVGGElement, unknown, null, undefined>;

export interface Frame {
  readonly area: Area;
  /** Of the area, in pixels. */
  readonly width: number;
  readonly height: number;
}

export interface Plot {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  redraw(): void;
  /** Shows lines of text at a place of the inner area; null hides them. */
  tell(lines: readonly string[] | null, x?: number, y?: number): void;
}

/** Room for ticks, titles and labels around the area: `right` is the chart's own. */
export const MARGIN = { top: 14, bottom: 40, left: 56 } as const;

export function createPlot(right: number, draw: (frame: Frame) => void): Plot {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const tip = h('div', { class: 'tip', role: 'status', hidden: true });
  const element = h('div', { class: 'plot' });
  element.append(svg, tip);

  function redraw(): void {
    const { clientWidth, clientHeight } = element;
    const width = clientWidth - MARGIN.left - right;
    const height = clientHeight - MARGIN.top - MARGIN.bottom;
    if (width <= 40 || height <= 40) return;
    svg.setAttribute('viewBox', `0 0 ${clientWidth} ${clientHeight}`);
    svg.replaceChildren();
    draw({ area: select(svg).append('g').attr('transform', `translate(${MARGIN.left},${MARGIN.top})`), width, height });
  }

  let size = '';
  new ResizeObserver(() => {
    const now = `${element.clientWidth}×${element.clientHeight}`;
    if (now === size) return;
    size = now;
    redraw();
  }).observe(element);

  return {
    element,
    svg,
    redraw,
    tell(lines, x = 0, y = 0) {
      tip.hidden = lines === null;
      if (lines === null) return;
      tip.replaceChildren(...lines.map((line, index) => h(index === 0 ? 'strong' : 'div', {}, line)));
      const far = x > element.clientWidth / 2;
      const low = y > element.clientHeight / 2;
      tip.style.left = far ? '' : `${MARGIN.left + x + 14}px`;
      tip.style.right = far ? `${element.clientWidth - MARGIN.left - x + 14}px` : '';
      tip.style.top = low ? '' : `${MARGIN.top + y + 10}px`;
      tip.style.bottom = low ? `${element.clientHeight - MARGIN.top - y + 10}px` : '';
    },
  };
}
