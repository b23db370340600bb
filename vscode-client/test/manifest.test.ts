// package.json says what the code does.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS, JSON_TRACE_EDITOR, KERNELS_VIEW, TRACE_EDITOR } from '../src/commandIds';

interface Manifest {
  version: string;
  main: string;
  icon: string;
  activationEvents: string[];
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string }[]>;
    views: { explorer: { id: string; icon: string }[] };
    customEditors: { viewType: string; priority: string; selector: { filenamePattern: string }[] }[];
    configuration: { properties: Record<string, { default: unknown; scope: string }> };
    walkthroughs: { steps: { description: string; media: { markdown: string }; completionEvents?: string[] }[] }[];
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { contributes } = manifest;

test('the commands that are offered are those that are answered', () => {
  assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), [...COMMANDS].sort());
  const inMenus = Object.values(contributes.menus).flat().map(({ command }) => command);
  assert.deepEqual(inMenus.filter((command) => !(COMMANDS as readonly string[]).includes(command)), []);
});

test('editors, view and files that are named exist', () => {
  assert.deepEqual(contributes.customEditors.map(({ viewType, priority }) => [viewType, priority]), [[TRACE_EDITOR, 'default'], [JSON_TRACE_EDITOR, 'option']]);
  assert.equal(contributes.views.explorer[0]?.id, KERNELS_VIEW);
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  for (const file of [manifest.icon, ...contributes.views.explorer.map(({ icon }) => icon), 'README.md', 'CHANGELOG.md', 'LICENSE', ...steps.map(({ media }) => media.markdown)]) {
    assert.ok(existsSync(file), file);
  }
});

test('walkthrough steps lead to commands that there are', () => {
  const linked = JSON.stringify(contributes.walkthroughs).match(/command:inductorLens\.\w+|onCommand:inductorLens\.\w+/g) ?? [];
  assert.equal(linked.length, 6);
  for (const link of linked) assert.ok((COMMANDS as readonly string[]).includes(link.split(':')[1] ?? ''), link);
});

test('only languages of ours wake the gate, and no event wakes it at start', () => {
  assert.deepEqual(manifest.activationEvents, ['onLanguage:python', 'onLanguage:json', 'onLanguage:jsonc']);
});

test('a setting that names a program is not taken from an untrusted workspace', () => {
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ['inductorLens.interpreter']);
  assert.equal(contributes.configuration.properties['inductorLens.interpreter']?.scope, 'machine-overridable');
});

test('the version is the server’s', () => {
  const server = /^__version__ = "(.*)"$/m.exec(readFileSync('../server/inductor_lens/__init__.py', 'utf8'))?.[1];
  assert.equal(manifest.version, server);
});

test('every setting that the server reads is offered, with its default', () => {
  const settings = readFileSync('../server/inductor_lens/settings.py', 'utf8');
  const read = [...settings.matchAll(/^ {4}"([A-Za-z.]+)": \("/gm)].map((match) => `inductorLens.${match[1] ?? ''}`);
  assert.ok(read.length >= 10);
  const offered = Object.keys(contributes.configuration.properties).filter((name) => !/interpreter|trace\.server/.test(name));
  assert.deepEqual(offered.sort(), read.sort());
  const number = (name: string): number => Number(new RegExp(`${name}: float = ([\\d.]+)`).exec(settings)?.[1]);
  const low = ['peakPercent', 'minTimeUs', 'minTimeShare'].map((name) => contributes.configuration.properties[`inductorLens.lowBandwidth.${name}`]?.default);
  assert.deepEqual(low, ['low_peak_percent', 'low_min_time_us', 'low_min_time_share'].map(number));
});
