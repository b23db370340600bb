// The selected kernel in words: what it is, what its figures rest on, and what can be done with it.
import { fixed, spread } from '../src/figures';
import type { KernelRow } from '../src/protocol';
import { button, h } from './dom';

export interface DetailEvents {
  readonly open: (kernel: KernelRow) => void;
  readonly copy: (kernel: KernelRow) => void;
}

export interface Detail {
  readonly element: HTMLElement;
  show(kernel: KernelRow | null): void;
}

/** The sentence, then its code in small: docs/rules.md explains each. */
function noteOf(note: string): HTMLElement {
  const [, code = '', text = note] = /^([a-z0-9-]+): (.*)$/s.exec(note) ?? [];
  return h('li', {}, text, code ? h('code', {}, ` ${code}`) : null);
}

const ORIGINS = {
  trace: "the trace's shapes",
  cache: 'size hints in the Inductor cache',
  source: "the kernel's own source",
} as const;

export function createDetail(events: DetailEvents): Detail {
  const element = h('section', { class: 'detail', id: 'detail', 'aria-label': 'Selected kernel', 'aria-live': 'off' });

  function show(kernel: KernelRow | null): void {
    element.hidden = kernel === null;
    if (!kernel) return;
    const { definition } = kernel;
    const fact = (term: string, text: string): HTMLElement[] => [h('dt', {}, term), h('dd', {}, text)];
    element.replaceChildren(
      h('div', { class: 'name' }, h('h2', {}, kernel.name),
        definition ? button('Open Source', () => events.open(kernel), { title: `${definition.path}:${definition.line}` }) : null,
        button('Copy as Markdown', () => events.copy(kernel))),
      h('dl', {},
        ...fact('Launch', spread(kernel.kernel_time_us)),
        ...fact('Elements', Object.entries(kernel.numels).map(([axis, size]) => `${axis.replace(/_$/, '')} ${fixed(size, 0)}`).join(' × ') || '–'),
        ...fact('Operations', [...kernel.ops, ...kernel.unknown_ops.map((op) => `${op} (no weight known)`)].join(', ') || '–'),
        ...fact('Figures from', kernel.origin === null ? 'nothing: no shapes and no source' : ORIGINS[kernel.origin]),
        ...(definition ? fact('Source', `${definition.path}:${definition.line}`) : kernel.kernel_file ? fact('Source', `${kernel.kernel_file} (not on this machine)`) : [])),
      kernel.notes.length > 0 ? h('ul', { class: 'notes' }, ...kernel.notes.map(noteOf)) : '',
    );
  }

  return { element, show };
}
