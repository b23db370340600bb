// The gate opens for what Inductor and the profiler write, and for nothing else.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HEAD_CHARACTERS, isInductorSource, isOurs, isTrace, type Readable } from '../src/gate';

const EXAMPLE = join(process.cwd(), '../examples/transformer_block');

function document(text: string, languageId: string, scheme = 'file'): Readable & { asked: number } {
  const lines = text.split('\n');
  return {
    languageId,
    uri: { scheme },
    lineCount: lines.length,
    asked: 0,
    lineAt(line) {
      this.asked++;
      return { text: lines[line] ?? '' };
    },
  };
}

test('the example opens it: the wrapper, each kernel file, the trace', () => {
  const kernels = readdirSync(join(EXAMPLE, 'cache'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'));
  assert.equal(kernels.length, 4);
  for (const name of ['output_code.py', ...kernels.map((kernel) => join('cache', kernel))]) {
    assert.ok(isOurs(document(readFileSync(join(EXAMPLE, name), 'utf8'), 'python')), name);
  }
  assert.ok(isOurs(document(readFileSync(join(EXAMPLE, 'trace.json'), 'utf8'), 'json')));
});

test('every style of generated Python since 2.0', () => {
  const styles = [
    "# AOT ID: ['0_inference']\nimport torch",
    '\nfrom ctypes import c_void_p\nimport torch\nfrom torch._inductor.codecache import AsyncCompile\n',
    '\nfrom torch._inductor.async_compile import AsyncCompile\n',
    '\nimport triton\nimport triton.language as tl\nfrom torch._inductor.ir import ReductionHint\nfrom torch._inductor import triton_helpers\n',
    '\nimport triton\nfrom torch._inductor.runtime import triton_helpers, triton_heuristics\n',
    '\r\nimport triton\r\nfrom torch._inductor.runtime import triton_helpers, triton_heuristics\r\n',
  ];
  for (const style of styles) assert.ok(isInductorSource(style), style);
});

test("a person's own Python does not open it", () => {
  const own = [
    '',
    'print("hello")',
    'import torch\nimport torch._inductor.config\nmodel = torch.compile(Model())',
    'from torch._inductor import config\nconfig.max_autotune = True',
    '# docs: from torch._inductor.runtime import triton_helpers',
    'import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(x): pass',
  ];
  for (const text of own) assert.ok(!isInductorSource(text), text);
});

test('every layout of a trace', () => {
  const layouts = [
    '{"schemaVersion": 1, "deviceProperties": [{"id": 0',
    '{\n  "traceEvents": [\n',
    '{"displayTimeUnit":"ms","traceEvents":[',
    '[\n{"ph": "X", "cat": "cpu_op", "name": "triton_poi_fused_add_0"',
    '[{"name":"a","ph":"X"}]',
    '{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [', // the server says what to record instead
  ];
  for (const layout of layouts) assert.ok(isTrace(layout), layout);
});

test('other JSON does not open it', () => {
  const others = ['', '[]', '{}', '{"name": "inductor-lens", "version": "0.1.0"}', '[{"phone": "1"}]', '{"compilerOptions": {"traceResolution": true}}', '{"ph": "X"}'];
  for (const text of others) assert.ok(!isTrace(text), text);
});

test('only files, and only Python and JSON', () => {
  const trace = '{"traceEvents": []}';
  assert.ok(isOurs(document(trace, 'jsonc')));
  for (const scheme of ['untitled', 'git', 'inductor-lens']) assert.ok(!isOurs(document(trace, 'json', scheme)), scheme);
  assert.ok(!isOurs(document(trace, 'javascript')));
});

test('a file of any size costs its first lines', () => {
  const oneLine = document('x'.repeat(30_000_000), 'json');
  const manyLines = document('x = 1\n'.repeat(1_000_000), 'python');
  const wideLines = document(`${'x'.repeat(HEAD_CHARACTERS)}\n`.repeat(50), 'json');
  for (const one of [oneLine, manyLines, wideLines]) assert.ok(!isOurs(one));
  assert.equal(oneLine.asked, 1);
  assert.equal(manyLines.asked, 80);
  assert.equal(wideLines.asked, 1);
});
