// Enforces the architecture: every file in src/ follows the import table of docs/ARCHITECTURE.md and the other rules, and
// each rule is tested with examples of what it forbids and allows.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  connectsInOnePlace,
  findCycles,
  followsImportTable,
  importsOnlyDependencies,
  importsPureConfigOnly,
  isNamedForItsNoun,
  isPortable,
  keepsConfigSchemaPure,
  keepsSnakeCaseOutside,
  opensWithComment,
  readsEnvironmentAtTheEdge,
  usesPlainSyntax,
  type Rule,
} from './boundaries/rules.ts';
import { loadSources, parseSource } from './boundaries/source.ts';
import { parseImportTable } from './boundaries/table.ts';

const root = join(import.meta.dirname, '../..');
const table = parseImportTable(readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: object;
  peerDependencies: object;
};
const installable = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const sources = loadSources(root);

interface Example {
  readonly rule: Rule;
  readonly forbidden: readonly (readonly [path: string, text: string])[];
  readonly allowed: readonly (readonly [path: string, text: string])[];
}

const examples: Readonly<Record<string, Example>> = {
  'imports follow the table': {
    rule: followsImportTable(table),
    forbidden: [
      ['src/core/a.ts', `import { b } from '../wire/b.ts';`],
      ['src/core/a.ts', `import type { B } from '../wire/b.ts';`],
      ['src/core/a.ts', `export * from '../wire/b.ts';`],
      ['src/core/a.ts', `type B = import('../wire/b.ts').B;`],
      ['src/wire/x/a.ts', `const b = await import('../../gateway/b.ts');`],
      ['src/server/a.ts', `import { load } from '../config/load.ts';`],
      ['src/cli/a.ts', `import { b } from '../../test/b.ts';`],
      ['src/index.ts', `import { b } from './cli/b.ts';`],
      ['src/elsewhere/a.ts', `export const a = 1;`],
    ],
    allowed: [
      ['src/wire/x/a.ts', `import { b } from '../../core/b.ts'; import { c } from './c.ts';`],
      ['src/cli/a.ts', `import { b } from '../server/b.ts';`],
      ['src/index.ts', `export { b } from './client/b.ts';`],
      ['src/core/a.test.ts', `import { b } from '../wire/b.ts';`],
    ],
  },
  'code imports runtime dependencies only': {
    rule: importsOnlyDependencies(new Set(installable)),
    forbidden: [
      ['src/client/a.ts', `import OpenAI from 'openai';`],
      ['src/client/a.ts', `import type { B } from '@anthropic-ai/sdk/b';`],
    ],
    allowed: [
      ['src/cli/a.ts', `import { Command } from 'commander'; import { b } from './b.ts'; import 'node:fs';`],
      ['src/client/a.test.ts', `import OpenAI from 'openai';`],
    ],
  },
  'portable folders do not import Node': {
    rule: isPortable,
    forbidden: [
      ['src/core/a.ts', `import { readFile } from 'node:fs/promises';`],
      ['src/heal/a.ts', `import type { Readable } from 'stream';`],
      ['src/wire/x/a.ts', `const { Buffer } = await import('node:buffer');`],
      ['src/config/schema/a.ts', `import { join } from 'node:path';`],
    ],
    allowed: [
      ['src/providers/a.ts', `import { readFile } from 'node:fs/promises';`],
      ['src/config/a.ts', `import { readFile } from 'node:fs/promises';`],
      ['src/core/a.test.ts', `import test from 'node:test';`],
    ],
  },
  'the configuration schema does not depend on file access': {
    rule: keepsConfigSchemaPure,
    forbidden: [['src/config/schema/a.ts', `import { loadSettings } from '../load.ts';`]],
    allowed: [
      ['src/config/schema/a.ts', `import { b } from './b.ts'; import { c } from '../../core/c.ts';`],
      ['src/config/a.ts', `import { b } from './schema/b.ts';`],
    ],
  },
  'the client imports only the pure half of the configuration': {
    rule: importsPureConfigOnly,
    forbidden: [
      ['src/client/a.ts', `import { loadSettings } from '../config/load.ts';`],
      ['src/client/a.ts', `import { mergeTiers } from '../config/settings.ts';`],
      ['src/client/a.ts', `const load = await import('../config/load.ts');`],
    ],
    allowed: [
      ['src/client/a.ts', `import { parseDuration } from '../config/schema/duration.ts';`],
      ['src/client/a.ts', `import type { Settings } from '../config/settings.ts';`],
      ['src/coder/a.ts', `import { loadSettings } from '../config/load.ts';`],
    ],
  },
  'only cli and config read the environment, and only cli the arguments': {
    rule: readsEnvironmentAtTheEdge,
    forbidden: [
      ['src/client/a.ts', `const key = process.env.KEY;`],
      ['src/client/a.ts', `const key = process['env'].KEY;`],
      ['src/client/a.ts', `const { env } = process;`],
      ['src/client/a.ts', `const key = globalThis.process.env;`],
      ['src/client/a.ts', `import { env } from 'node:process';`],
      ['src/config/a.ts', `const first = process.argv[2];`],
    ],
    allowed: [
      ['src/cli/a.ts', `const { env, argv } = process;`],
      ['src/config/a.ts', `const key = process.env.KEY;`],
      ['src/client/a.ts', `// process.env\nconst text = 'process.env'; const id = process.pid;`],
      ['src/client/a.test.ts', `const key = process.env.KEY;`],
    ],
  },
  'snake_case is only used for external formats': {
    rule: keepsSnakeCaseOutside,
    forbidden: [
      ['src/core/a.ts', `const stop_reason = 1;`],
      ['src/core/a.ts', `interface A { stop_reason: string }`],
      ['src/gateway/a.ts', `const a = { stop_reason: 1 };`],
      ['src/gateway/a.ts', `const b = a.stop_reason;`],
      ['src/agent/a.ts', `const { stop_reason: b } = a;`],
      ['src/agent/a.ts', `class A { #stop_reason = 1; }`],
      ['src/cli/forgeflare/a.ts', `const a = { stop_reason: 1 };`],
    ],
    allowed: [
      ['src/wire/x/a.ts', `const b = a.stop_reason;`],
      ['src/cli/forgeflare/stream-json/a.ts', `const a = { stop_reason: 1 };`],
      ['src/core/a.ts', "const a = { 'stop_reason': 1 }; const b = `stop_reason ${a['stop_reason']}`; // stop_reason"],
      ['src/core/a.ts', `const MAX_SIZE = 1; const _unused = 2;`],
    ],
  },
  'each kind of connection is opened in one file': {
    rule: connectsInOnePlace,
    forbidden: [
      ['src/gateway/a.ts', `import { connect } from 'node:net';`],
      ['src/providers/a.ts', `const { connect } = process.getBuiltinModule('node:tls');`],
      ['src/gateway/a.ts', `import type { RedisClientType } from '@redis/client';`],
      ['src/gateway/a.ts', `const redis = await import('@redis/client');`],
      ['src/mcp/a.ts', `import { Client } from '@modelcontextprotocol/client';`],
      ['src/agent/a.ts', `import { request } from 'node:https';`],
    ],
    allowed: [
      ['src/transport/undici.ts', `const { connect } = process.getBuiltinModule('node:net');`],
      ['src/server/a.ts', `import type { AddressInfo } from 'node:net';`],
      ['src/gateway/cache/redis-cache.ts', `const redis = await import('@redis/client');`],
      ['src/transport/undici.test.ts', `import { connect } from 'node:net';`],
    ],
  },
  'syntax is plain': {
    rule: usesPlainSyntax,
    forbidden: [
      ['src/core/a.ts', `export default function a() {}`],
      ['src/core/a.ts', `const a = 1; export { a as default };`],
      ['src/core/a.ts', `export { a as default } from './b.ts';`],
      ['src/core/a.ts', `enum A { B }`],
      ['src/core/a.ts', `namespace A { export const b = 1; }`],
      ['src/core/a.ts', `declare global { interface A {} }`],
      ['src/core/a.test.ts', `const a: any = 1;`],
      ['src/core/a.ts', `function a(b: Array<any>) {}`],
    ],
    allowed: [['src/core/a.ts', `// any enum\nexport const any = 'namespace'; export type { B } from './b.ts';`]],
  },
  'a file starts with a comment that describes it': {
    rule: opensWithComment,
    forbidden: [
      ['src/core/a.ts', `export const a = 1; // a`],
      ['src/core/a.ts', `\n// late`],
    ],
    allowed: [['src/core/a.ts', `// What it is.\n`]],
  },
  'a file has no vague name': {
    rule: isNamedForItsNoun,
    forbidden: [
      ['src/core/utils.ts', ''],
      ['src/helpers/event.ts', ''],
      ['src/core/common.test.ts', ''],
    ],
    allowed: [['src/core/event.ts', '']],
  },
};

