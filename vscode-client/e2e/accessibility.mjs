// What axe finds wrong with a page: names, roles, focus, and whether text can be read in the theme's colours.
import assert from 'node:assert/strict';
import axe from 'axe-core';

/** @param {import('playwright-core').Frame} page */
export async function isAccessible(page) {
  await page.evaluate(axe.source);
  /** @type {import('axe-core').AxeResults} */
  const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run());
  const wrong = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => `${id}: ${target.join(' ')}: ${[...any, ...all, ...none].map(({ message }) => message).join(' ')}`));
  assert.deepEqual(wrong, []);
}
