// The entry point for other engines must run without Node: its bundle has no import left, of Node or of a package.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
/** Loaded on demand, where they are installed. */
const optional = ['@redis/client', '@opentelemetry/api'];

test('the bundle for other engines imports nothing', async () => {
  const { metafile } = await build({
    entryPoints: [join(root, 'src/embed/index.ts')],
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // The build of lru-cache for browsers uses no diagnostics channel of Node.
    conditions: ['browser'],
    mainFields: ['module', 'main'],
    external: ['node:*', ...optional],
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports: found }) => found);
  const outside = imports.filter(({ external, path }) => external === true && !optional.includes(path));
  assert.deepEqual(
    outside.map(({ path }) => path),
    [],
  );
});
