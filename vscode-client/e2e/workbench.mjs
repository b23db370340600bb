// Drives the workbench with Chromium as a person would: keys, clicks, and what is on the page.
import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const shots = fileURLToPath(new URL('./out/', import.meta.url));
const pictures = fileURLToPath(new URL('../media/pictures/', import.meta.url));
const INPUT = '.quick-input-widget:not([style*="display: none"])';
const EDITOR = '.editor-group-container.active';

/** A wait is for a state, and ends with it: this long only where that state never comes. */
export const PATIENCE = 90_000;
/** After which something is tried again. */
const SHORT = 15_000;

/** For a state that no page shows. @param {string} what @param {() => Promise<boolean>} holds */
export async function until(what, holds) {
  for (const end = Date.now() + PATIENCE; !(await holds()); await wait(100)) assert.ok(Date.now() < end, `never came: ${what}`);
}

const TRIES = 3;

/**
 * Holds a measured time to a bound. Other programs on the machine can only lengthen it, so the shortest of a few counts;
 * and where they take more than half of the machine, only twice the bound, or more, is held against it.
 * @param {string} what @param {number} bound Milliseconds. @param {(again: boolean) => Promise<number>} measure
 */
export async function within(bound, what, measure) {
  let best = Infinity;
  for (let tries = 1; tries <= TRIES && best >= bound; tries++) {
    const took = await measure(tries > 1);
    best = Math.min(best, took);
    console.log(`${what}: ${took} ms (at most ${bound}; load ${load().toFixed(1)})`);
  }
  const allowed = bound * 2 * Math.max(1, load());
  assert.ok(best < allowed, `${what}: ${best} ms, where ${bound} are meant and ${Math.round(allowed)} allowed`);
}

/** Programs that want to run, for each core. */
const load = () => (loadavg()[0] ?? 0) / availableParallelism();

/**
 * A test that leaves a picture of the page where it failed.
 * @param {string} name @param {() => Workbench | undefined} bench @param {() => Promise<unknown>} act
 * @param {{ skip?: string | false }} [options]
 */
export function scenario(name, bench, act, options = {}) {
  test(name, options, async () => {
    try {
      await act();
    } catch (error) {
      await bench()?.shot(`failed ${name.replaceAll(/[^\w ]/g, '').slice(0, 60)}`);
      throw error;
    }
  });
}

