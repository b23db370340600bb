// Sorting and filtering of the table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, FIRST_ORDER, inOrder, matching } from '../webview/rows';
import { ADD, COPY, kernel, NORM, SILU, UNKNOWN } from './kernels';

const ALL = [UNKNOWN, NORM, COPY, SILU, ADD];
const names = (column: Column, descending: boolean): string[] => inOrder(ALL, { column, descending }).map(({ name }) => name.split('_').at(-1) ?? '');

test('what is recoverable stands first, what is unknown last', () => {
  assert.deepEqual(inOrder(ALL, FIRST_ORDER), [SILU, ADD, NORM, COPY, UNKNOWN]);
});

test('unknown stands last in either direction', () => {
  assert.deepEqual(names('bandwidth', true), ['3', '0', '2', '4', '5']);
  assert.deepEqual(names('bandwidth', false), ['4', '2', '0', '3', '5']);
});

test('names sort by their numbers', () => {
  const kernels = ['triton_poi_fused_add_10', 'triton_poi_fused_add_9'].map((name) => kernel(name));
  assert.deepEqual(inOrder(kernels, { column: 'name', descending: false }).map(({ name }) => name), ['triton_poi_fused_add_9', 'triton_poi_fused_add_10']);
});

test('equal figures keep the server’s order', () => {
  const kernels = ['b', 'a', 'c'].map((name) => kernel(name));
  assert.deepEqual(inOrder(kernels, { column: 'launches', descending: true }), kernels);
});

test('every word must occur somewhere: name, operation, category, origin, note', () => {
  const noted = kernel('noted', { notes: ['gather: At most one element an index is read.'] });
  const found = (words: string): string[] => matching([...ALL, noted], words).map(({ name }) => name);
  assert.deepEqual(found('SILU mul'), [SILU.name]);
  assert.deepEqual(found('red'), [NORM.name]);
  assert.deepEqual(found('gather'), ['noted']);
  assert.deepEqual(found('silu rsqrt'), []);
  assert.equal(found('  ').length, 6);
});