for (const [name, { rule, forbidden, allowed }] of Object.entries(examples)) {
  describe(name, () => {
    test('in every source file', () => {
      assert.ok(sources.length > 0, 'found no source files');
      assert.deepEqual(
        sources.flatMap((source) => rule(source).map(({ message, offset }) => located(source, offset, message))),
        [],
      );
    });
    for (const [path, text] of forbidden) {
      test(`forbids ${path}: ${text}`, () => assert.equal(rule(parseSource(path, text)).length, 1));
    }
    for (const [path, text] of allowed) {
      test(`allows ${path}: ${text}`, () => assert.deepEqual(rule(parseSource(path, text)), []));
    }
  });
}

describe('imports have no cycles', () => {
  test('in every source file', () => assert.deepEqual(findCycles(sources), []));

  test('finds a cycle', () => {
    const a = parseSource('src/core/a.ts', `import { b } from './b.ts';`);
    const b = parseSource('src/core/b.ts', `export { c } from '../wire/c.ts';`);
    const c = parseSource('src/wire/c.ts', `import { a } from '../core/a.ts';`);
    assert.deepEqual(findCycles([a, b, c]), [['src/core/a.ts', 'src/core/b.ts', 'src/wire/c.ts', 'src/core/a.ts']]);
  });

  test('ignores type imports and dynamic imports', () => {
    const a = parseSource('src/core/a.ts', `import type { B } from './b.ts'; const c = import('./c.ts');`);
    const b = parseSource('src/core/b.ts', `import { a } from './a.ts';`);
    const c = parseSource('src/core/c.ts', `import { a } from './a.ts';`);
    assert.deepEqual(findCycles([a, b, c]), []);
  });
});

describe('the import table', () => {
  const markdown = [
    'Before.',
    '',
    '| folder | may import |',
    '|---|---|',
    '| `core`, heal/ | nothing |',
    '| wire | core (types only), heal |',
    '| cli | everything |',
    '',
    '| other | table |',
  ].join('\n');

  test('is parsed from Markdown', () => {
    assert.deepEqual(
      parseImportTable(markdown),
      new Map([
        ['core', new Set()],
        ['heal', new Set()],
        ['wire', new Set(['core', 'heal'])],
        ['cli', new Set(['core', 'heal', 'wire', 'cli'])],
      ]),
    );
  });

  test('must exist', () => {
    assert.throws(() => parseImportTable('# Title\n'), /no table/);
  });

  test('names only folders that have a row', () => {
    assert.throws(() => parseImportTable(markdown.replace('types only), heal', 'x), haal')), /"haal"/);
  });
});

function located({ path, text }: { path: string; text: string }, offset: number, message: string): string {
  return `${path}:${text.slice(0, offset).split('\n').length}: ${message}`;
}
