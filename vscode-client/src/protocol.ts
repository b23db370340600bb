// What the server answers to the requests of docs/architecture.md, "Contracts for other programs".
import type { Range } from 'vscode-languageclient';

/** One kernel with one set of arguments and one config. Unknown numbers are null. */
export interface KernelRow {
  /** Made of the kernel, its arguments and its config: the same row has it in every trace. */
  readonly id: string;
  readonly name: string;
  /** The three letters of its name: poi, red, per, tem, for, spl, unk. */
  readonly category: string | null;
  readonly ops: readonly string[];
  readonly unknown_ops: readonly string[];
  readonly launches: number;
  readonly numels: Readonly<Record<string, number>>;
  readonly xnumel: number | null;
  readonly rnumel: number | null;
  readonly gflops: number | null;
  readonly bytes: number | null;
  readonly data_moved_mb: number | null;
  readonly flops_per_byte: number | null;
  readonly kernel_time_us: {
    readonly total: number | null;
    readonly mean: number | null;
    readonly median: number | null;
    readonly min: number | null;
    readonly max: number | null;
  };
  readonly tb_s: number | null;
  readonly tflops_s: number | null;
  readonly peak_percent: number | null;
  readonly recoverable_us: number | null;
  readonly change_percent?: number | null;
  readonly origin: 'trace' | 'cache' | 'source' | null;
  /** Why a figure is uncertain or corrected: `code: text`. */
  readonly notes: readonly string[];
  readonly kernel_file: string | null;
  /** `line` counts from 1. */
  readonly definition: { readonly path: string; readonly line: number } | null;
}

export interface Problem {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly path: string | null;
  readonly offset: number | null;
}

export interface Report {
  readonly schema: 'inductor-lens/report/1';
  readonly trace: {
    readonly path: string;
    readonly events: number;
    readonly gpu_kernels: number;
    readonly triton_launches: number;
    readonly modelled_launches: number;
    readonly record_shapes: boolean | null;
    readonly complete: boolean;
  };
  readonly device: {
    readonly name: string | null;
    readonly peak_bandwidth_tb_s: number | null;
    readonly peak_source: 'table' | 'user' | null;
    readonly peak_tflops_s?: number | null;
  };
  readonly kernels: readonly KernelRow[];
  readonly problems: readonly Problem[];
}

export interface TraceSummary {
  readonly uri: string;
  readonly label: string;
  readonly state: 'loading' | 'ready' | 'failed';
  /** What is wrong with it; empty where nothing is. */
  readonly message: string;
  readonly kernels: number;
  readonly triton_launches: number;
  /** The share of Triton time in kernels that are flagged for low bandwidth. */
  readonly low_time_percent: number | null;
}

export interface Traces {
  readonly active: string | null;
  readonly baseline: string | null;
  readonly traces: readonly TraceSummary[];
}

export interface Launch {
  readonly uri: string;
  readonly range: Range | null;
  readonly ts_us: number;
  readonly busy_us: number | null;
  readonly tb_s: number | null;
}

/** The fourth argument of a lens's command: the row that the lens stands for. */
export interface KernelOfTrace {
  readonly uri: string;
  readonly id: string;
}
