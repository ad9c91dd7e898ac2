// The entry point for other engines must run without Node: its bundle imports neither Node modules nor packages.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
/** Loaded on demand if installed. */
const optional = ['@redis/client', '@opentelemetry/api'];

test('the bundle for other engines imports nothing', async () => {
  const { metafile } = await build({
    entryPoints: [join(root, 'src/embed/index.ts')],
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    // The browser build of lru-cache does not use Node's diagnostics channels.
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