/** @param {string} url @param {{ width?: number, height?: number }} [size] */
export async function openWorkbench(url, { width = 1440, height = 900 } = {}) {
  await mkdir(shots, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const context = await browser.newContext({ viewport: { width, height }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  /** @type {string[]} */
  const abroad = [];
  /** @param {URL} target */
  const isAbroad = (target) => /^(https?|wss?):$/.test(target.protocol) && !['127.0.0.1', 'localhost'].includes(target.hostname) && !target.hostname.endsWith('.vscode-cdn.net');
  await context.route(isAbroad, (route) => {
    abroad.push(route.request().url());
    return route.abort();
  });
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  const bench = new Workbench(browser, page, abroad);
  await bench.ready();
  return bench;
}

/** In the page: until what moves has come to rest; what turns for ever is not waited for. */
async function settled() {
  const moving = document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime));
  await Promise.allSettled(moving.map(({ finished }) => finished));
}

export class Workbench {
  /** @param {import('playwright-core').Browser} browser @param {import('playwright-core').Page} page @param {string[]} abroad Requests to other machines, all refused. */
  constructor(browser, page, abroad) {
    this.browser = browser;
    this.page = page;
    this.abroad = abroad;
  }

  /** Leaves the page first: a browser that is killed under the workbench leaves the extension host waiting for hours. */
  async close() {
    await this.page.goto('about:blank').catch(() => undefined);
    await this.page.waitForTimeout(300);
    await this.browser.close();
  }

  async ready() {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  async reload() {
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  /** @param {string} name */
  async shot(name) {
    await this.page.evaluate(settled); // a hover that fades in
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }

  /** A picture that the README shows: `PICTURES=1 make e2e` renews them. @param {string} name */
  async picture(name) {
    await this.shot(name);
    if (process.env.PICTURES) await copyFile(join(shots, `${name}.png`), join(pictures, `${name}.png`));
  }

  focusEditor() {
    return this.page.locator(`${EDITOR} .monaco-editor textarea.inputarea`).first().focus();
  }

  /**
   * Opens the box with `keys`, types, and acts on what it lists. Anew where the box was closed meanwhile: a webview that
   * opens takes the focus whenever it is ready. @param {string} keys @param {string} text @param {() => Promise<unknown>} act
   */
  async #ask(keys, text, act) {
    for (let tries = 0; ; tries++) {
      try {
        await this.page.keyboard.press(keys);
        await this.page.locator(`${INPUT} .quick-input-box input`).fill(text, { timeout: SHORT });
        return await act();
      } catch (error) {
        if (tries === 4) throw error;
        await this.page.keyboard.press('Escape');
        await this.page.locator('.sidebar .composite.title').click({ timeout: SHORT }).catch(() => undefined); // it may be hidden
      }
    }
  }

  /** Opens a file by name, as text or in whatever editor is its default. @param {string} path */
  async open(path) {
    const name = path.split('/').at(-1) ?? '';
    await this.#ask('Control+p', path, async () => {
      // the first row: Enter takes that one, and what was listed before the text was typed lingers for a moment
      await this.page.locator(`${INPUT} .monaco-list-row[data-index="0"]`, { hasText: name }).waitFor({ timeout: SHORT });
      await this.page.keyboard.press('Enter');
      await this.page.locator(`.tabs-container .tab.active[data-resource-name="${name}"]`).first().waitFor({ timeout: SHORT });
    });
  }

  /** @param {string} name */
  async openText(name) {
    await this.open(name);
    await this.page.locator(`${EDITOR} .monaco-editor .view-lines .view-line`).first().waitFor();
  }

  /** Runs a command by its title. F1: no browser has a key of that name. @param {string} title */
  async command(title) {
    await this.#ask('F1', `>${title}`, () => this.page.locator(`${INPUT} .monaco-list-row`, { hasText: title }).first().click({ timeout: SHORT }));
  }

  /** Runs a command that asks, and picks a row. Again where a webview took the focus, which closes the list. @param {string} title @param {string} text */
  async choose(title, text) {
    for (let tries = 0; ; tries++) {
      await this.command(title);
      try {
        await this.page.locator(`${INPUT} .monaco-list-row`, { hasText: text }).first().click({ timeout: SHORT });
        return;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  }

  /** Picks a row of the open quick pick. @param {string | RegExp} text */
  async pick(text) {
    await this.page.locator(`${INPUT} .monaco-list-row`, { hasText: text }).first().click();
  }

  /** @param {number} line @param {number} [column] */
  async goto(line, column = 1) {
    await this.focusEditor();
    await this.#ask('Control+g', `:${line}:${column}`, async () => {
      await this.page.keyboard.press('Enter');
      await this.cursorAt(`Ln ${line},`, SHORT);
    });
    await this.page.locator(INPUT).waitFor({ state: 'hidden' });
  }

  /** @param {string} start @param {number} [timeout] */
  async cursorAt(start, timeout = PATIENCE) {
    await this.page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: start }).waitFor({ timeout });
  }

  /** Answers the simple file dialog. @param {string} path */
  async fillPath(path) {
    const input = this.page.locator(`${INPUT} .quick-input-box input`);
    await this.page.locator(`${INPUT} .monaco-list-row`).first().waitFor();
    for (let same = 0; same < 3; same = (await input.inputValue()) === path ? same + 1 : 0) {
      if (same === 0) await input.fill(path); // the dialog writes its folder here when it has read it
      await this.page.waitForTimeout(200);
    }
    await this.page.keyboard.press('Enter');
    await this.page.locator(INPUT).waitFor({ state: 'hidden' });
  }

  activeTab() {
    return this.page.locator(`${EDITOR} .tabs-container .tab.active`).first().getAttribute('data-resource-name');
  }

  /** @param {string | RegExp} text @param {number} [timeout] */
  async lens(text, timeout = PATIENCE) {
    const lens = this.page.locator(`${EDITOR} .codelens-decoration a`, { hasText: text }).first();
    await lens.waitFor({ timeout });
    return lens;
  }

  /** @param {string} text */
  async hint(text) {
    await this.page.locator(`${EDITOR} .view-line span[class*="dyn-rule"]`, { hasText: text }).first().waitFor();
  }

  /** The hover at a place, asked for until it comes: one that is asked before the server is up is never asked again. @param {number} line @param {number} column */
  async hover(line, column) {
    await this.goto(line, column);
    const hover = this.page.locator('.monaco-resizable-hover .monaco-hover:not(.hidden) .hover-row .rendered-markdown');
    for (let tries = 0; ; tries++) {
      await this.page.keyboard.press('Control+k');
      await this.page.keyboard.press('Control+i');
      try {
        await hover.first().waitFor({ timeout: 2500 });
        return (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  async problems() {
    await this.page.keyboard.press('Control+Shift+m');
    const rows = this.page.locator('.markers-panel-container .monaco-list-row');
    await rows.first().waitFor();
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? row.textContent));
  }

  /** @param {string | RegExp} text @param {number} [timeout] */
  async toast(text, timeout = PATIENCE) {
    const toast = this.page.locator('.notifications-toasts .notification-toast', { hasText: text }).first();
    await toast.waitFor({ timeout });
    return toast;
  }

  /** What the workbench said so far. */
  async messages() {
    await this.command('Notifications: Show Notifications');
    await this.page.locator('.notifications-center.visible').waitFor();
    const texts = await this.page.locator('.notifications-center .notification-list-item-message').allInnerTexts();
    await this.page.keyboard.press('Escape');
    return texts;
  }

  /** The page of a trace: two frames deep. @param {string} label @param {number} [timeout] */
  async tracePage(label, timeout = PATIENCE) {
    for (const end = Date.now() + timeout; Date.now() < end; await this.page.waitForTimeout(50)) {
      for (const frame of this.page.frames()) {
        if (await frame.locator('#main h1', { hasText: label }).isVisible().catch(() => false)) return frame;
      }
    }
    throw new Error(`no page of ${label}`);
  }

  /** A row of the Explorer view. @param {string | RegExp} text */
  treeRow(text) {
    return this.page.locator('.pane-body .monaco-list-row', { hasText: text }).first();
  }

  async showView() {
    await this.command('Explorer: Focus on Inductor Kernels View');
    await this.page.locator('.pane-header[aria-label*="Inductor Kernels"][aria-expanded="true"]').waitFor();
  }

  statusItem() {
    return this.page.locator('.statusbar-item[id*="inductorLens.trace"]');
  }
}
