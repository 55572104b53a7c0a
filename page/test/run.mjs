/** Bundles the tests and runs them with Node's own runner. */

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const outdir = `${here}../build/test`;
const entryPoints = readdirSync(here).filter((name) => name.endsWith('.test.ts')).map((name) => here + name);

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints,
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  outExtension: { '.js': '.mjs' },
  sourcemap: 'inline',
  logLevel: 'warning',
});
const made = readdirSync(outdir).map((name) => `${outdir}/${name}`);
process.exit(spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=dot', ...made], { stdio: 'inherit' }).status ?? 1);
