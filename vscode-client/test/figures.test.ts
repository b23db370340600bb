// Numbers as people read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change, count, duration, fixed, significant } from '../src/figures';
import { kernelMarkdown } from '../src/markdown';
import { kernel, SILU } from './kernels';

test('fixed digits, thousands apart, and a little is not nothing', () => {
  assert.deepEqual([3.1874, 1536, 0, 0.0004, 0.0006].map((value) => fixed(value, 3)), ['3.187', '1,536.000', '0', '<0.001', '0.001']);
});

test('unknown is a dash, never 0', () => {
  for (const unknown of [null, undefined, NaN, Infinity]) {
    assert.deepEqual([fixed(unknown, 2), significant(unknown), duration(unknown), change(unknown)], ['–', '–', '–', '–']);
  }
});

test('significant digits by size', () => {
  assert.deepEqual([1536, 256.004, 16.25, 1.3421, 0.0671, 0, 0.000012].map(significant), ['1,536', '256', '16.3', '1.34', '0.067', '0', '1.2e-5']);
});

test('times with the unit that suits them', () => {
  assert.deepEqual([505.3, 0, 999.94, 1000, 12_345, 2_500_000].map(duration), ['505.3 µs', '0 µs', '999.9 µs', '1.00 ms', '12.35 ms', '2.50 s']);
});

test('changes with their sign', () => {
  assert.deepEqual([12.3, -3.24, -0.01, 140].map(change), ['+12 %', '−3.2 %', '±0.0 %', '+140 %']);
});

test('one and many', () => {
  assert.deepEqual([count(1, 'kernel'), count(2, 'kernel'), count(1, 'Triton launch'), count(2076, 'Triton launch')], ['1 kernel', '2 kernels', '1 Triton launch', '2,076 Triton launches']);
});

test('a kernel as Markdown', () => {
  assert.equal(kernelMarkdown({ ...SILU, change_percent: 12.3, notes: ['extra-write: An | extra *write*.'] }), `**\`triton_poi_fused__unsafe_view_mul_silu_2\`**

| | |
|---|---|
| Kernel time | 505.3 µs |
| Bandwidth | 3.19 TB/s, 60 % of peak |
| Against the baseline | +12 % |
| Data moved | 1,536 MB |
| Work | 1.342 GFLOP, 2.66 TFLOPS/s, 0.833 FLOP/byte |
| Recoverable | 147.8 µs |
| Elements | x 1,024 |
| Operations | aten.\\_unsafe\\_view, aten.mul, aten.silu |

- extra-write: An \\| extra \\*write\\*.
`);
});

test('a name cannot leave its place in the Markdown', () => {
  const hostile = kernelMarkdown(kernel('a`** [x](command:evil) <img src=x>', { ops: ['<b>', 'a\n| b'] }));
  assert.ok(hostile.startsWith("**`a'** [x](command:evil) <img src=x>`**\n"));
  assert.match(hostile, /\| Operations \| \\<b\\>, a \\\| b \|/);
});
