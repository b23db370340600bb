// Which rows, in which order: the table's sorting and filtering. No DOM.
import type { KernelRow } from '../src/protocol';

export type Column =
  | 'name' | 'recoverable' | 'time' | 'launches' | 'peak' | 'bandwidth' | 'change' | 'moved' | 'gflops' | 'tflops' | 'intensity' | 'origin';

export interface Order {
  readonly column: Column;
  readonly descending: boolean;
}

/** What is worth a person's time first. */
export const FIRST_ORDER: Order = { column: 'recoverable', descending: true };

export function valueOf(kernel: KernelRow, column: Column): number | string | null {
  switch (column) {
    case 'name': return kernel.name;
    case 'recoverable': return kernel.recoverable_us;
    case 'time': return kernel.kernel_time_us.total;
    case 'launches': return kernel.launches;
    case 'peak': return kernel.peak_percent;
    case 'bandwidth': return kernel.tb_s;
    case 'change': return kernel.change_percent ?? null;
    case 'moved': return kernel.data_moved_mb;
    case 'gflops': return kernel.gflops;
    case 'tflops': return kernel.tflops_s;
    case 'intensity': return kernel.flops_per_byte;
    case 'origin': return kernel.origin;
  }
}

/** Unknown figures stand last in either direction. Equal ones keep the server's order. */
export function inOrder(kernels: readonly KernelRow[], { column, descending }: Order): KernelRow[] {
  const sign = descending ? -1 : 1;
  return [...kernels].sort((one, two) => {
    const a = valueOf(one, column);
    const b = valueOf(two, column);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === 'string' || typeof b === 'string') return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
    return sign * (a - b);
  });
}

/** Every word must occur in the kernel's name, category, operations, origin or notes. */
export function matching(kernels: readonly KernelRow[], filter: string): KernelRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...kernels];
  return kernels.filter((kernel) => {
    const text = [kernel.name, kernel.category, ...kernel.ops, kernel.origin, ...kernel.notes].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
