// Variants of the example's trace, for a workspace under test.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { example } from './serve.mjs';

export const SILU = 'triton_poi_fused__unsafe_view_mul_silu_2';
export const ADD = 'triton_poi_fused__unsafe_view_add_3';
export const NORM = 'triton_red_fused_add_mean_mul_pow_rsqrt_0';
export const NORM_ADD = 'triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1';

/** The example's trace, with other GPU times (µs) for some kernels. @param {Record<string, number>} [times] */
export async function exampleTrace(times = {}) {
  let text = await readFile(join(example, 'trace.json'), 'utf8');
  for (const [kernel, us] of Object.entries(times)) {
    const event = new RegExp(`("cat": "kernel", "name": "${kernel}"[^}]*?"dur": )[\\d.]+`);
    if (!event.test(text)) throw new Error(`no GPU event of ${kernel}`);
    text = text.replace(event, `$1${us.toFixed(3)}`);
  }
  return text;
}

/** @param {string} folder @param {string} name @param {string} text */
export async function put(folder, name, text) {
  await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
}

const STEP_US = 16_000;

/**
 * Many steps of the example: the odd launches faster, the even ones slower than its times, so that the medians stay,
 * and every seventh of one kernel an outlier.
 * @param {number} steps Odd. @param {Record<string, number>} [times] The middle of a kernel's times, µs.
 */
export async function manySteps(steps, times = {}) {
  const trace = JSON.parse(await exampleTrace(times));
  const one = trace.traceEvents;
  trace.traceEvents = [];
  for (let step = 0; step < steps; step++) {
    const off = step === 0 ? 0 : (0.04 + 0.03 * Math.sin(step * 2.4)) * (step % 2 ? -1 : 1);
    for (const event of one) {
      const copy = structuredClone(event);
      if (copy.ts !== undefined) copy.ts += step * STEP_US;
      if (copy.id !== undefined) copy.id += step * 1000;
      for (const key of ['External id', 'correlation']) if (copy.args?.[key] !== undefined) copy.args[key] += step * 1000;
      if (copy.cat === 'kernel') copy.dur *= 1 + off + (step % 14 === 2 && copy.name === SILU ? 0.5 : 0);
      trace.traceEvents.push(copy);
    }
  }
  return JSON.stringify(trace);
}

/** A trace of one kernel with many sizes of its own name, each launched once. @param {number} kernels */
export async function manyKernels(kernels) {
  const trace = JSON.parse(await exampleTrace());
  const one = trace.traceEvents.filter((/** @type {{ name: string }} */ { name }) => name === ADD);
  const others = trace.traceEvents.filter((/** @type {{ cat?: string }} */ { cat }) => cat === undefined || cat === 'python_function');
  trace.traceEvents = [...others];
  for (let kernel = 0; kernel < kernels; kernel++) {
    for (const event of one) {
      const copy = structuredClone(event);
      copy.name = `triton_poi_fused__unsafe_view_add_native_layer_norm_backward_${kernel}`;
      copy.ts += kernel * 1000;
      for (const key of ['External id', 'correlation']) if (copy.args[key] !== undefined) copy.args[key] += kernel * 1000;
      delete copy.args.kernel_file;
      delete copy.args.kernel_hash;
      if (copy.args.kernel_name) copy.args.kernel_name = copy.name;
      if (copy.cat === 'kernel') copy.dur *= 1 + (kernel % 50) / 10;
      trace.traceEvents.push(copy);
    }
  }
  return JSON.stringify(trace);
}
