// Figures as people read them: the server's numbers, rounded for show. Unknown is a dash.

import type { KernelRow } from './protocol';

const DASH = '–';

/** `digits` after the point, with separators of thousands; nothing is 0, a little that would show as 0 is said to be less. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value === 0) return '0';
  const least = 10 ** -digits;
  if (value > 0 && value < least / 2) return `<${least}`;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Three significant digits for small numbers, whole ones for large: 0.067, 1.34, 505, 1,536. */
export function significant(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return value.toExponential(1);
  return fixed(value, size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
}

export const microseconds = (us: number | null | undefined): string => fixed(us, 1);
export const percent = (value: number | null | undefined): string => fixed(value, 0);

/** A time with the unit that suits it: 505.3 µs, 12.4 ms, 1.21 s. */
export function duration(us: number | null | undefined): string {
  if (us === null || us === undefined || !Number.isFinite(us)) return DASH;
  if (us < 1000) return `${fixed(us, 1)} µs`;
  return us < 1_000_000 ? `${fixed(us / 1000, 2)} ms` : `${fixed(us / 1_000_000, 2)} s`;
}

/** The times of a kernel's launches: 505.3 µs median, 469.9 µs to 790.7 µs. */
export function spread({ median, min, max }: KernelRow['kernel_time_us']): string {
  return min === max ? duration(median) : `${duration(median)} median, ${duration(min)} to ${duration(max)}`;
}

/** A change against the baseline, with its sign: +12 %, −3 %. */
export function change(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const digits = Math.abs(value) < 10 ? 1 : 0;
  const sign = Math.abs(value) < 0.05 ? '±' : value < 0 ? '−' : '+';
  return `${sign}${Math.abs(value).toFixed(digits)} %`;
}

/** One launch, four launches. */
export function count(value: number, noun: string): string {
  return `${fixed(value, 0)} ${noun}${value === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}
