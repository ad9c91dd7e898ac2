// `npm run build`: compiles src/ to dist/ for publishing. Starts from an empty dist/, so that the package holds
// what the sources say and nothing older.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exitCode = compiler.status ?? 1;
if (process.exitCode === 0) await bundle('forgeflare/main');

/**
 * A command line as few files instead of hundreds, which cost more to find and read than to run. What is imported when
 * it is needed stays apart; dependencies stay outside.
 */
async function bundle(entry: string): Promise<void> {
  await build({
    entryPoints: [join(root, 'dist', 'cli', `${entry}.js`)],
    outdir: join(root, 'dist', 'bundle'),
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
