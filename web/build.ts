// Compiles the page into a folder: the entry, a chunk for each view, one style sheet, each also compressed, and index.html
// with their names. Names contain a hash of the content, so browsers may keep the files for ever.
// `node web/build.ts [FOLDER]`, by default dist/web. Prints the compressed sizes.

import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const here = import.meta.dirname;
const entry = 'app/main.tsx';
const style = 'style/index.css';

const target = resolve(process.argv[2] ?? join(here, '../dist/web'));
// Compiled beside the target and moved at the end: a running server never finds half a page.
const work = `${target}.${process.pid}`;
try {
  await compile(work);
  rmSync(target, { recursive: true, force: true });
  renameSync(work, target);
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function compile(folder: string): Promise<void> {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: [entry, style],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: join(folder, 'assets'),
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'file' },
    logLevel: 'warning',
    legalComments: 'none',
  });
  const files = Object.keys(metafile.outputs).map((path) => resolve(here, path));
  for (const file of files) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
  copyFileSync(join(here, 'icon.svg'), join(folder, 'assets/icon.svg'));
  writeFileSync(join(folder, 'index.html'), renderIndex(metafile));
  report(metafile);
}

function renderIndex({ outputs }: Metafile): string {
  const script = outputOf(outputs, entry);
  const preloads = staticImports(outputs, script).map((path) => `<link rel="modulepreload" href="${hrefOf(path)}">`);
  const links = [
    ...preloads,
    `<link rel="stylesheet" href="${hrefOf(outputOf(outputs, style))}">`,
    `<script type="module" src="${hrefOf(script)}"></script>`,
  ];
  const source = readFileSync(join(here, 'index.html'), 'utf8');
  return source.replace('<!-- files -->', () => links.join('\n    '));
}

type Outputs = Metafile['outputs'];

function outputOf(outputs: Outputs, source: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (found === undefined) throw new Error(`nothing was compiled from ${source}`);
  return found[0];
}

/** The chunks that a file needs before it runs. */
function staticImports(outputs: Outputs, path: string, found = new Set<string>()): string[] {
  for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
    if (kind !== 'import-statement' || found.has(imported)) continue;
    found.add(imported);
    staticImports(outputs, imported, found);
  }
  return [...found];
}

function hrefOf(path: string): string {
  return `/assets/${basename(path)}`;
}

function report({ outputs }: Metafile): void {
  const script = outputOf(outputs, entry);
  const first = [script, ...staticImports(outputs, script), outputOf(outputs, style)];
  const others = Object.keys(outputs).filter((path) => !first.includes(path));
  const lines = [
    `first view ${kilobytes(first.reduce((sum, path) => sum + size(path), 0))}`,
    ...others.map((path) => `${basename(path)} ${kilobytes(size(path))}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function size(path: string): number {
  return gzipSync(readFileSync(resolve(here, path))).length;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB gz`;
}
