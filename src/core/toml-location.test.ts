// Lines of keys in every TOML syntax, and in text that is not TOML.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { locateInToml, type KeyPath } from './toml-location.ts';

const text = `# a comment with key = 1
top = 1

[client] # trailing
default_model = "fast"
"quoted key" = 1
"esc\\"aped" = 1
'literal' = 2
a.b . "c" = 3
long = """
idle = "not a key"
[timeouts]
ends in a quote""""
literal_long = '''
x = 1'''

[[providers]]
name = "one"
headers = { "x-a" = "1", nested = { deep = "]" } }
[providers.headers2]
x = 1

[[providers]]
name = "two"
models = [
  "first", # ] not the end
  "second",
  { inline = 1,
    later = 2 },
]
[[providers.inner]]
y = 1
[[providers.inner]]
y = 2

[models.fast]
targets = []
[models."code review"]
targets = []
`;

describe('the line of', () => {
  const locate = locateInToml(text);
  for (const [path, line] of [
    [['top'], 2],
    [['client'], 4],
    [['client', 'default_model'], 5],
    [['client', 'quoted key'], 6],
    [['client', 'esc"aped'], 7],
    [['client', 'literal'], 8],
    [['client', 'a', 'b', 'c'], 9],
    [['client', 'long'], 10],
    [['client', 'literal_long'], 14],
    [['providers'], 17],
    [['providers', 0, 'name'], 18],
    [['providers', 0, 'headers', 'x-a'], 19],
    [['providers', 0, 'headers', 'nested', 'deep'], 19],
    [['providers', 0, 'headers2', 'x'], 21],
    [['providers', 1], 23],
    [['providers', 1, 'name'], 24],
    [['providers', 1, 'models', 0], 26],
    [['providers', 1, 'models', 1], 27],
    [['providers', 1, 'models', 2, 'inline'], 28],
    [['providers', 1, 'models', 2, 'later'], 29],
    [['providers', 1, 'inner', 0, 'y'], 32],
    [['providers', 1, 'inner', 1, 'y'], 34],
    [['models', 'fast', 'targets'], 37],
    [['models', 'code review'], 38],
  ] as [KeyPath, number][]) {
    test(JSON.stringify(path), () => assert.equal(locate(path), line));
  }

  test('an absent key is the line of its parent', () => {
    assert.equal(locate(['providers', 1, 'type']), 23);
    assert.equal(locate(['client', 'a', 'missing']), 9);
    assert.equal(locate(['timeouts', 'idle']), undefined);
    assert.equal(locate([]), undefined);
  });

  test('a key is correct with a byte order mark and Windows line endings', () => {
    assert.equal(locateInToml('\uFEFF[client]\r\nx = 1\r\ny = 2\r\n')(['client', 'y']), 3);
  });
});

describe('any text', () => {
  const tomlish = fc
    .array(fc.constantFrom('[', ']', '{', '}', '=', '"', "'", '"""', "'''", '.', ',', '#', '\n', '\\', ' ', 'a', '1'))
    .map((parts) => parts.join(''));

  test('can be scanned', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), tomlish), (any) => {
        const line = locateInToml(any)(['a', 0, 'a']);
        assert.ok(line === undefined || (line >= 1 && line <= any.split('\n').length));
      }),
      { numRuns: 300 },
    );
  });

  test('can be nested deeply', () => {
    const depth = 10_000;
    assert.equal(locateInToml(`a = ${'['.repeat(depth)}`)(['a']), 1);
    assert.equal(locateInToml(`a = ${'{a='.repeat(depth)}`)(['a']), 1);
    assert.equal(locateInToml(`${'['.repeat(depth)}\nb = 1`)(['b']), 2);
  });
});

test('every key of a valid document is found on a line that contains it', () => {
  const key = fc.oneof(fc.stringMatching(/^[a-z]{1,4}$/), fc.string({ minLength: 1, maxLength: 4 }));
  const { table } = fc.letrec<{ value: unknown; table: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.string(),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.array(tie('table'), { maxLength: 3 }),
      tie('table'),
    ),
    table: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(table, (document) => {
      const written = stringify(document);
      const locate = locateInToml(written);
      const lines = written.split('\n');
      for (const path of leavesOf(parse(written))) {
        const line = lines[(locate(path) ?? 0) - 1] ?? '';
        assert.ok(Object.keys(parseLine(line)).includes(String(path.at(-1))), `${JSON.stringify(path)}: ${line}`);
      }
    }),
  );
});

function leavesOf(value: unknown, path: KeyPath = []): KeyPath[] {
  if (typeof value !== 'object' || value === null) return typeof path.at(-1) === 'string' ? [path] : [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  });
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return parse(line);
  } catch {
    return {};
  }
}
