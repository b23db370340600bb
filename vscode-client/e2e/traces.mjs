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
