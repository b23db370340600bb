// Rows for the tests: the seed's four kernels with its figures.
import type { KernelRow, Report } from '../src/protocol';

export function kernel(name: string, part: Partial<KernelRow> = {}): KernelRow {
  return {
    id: name, name, category: 'poi', ops: ['aten.add'], unknown_ops: [], launches: 1, numels: { x: 1024 }, xnumel: 1024, rnumel: 1,
    gflops: null, bytes: null, data_moved_mb: null, flops_per_byte: null,
    kernel_time_us: { total: 10, mean: 10, median: 10, min: 10, max: 10 },
    tb_s: null, tflops_s: null, peak_percent: null, recoverable_us: null, origin: 'trace', notes: [], kernel_file: null, definition: null,
    ...part,
  };
}

const time = (us: number): KernelRow['kernel_time_us'] => ({ total: us, mean: us, median: us, min: us, max: us });

export const SILU = kernel('triton_poi_fused__unsafe_view_mul_silu_2', {
  ops: ['aten._unsafe_view', 'aten.mul', 'aten.silu'], gflops: 1.34217728, bytes: 1_610_612_736, data_moved_mb: 1536, flops_per_byte: 0.8333,
  kernel_time_us: time(505.3), tb_s: 3.1874, tflops_s: 2.656, peak_percent: 60.14, recoverable_us: 147.8,
  definition: { path: '/cache/silu.py', line: 12 },
});
export const NORM = kernel('triton_red_fused_add_mean_mul_pow_rsqrt_0', {
  category: 'red', gflops: 0.469762048, bytes: 268_439_552, data_moved_mb: 256.004, flops_per_byte: 1.75,
  kernel_time_us: time(79.4), tb_s: 3.3808, tflops_s: 5.916, peak_percent: 63.79, recoverable_us: 19.8,
});
export const ADD = kernel('triton_poi_fused__unsafe_view_add_3', {
  gflops: 0.067108864, bytes: 536_870_912, data_moved_mb: 512, flops_per_byte: 0.125,
  kernel_time_us: time(140.9), tb_s: 3.81, tflops_s: 0.476, peak_percent: 71.9, recoverable_us: 21.7,
});
export const COPY = kernel('triton_poi_fused_clone_4', { gflops: 0, data_moved_mb: 8, flops_per_byte: 0, tb_s: 1.1, tflops_s: 0, peak_percent: 20.8, recoverable_us: 7.5 });
export const UNKNOWN = kernel('triton_for_fused_5', { category: 'for', origin: null });

export function report(kernels: readonly KernelRow[]): Report {
  return {
    schema: 'inductor-lens/report/1',
    trace: { path: '/t.json', events: 9, gpu_kernels: 9, triton_launches: kernels.length, modelled_launches: kernels.length, record_shapes: true, complete: true },
    device: { name: 'AMD Instinct MI300X', peak_bandwidth_tb_s: 5.3, peak_source: 'table', peak_tflops_s: 163.4 },
    kernels,
    problems: [],
  };
}
