// Builds what the .vsix carries into dist/: the gate (extension.js), what it loads once a file of ours turns up
// (lens.js, and client.js with the language client), the webview (webview.js, webview.css), and the licences of the
// packages that are bundled. With --tests: the unit tests into out/test/, and the page that they load into out/page/.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const tests = process.argv.includes('--tests');
const outdir = tests ? 'out/test' : 'dist';
await rm(outdir, { recursive: true, force: true });

/** @satisfies {import('esbuild').BuildOptions} */
const common = { bundle: true, outdir, target: 'es2022', charset: 'utf8', logLevel: 'warning', metafile: true };
/** @satisfies {import('esbuild').BuildOptions} */
const node = { ...common, platform: 'node', format: 'cjs' };
/** @satisfies {import('esbuild').BuildOptions} */
const page = { ...common, platform: 'browser', format: 'iife', entryPoints: { webview: 'webview/main.ts' } };

if (tests) {
  const files = (await readdir('test')).filter((name) => name.endsWith('.test.ts'));
  await build({ ...page, outdir: 'out/page' });
  await build({
    ...node,
    entryPoints: files.map((name) => `test/${name}`),
    outExtension: { '.js': '.cjs' },
    sourcemap: 'inline',
    packages: 'external',
    alias: { vscode: './test/fakeVscode.ts' },
  });
} else {
  /** @satisfies {import('esbuild').BuildOptions} */
  const shipped = { minify: true, legalComments: 'none' };
  const entryPoints = ['src/extension.ts', 'src/lens.ts', 'src/client.ts'];
  const host = await build({ ...node, ...shipped, entryPoints, external: ['vscode', './lens.js', './client.js'] });
  const view = await build({ ...page, ...shipped });
  const bytes = [host, view].flatMap(({ metafile }) => Object.values(metafile.outputs)).reduce((sum, output) => sum + output.bytes, 0);
  console.log(`bundle: ${Math.round(bytes / 1000)} kB`);
  if (bytes >= 1_000_000) throw new Error('the bundle is to stay below 1 MB');
  const inputs = [host, view].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeFile(`${outdir}/THIRD-PARTY-NOTICES.txt`, await notices(inputs));
}

/** The licence texts of the packages that these files come from. @param {string[]} files */
async function notices(files) {
  const folders = new Set(files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder} has no licence text`);
    return `${name} ${version} (${license})\n\n${(await readFile(`${folder}/${file}`, 'utf8')).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
