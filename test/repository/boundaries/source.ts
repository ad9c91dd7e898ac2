// A parsed source file for the architecture rules: its path, its imports and its syntax tree.

import { readFileSync, globSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { parseSync, Visitor, type Program, type VisitorObject } from 'oxc-parser';

export interface Source {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly specifier: string;
  /** A type import is erased; a dynamic import runs after both files are loaded. */
  readonly kind: 'value' | 'type' | 'dynamic';
  readonly offset: number;
}

export function loadSources(root: string): Source[] {
  return globSync('src/**/*.ts', { cwd: root })
    .toSorted()
    .map((file) => parseSource(file.replaceAll(sep, '/'), readFileSync(join(root, file), 'utf8')));
}

export function parseSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text, { lang: 'ts', sourceType: 'module' });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return { path, text, program, imports: importsOf(program) };
}

export function visit({ program }: Source, visitor: VisitorObject): void {
  new Visitor(visitor).visit(program);
}

export function isTest({ path }: Source): boolean {
  return path.endsWith('.test.ts');
}

/** `core` for `src/core/event.ts`, `index.ts` for `src/index.ts`; undefined outside `src/`. */
export function folderOf(path: string): string | undefined {
  const [root, folder] = path.split('/');
  return root === 'src' ? folder : undefined;
}

/** The path of a relative import; undefined for a package. */
export function resolveImport(source: Source, { specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(source.path), specifier);
}

function importsOf(program: Program): Import[] {
  const imports: Import[] = [];
  const add = (specifier: string, kind: Import['kind'], offset: number) => imports.push({ specifier, kind, offset });
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind ?? 'value', node.start),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind ?? 'value', node.start),
    ExportNamedDeclaration: (node) => node.source && add(node.source.value, node.exportKind ?? 'value', node.start),
    TSImportType: (node) => add(node.source.value, 'type', node.start),
    ImportExpression: ({ source, start }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') add(source.value, 'dynamic', start);
    },
    CallExpression: ({ callee, arguments: [name], start }) => {
      const isLoading = callee.type === 'MemberExpression' && isNamed(callee.property, 'getBuiltinModule');
      if (isLoading && name?.type === 'Literal' && typeof name.value === 'string') add(name.value, 'dynamic', start);
    },
  }).visit(program);
  return imports;
}

function isNamed(node: { readonly type: string; readonly name?: unknown }, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
