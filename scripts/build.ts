// `npm run build`: bundles src/ into dist/ for publishing, with type declarations and the gateway's page. Clears dist/
// first, so that the package contains no old files. Loading one module takes about half a millisecond, so hundreds of them
// would take longer than running them; code that is imported on demand stays in separate files.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exitCode = compiler.status ?? 1;
if (process.exitCode === 0) {
  await bundle('dist', {
    index: 'index.ts',
    heal: 'heal/index.ts',
    agent: 'exports/agent.ts',
    gateway: 'exports/gateway.ts',
    server: 'server/server.ts',
    testing: 'exports/testing.ts',
  });
  // A separate bundle: the commands are loaded on demand, which would split the library into many small chunks.
  await bundle('dist/cli', {
    'simple-agents': 'cli/simple-agents/main.ts',
    forgeflare: 'cli/forgeflare/main.ts',
  });
  const page = spawnSync(process.execPath, ['web/build.ts'], { cwd: root, stdio: 'inherit' });
  process.exitCode = page.status ?? 1;
}

/** `entries`: output file to source file in src/. */
async function bundle(folder: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const sources = Object.entries(entries).map(([name, path]) => [name, join(root, 'src', path)] as const);
  await build({
    entryPoints: Object.fromEntries(sources),
    outdir: join(root, folder),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    packages: 'external',
    logLevel: 'warning',
  });
}
