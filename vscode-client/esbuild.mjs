// Builds what the .vsix carries into dist/: the gate (extension.js), what it loads once a file of ours turns up
// (lens.js, and client.js with the language client), and the webview (webview.js, webview.css). With --tests: the unit tests, into out/test/.
import { readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const tests = process.argv.includes('--tests');
const outdir = tests ? 'out/test' : 'dist';
await rm(outdir, { recursive: true, force: true });

/** @type {import('esbuild').BuildOptions} */
const common = { bundle: true, outdir, target: 'es2022', charset: 'utf8', logLevel: 'warning' };
/** @type {import('esbuild').BuildOptions} */
const node = { ...common, platform: 'node', format: 'cjs' };

if (tests) {
  const files = (await readdir('test')).filter((name) => name.endsWith('.test.ts'));
  await build({ ...common, outdir: 'out/page', format: 'iife', entryPoints: { webview: 'webview/main.ts' } });
  await build({
    ...node,
    entryPoints: files.map((name) => `test/${name}`),
    outExtension: { '.js': '.cjs' },
    sourcemap: 'inline',
    packages: 'external',
    alias: { vscode: './test/fakeVscode.ts' },
  });
} else {
  const shipped = { minify: true, legalComments: /** @type {const} */ ('none') };
  await build({ ...node, ...shipped, entryPoints: ['src/extension.ts', 'src/lens.ts', 'src/client.ts'], external: ['vscode', './lens.js', './client.js'] });
  await build({ ...common, ...shipped, platform: 'browser', format: 'iife', entryPoints: { webview: 'webview/main.ts' } });
}
