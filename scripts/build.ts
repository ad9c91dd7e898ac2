// `npm run build`: bundles src/ into dist/ for publishing, with the types beside it. Starts from an empty dist/, so that the
// package holds what the sources say and nothing older. One module costs about half a millisecond to find and read, so
// hundreds of them would cost more than running them; code that is imported on demand stays in files of its own.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const source = (path: string): string => join(root, 'src', path);

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exitCode = compiler.status ?? 1;
if (process.exitCode === 0) await bundle();

async function bundle(): Promise<void> {
  await build({
    entryPoints: {
      index: source('index.ts'),
      heal: source('heal/index.ts'),
      agent: source('exports/agent.ts'),
      gateway: source('exports/gateway.ts'),
      server: source('server/server.ts'),
      testing: source('exports/testing.ts'),
      'cli/simple-agents': source('cli/simple-agents/main.ts'),
      'cli/forgeflare': source('cli/forgeflare/main.ts'),
    },
    outdir: join(root, 'dist'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    packages: 'external',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  });
}
