// Bundles the entry of the native library into one module: `node scripts/bundle-engine.ts [FILE]`, by default
// bindings/native/engine/bundle/engine.js. The build script of the engine compiles it to bytecode. The file is written only
// if it changes, because cargo compiles everything that depends on it when it is newer.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const outfile = process.argv[2] ?? join(root, 'bindings/native/engine/bundle/engine.js');

const { outputFiles } = await build({
  entryPoints: [join(root, 'bindings/native/engine/js/entry.ts')],
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  // The browser build of lru-cache does not use Node's diagnostics channels.
  conditions: ['browser'],
  mainFields: ['module', 'main'],
  // Loaded on demand if installed, which cannot happen inside the library.
  external: ['node:*', '@redis/client', '@opentelemetry/api'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});

const text = outputFiles[0]?.text ?? '';
if (!existsSync(outfile) || readFileSync(outfile, 'utf8') !== text) {
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, text);
}
