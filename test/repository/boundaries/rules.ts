// The rules of the architecture. Each rule checks one source file and returns its violations. Test files follow only the
// rules about syntax; they may import anything.

import { isBuiltin } from 'node:module';
import { folderOf, isTest, resolveImport, visit, type Import, type Source } from './source.ts';
import type { ImportTable } from './table.ts';

export interface Violation {
  readonly path: string;
  readonly offset: number;
  readonly message: string;
}

export type Rule = (source: Source) => Violation[];

/** Entry points have no row in the table. `cli` may import the one for Node. */
const entryPoints = new Set(['index.ts', 'node.ts', 'exports']);
const nodeEntry = 'node.ts';
const entryImports = new Set([
  nodeEntry,
  'mcp',
  'client',
  'core',
  'heal',
  'gateway',
  'config',
  'providers',
  'prices',
  'agent',
  'testing',
  'transport',
]);

const portableFolders = new Set([
  'core',
  'heal',
  'wire',
  'prices',
  'gateway',
  'client',
  'agent',
  'rpc',
  'streamjson',
  'acp',
  'embed',
]);
const pureConfigFolder = 'src/config/schema/';
const environmentFolders = new Set(['cli', 'config']);
const argumentFolders = new Set(['cli']);
const externalFormatFolders = new Set(['wire', 'config', 'testing', 'streamjson', 'acp']);
/** The part of the command line that speaks to hosts in their format. */
const hostFolder = 'src/cli/forgeflare/stream-json/';
/** Modules that open connections, and the only file that may use each. */
const connectionFiles: Readonly<Record<string, string>> = {
  'undici': 'src/transport/undici.ts',
  'node:net': 'src/transport/undici.ts',
  'node:tls': 'src/transport/undici.ts',
  'node:https': 'src/transport/undici.ts',
  '@redis/client': 'src/gateway/cache/redis-cache.ts',
  '@opentelemetry/exporter-trace-otlp-http': 'src/server/metrics/otlp.ts',
  '@modelcontextprotocol/client': 'src/mcp/connection.ts',
};
const vagueNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'manager', 'service', 'handler']);

export function followsImportTable(table: ImportTable): Rule {
  return forCode((source) => {
    const folder = folderOf(source.path) ?? '';
    const allowed = entryPoints.has(folder) ? entryImports : table.get(folder);
    if (allowed === undefined) return [violation(source, 0, `${folder} has no row in the import table`)];
    return source.imports.flatMap((entry) => {
      const target = resolveImport(source, entry);
      if (target === undefined) return [];
      const targetFolder = folderOf(target);
      if (targetFolder === undefined) return [violation(source, entry.offset, `${target} is outside src/`)];
      if (targetFolder === folder || allowed.has(targetFolder)) return [];
      if (targetFolder === nodeEntry && folder === 'cli') return [];
      return [violation(source, entry.offset, `${folder} may not import ${targetFolder}`)];
    });
  });
}

export function importsOnlyDependencies(dependencies: ReadonlySet<string>): Rule {
  return forImports(({ specifier }) => {
    if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined;
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    return dependencies.has(name) ? undefined : `${name} is not a runtime dependency`;
  });
}

export const isPortable: Rule = forImports(({ specifier }, source) => {
  const isPortableFile = isIn(portableFolders, source) || source.path.startsWith(pureConfigFolder);
  return isPortableFile && isBuiltin(specifier) ? `${specifier} ties a portable folder to Node` : undefined;
});

/** Schema and validation of the configuration do not depend on code that reads, writes or watches a file. */
export const keepsConfigSchemaPure: Rule = forImports((entry, source) => {
  if (!source.path.startsWith(pureConfigFolder)) return undefined;
  const target = resolveImport(source, entry) ?? '';
  const isPure = folderOf(target) !== 'config' || target.startsWith(pureConfigFolder);
  return isPure ? undefined : `${pureConfigFolder} may not import ${target}`;
});

/** The client runs in other engines. Type imports from the rest of the configuration are erased. */
export const importsPureConfigOnly: Rule = forImports((entry, source) => {
  if (folderOf(source.path) !== 'client' || entry.kind === 'type') return undefined;
  const target = resolveImport(source, entry) ?? '';
  const isPure = folderOf(target) !== 'config' || target.startsWith(pureConfigFolder);
  return isPure ? undefined : `client may import only ${pureConfigFolder} of config, not ${target}`;
});

/** Type imports of Node modules are allowed, because servers need them; type imports of packages are not. */
export const connectsInOnePlace: Rule = forImports(({ specifier, kind }, source) => {
  if (kind === 'type' && isBuiltin(specifier)) return undefined;
  const name = Object.keys(connectionFiles).find((known) => specifier === known || specifier.startsWith(`${known}/`));
  const file = name === undefined ? undefined : connectionFiles[name];
  return file === undefined || source.path === file ? undefined : `only ${file} uses ${name}`;
});

