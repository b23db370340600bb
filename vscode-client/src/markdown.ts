// A kernel as Markdown: what is copied, and what the tree shows on hover. Names come from other people's files.
import { change, duration, fixed, percent, significant, spread } from './figures';
import type { KernelRow } from './protocol';

export function kernelMarkdown(kernel: KernelRow): string {
  const time = kernel.kernel_time_us;
  const rows: [string, string][] = [
    ['Kernel time', kernel.launches === 1 ? spread(time) : `${spread(time)}, × ${fixed(kernel.launches, 0)} = ${duration(time.total)}`],
    ['Bandwidth', `${fixed(kernel.tb_s, 2)} TB/s${kernel.peak_percent === null ? '' : `, ${percent(kernel.peak_percent)} % of peak`}`],
    ['Data moved', `${significant(kernel.data_moved_mb)} MB`],
    ['Work', `${fixed(kernel.gflops, 3)} GFLOP, ${fixed(kernel.tflops_s, 2)} TFLOPS/s, ${fixed(kernel.flops_per_byte, 3)} FLOP/byte`],
    ['Recoverable', duration(kernel.recoverable_us)],
    ['Elements', Object.entries(kernel.numels).map(([axis, size]) => `${axis} ${fixed(size, 0)}`).join(', ') || '–'],
    ['Operations', kernel.ops.join(', ') || '–'],
  ];
  if (kernel.change_percent !== null && kernel.change_percent !== undefined) rows.splice(2, 0, ['Against the baseline', change(kernel.change_percent)]);
  return [
    `**\`${kernel.name.replaceAll('`', "'")}\`**`,
    '',
    '| | |',
    '|---|---|',
    ...rows.map(([what, figure]) => `| ${what} | ${escape(figure)} |`),
    ...(kernel.notes.length > 0 ? ['', ...kernel.notes.map((note) => `- ${escape(note)}`)] : []),
    '',
  ].join('\n');
}

function escape(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#!|~]/g, '\\$&');
}