export const readsEnvironmentAtTheEdge: Rule = forCode((source) => {
  const allowed = { env: environmentFolders, argv: argumentFolders };
  return processMembers(source).flatMap(({ name, offset }) => {
    if ((name !== 'env' && name !== 'argv') || isIn(allowed[name], source)) return [];
    return [violation(source, offset, `process.${name} is read only in ${[...allowed[name]].join(', ')}`)];
  });
});

export const keepsSnakeCaseOutside: Rule = forCode((source) => {
  if (isIn(externalFormatFolders, source) || source.path.startsWith(hostFolder)) return [];
  const found: Violation[] = [];
  const check = ({ name, start }: { name: string; start: number }) => {
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name)) return;
    found.push(violation(source, start, `${name} is snake_case; quote it if it is data of an external format`));
  };
  visit(source, { Identifier: check, PrivateIdentifier: check });
  return found;
});

export const usesPlainSyntax: Rule = (source) => {
  const found: Violation[] = [];
  const forbid = (what: string) => (node: { start: number }) => {
    found.push(violation(source, node.start, `${what} is not allowed`));
  };
  const forbidDefault = forbid('a default export');
  visit(source, {
    ExportDefaultDeclaration: forbidDefault,
    ExportSpecifier: (node) => {
      if (node.exported.type === 'Identifier' && node.exported.name === 'default') forbidDefault(node);
    },
    TSExportAssignment: forbidDefault,
    TSEnumDeclaration: forbid('an enum'),
    TSModuleDeclaration: forbid('a namespace'),
    TSAnyKeyword: forbid('any'),
  });
  return found;
};

export const opensWithComment: Rule = (source) =>
  source.text.startsWith('// ') ? [] : [violation(source, 0, 'a file must start with a // comment that describes it')];

export const isNamedForItsNoun: Rule = (source) => {
  const vague = source.path.split(/[/.]/).find((part) => vagueNames.has(part));
  return vague === undefined ? [] : [violation(source, 0, `"${vague}" does not name what the file defines`)];
};

/** Lists each cycle once, as a list of files. Type imports and dynamic imports do not count. */
export function findCycles(sources: readonly Source[]): string[][] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const follow = (path: string, trail: readonly string[]): void => {
    const source = byPath.get(path);
    if (source === undefined || finished.has(path)) return;
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path]);
      return;
    }
    for (const target of runtimeTargets(source)) follow(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of byPath.keys()) follow(path, []);
  return cycles;
}

function runtimeTargets(source: Source): string[] {
  return source.imports
    .filter(({ kind }) => kind === 'value')
    .map((entry) => resolveImport(source, entry))
    .filter((target) => target !== undefined);
}

function processMembers(source: Source): { name: string; offset: number }[] {
  const found: { name: string; offset: number }[] = [];
  visit(source, {
    MemberExpression: ({ object, property, start }) => {
      const isProcess =
        (object.type === 'Identifier' && object.name === 'process') ||
        (object.type === 'MemberExpression' &&
          object.property.type === 'Identifier' &&
          object.property.name === 'process');
      const name = nameOf(property);
      if (isProcess && name !== undefined) found.push({ name, offset: start });
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || init.name !== 'process') return;
      for (const property of id.properties) {
        const name = property.type === 'Property' ? nameOf(property.key) : undefined;
        if (name !== undefined) found.push({ name, offset: property.start });
      }
    },
    ImportDeclaration: ({ source: { value }, specifiers }) => {
      if (value !== 'node:process' && value !== 'process') return;
      for (const specifier of specifiers) {
        const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined;
        if (name !== undefined) found.push({ name, offset: specifier.start });
      }
    },
  });
  return found;
}

function nameOf(node: { type: string; name?: unknown; value?: unknown }): string | undefined {
  const name = node.type === 'Identifier' ? node.name : node.type === 'Literal' ? node.value : undefined;
  return typeof name === 'string' ? name : undefined;
}

function forCode(rule: Rule): Rule {
  return (source) => (isTest(source) ? [] : rule(source));
}

function forImports(check: (entry: Import, source: Source) => string | undefined): Rule {
  return forCode((source) =>
    source.imports.flatMap((entry) => {
      const message = check(entry, source);
      return message === undefined ? [] : [violation(source, entry.offset, message)];
    }),
  );
}

function isIn(folders: ReadonlySet<string>, { path }: Source): boolean {
  return folders.has(folderOf(path) ?? '');
}

function violation({ path }: Source, offset: number, message: string): Violation {
  return { path, offset, message };
}
