// Schemas and texts designed to keep a server busy, by kind and in several sizes. A request with any of them must be
// answered or rejected quickly.

import type { JsonSchema } from '../../src/heal/index.ts';

export interface HostileSchema {
  readonly kind: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly text: string;
}

type Variant = readonly [schema: JsonSchema, text: string];

/** Variants by kind, from small to large. */
const kinds: Readonly<Record<string, () => readonly Variant[]>> = {
  'nested quantifiers': () =>
    [
      '^(a+)+$',
      '^(a*)*$',
      '^(a|aa)+$',
      '^(a|a)*$',
      '^(\\w+\\s?)*$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(x+x+)+y',
      '^(.*)*$',
    ].map((pattern) => [{ type: 'string', pattern }, quoted(`${'a'.repeat(50_000)}!`)]),
  'overlapping patterns': () =>
    ['a*a*a*a*a*a*b', '.*.*.*.*=.*', '\\s*\\s*\\s*$', '(a|b|ab)*c', '[a-z]*[a-z]*[a-z]*\\d'].map((pattern) => [
      { type: 'string', pattern },
      quoted('ab '.repeat(20_000)),
    ]),
  'counted repeats': () =>
    ['(a{1,1000}){1,1000}', '((a{100}){100}){100}', '(a|b)*a(a|b){900}$', '(a?){500}a{500}', '.{1000}.{1000}x'].map(
      (pattern) => [{ type: 'string', pattern }, quoted('ab'.repeat(30_000))],
    ),
  'patterns that RE2 lacks': () =>
    ['(?=(a+))a*b\\1', '^(?!(a+)+$)', '(?<=(a+)+)b', '(a+)\\1+$', '^(?:(?=a)a)*$'].map((pattern) => [
      { type: 'string', pattern },
      quoted(`${'a'.repeat(40_000)}!`),
    ]),
  'long patterns': () =>
    [1e3, 1e4, 1e5, 9e5].map((length) => [
      { type: 'string', pattern: '(a|b)?'.repeat(length / 6) },
      quoted('ab'.repeat(5000)),
    ]),
  'deep patterns': () =>
    [50, 500, 5000, 100_000].map((depth) => [
      { type: 'string', pattern: `${'('.repeat(depth)}a${')+'.repeat(depth)}` },
      quoted('a'.repeat(30_000)),
    ]),
  'many patterns': () =>
    [100, 1000, 5000].map((count) => [
      object(count, (index) => ({ type: 'string', pattern: `^(a+${index})+$` })),
      members(count, () => quoted('a'.repeat(100))),
    ]),
  'patterns of names': () =>
    ['^(a+)+$', '(a|aa)*b', '^(\\w*)*$'].flatMap((pattern): Variant[] => [
      [
        { type: 'object', patternProperties: { [pattern]: { type: 'integer' } } },
        `{${quoted(`${'a'.repeat(30_000)}!`)}: 1}`,
      ],
      [
        { type: 'object', propertyNames: { pattern }, additionalProperties: true },
        `{${quoted(`${'a'.repeat(30_000)}!`)}: 1}`,
      ],
    ]),
  'doubled allOf references': () => [10, 20, 40, 400].map((levels) => [doubled('allOf', levels), '{"a": "1"}']),
  'doubled allOf with properties': () =>
    [10, 20, 40, 400].map((levels) => [doubled('allOf', levels, true), '{"a": "1"}']),
  'doubled anyOf references': () => [10, 20, 40, 400].map((levels) => [doubled('anyOf', levels), '{"a": "1"}']),
  'doubled anyOf with siblings': () =>
    [10, 20, 40, 400].map((levels) => [doubled('anyOf', levels, true), '{"a": "1"}']),
  'recursive anyOf': () =>
    [2, 5, 20, 200].map((arms) => [
      {
        $ref: '#/$defs/a',
        $defs: { a: { anyOf: Array.from({ length: arms }, () => ({ $ref: '#/$defs/a' })), minLength: 1 } },
      },
      '"text"',
    ]),
  'recursive objects': () =>
    [2, 3, 10, 50].flatMap((arms): Variant[] => {
      const schema = recursiveObjects(arms);
      return [50, 390, 5000].map((depth) => [schema, `${'{"n":'.repeat(depth)}1${'}'.repeat(depth)}`]);
    }),
  'many properties': () =>
    [5000, 12_000, 24_000].flatMap((count): Variant[] => [
      [object(count, () => ({ type: 'integer' }), true), members(count, () => '1')],
      [object(count, () => true), '{}'],
      [{ type: 'object', required: names(count) }, '{"a": 1}'],
    ]),
  'many objects of many properties': () =>
    [100, 1000, 10_000].map((count) => [
      { type: 'array', items: object(count, () => ({ type: ['integer', 'null'] }), true) },
      `[${'{"p1":"1"},'.repeat(20_000)}]`,
    ]),
  'many scalar branches': () =>
    [100, 2000, 19_000].flatMap((count): Variant[] => [
      [union(count, (index) => ({ type: 'number', minimum: index })), `"${'1'.repeat(10_000)}"`],
      [
        { type: 'array', items: union(count, (index) => ({ type: 'string', maxLength: index })) },
        `[${'"abc",'.repeat(20_000)}]`,
      ],
    ]),
  'many object branches': () =>
    [100, 1000, 6000].flatMap((count): Variant[] => [
      [
        union(count, (index) => ({ type: 'object', properties: { [`k${index}`]: { type: 'integer' } } })),
        members(20_000, () => '1'),
      ],
      [
        union(count, (index) => ({
          type: 'object',
          properties: { kind: { const: `k${index}` }, n: { type: 'integer' } },
        })),
        `{"kind": "none", ${members(5000, () => '1').slice(1)}`,
      ],
    ]),
  'many list branches': () =>
    [100, 1000, 9000].flatMap((count): Variant[] => [
      [
        union(count, (index) => ({ type: 'array', items: { type: 'integer', minimum: index } })),
        `[${'1,'.repeat(50_000)}]`,
      ],
      [union(count, (index) => ({ type: 'array', maxItems: index })), quoted(`[${'1,'.repeat(20_000)}]`)],
    ]),
  'double-encoded texts': () =>
    [10, 200, 3000].flatMap((count): Variant[] => [
      [
        union(count, (index) => ({ type: 'object', properties: { [`k${index}`]: true }, required: [`k${index}`] })),
        quoted(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: 'd'.repeat(5000) }) }) })),
      ],
      [{ type: 'array', items: union(count, () => ({ type: 'array' })) }, `[${`${quoted('[1]')},`.repeat(20_000)}]`],
    ]),
  'large enumerations': () =>
    [1000, 10_000, 70_000].flatMap((count): Variant[] => [
      [{ enum: names(count) }, quoted('I am sure that it is p77, or p78, and surely not p79')],
      [{ enum: names(count / 2).map((name) => `a_a_a_${name}`) }, quoted('a '.repeat(1900))],
      [{ type: 'array', items: { enum: names(count) } }, `[${'"P-1",'.repeat(30_000)}]`],
    ]),
  'repeated mentions': () =>
    [1, 20, 200].map((count) => [
      { type: 'array', items: { enum: ['ab', 'cd ef', 'no no'] } },
      `[${`${quoted('not ab '.repeat(500))},`.repeat(count)}]`,
    ]),
  'large defaults': () =>
    [1e3, 1e5, 8e5].map((length) => [
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'array', default: Array(length / 2).fill(1) }, b: {} } },
      },
      `[${'{"b":1},'.repeat(10_000)}]`,
    ]),
  'unique items': () =>
    [10, 100, 390].map((depth) => {
      let schema: JsonSchema = { type: 'array', uniqueItems: true };
      for (let level = 0; level < depth; level++) schema = { type: 'array', uniqueItems: true, items: schema };
      return [schema, `${'['.repeat(depth)}${'[1],[2],'.repeat(20_000)}[3]${']'.repeat(depth)}`];
    }),
  'long formats': () =>
    ['email', 'uri', 'date-time', 'time', 'ipv4', 'uuid', 'hostname'].flatMap((format): Variant[] => [
      [{ type: 'string', format }, quoted(`a@${'a.'.repeat(40_000)} `)],
      [{ type: 'string', format }, quoted(`12:00:00.${'1'.repeat(80_000)}x`)],
      [{ type: 'string', format }, quoted(`a:${'@.'.repeat(40_000)}`)],
    ]),
  'lengths in branches': () =>
    [100, 1000, 5000].map((count) => [
      union(count, (index) => ({ type: 'string', minLength: 1e6 + index })),
      quoted('a'.repeat(200_000)),
    ]),
  'deep schemas': () =>
    [60, 120, 2000].flatMap((depth): Variant[] => [
      [nested(depth, (inner) => ({ type: 'array', items: inner })), '['.repeat(2 * depth)],
      [nested(depth, (inner) => ({ anyOf: [inner, { type: 'null' }] })), '"x"'],
      [nested(depth, (inner) => ({ allOf: [inner, { minLength: 1 }] })), '"x"'],
      [nested(depth, (inner) => ({ properties: { a: inner }, required: ['a'] })), '{"a":'.repeat(depth)],
    ]),
  'chains of references': () =>
    [100, 900, 5000].flatMap((length): Variant[] => [
      [chain(length, (next) => next), '"x"'],
      [chain(length, (next) => ({ ...next, minLength: 1 })), '"x"'],
      [chain(length, (next) => ({ allOf: [next, { properties: { a: {} } }] })), '{"a": 1'],
      [chain(length, (next) => ({ anyOf: [next, { type: 'integer' }] })), '"x"'],
    ]),
  'validation that doubles': () =>
    [10, 40, 400].flatMap((levels): Variant[] => [
      [doubled('oneOf', levels), '{"a": "1"}'],
      [chain(levels, (next) => ({ not: { not: next }, allOf: [next] })), '"x"'],
      [chain(levels, (next) => ({ if: next, else: next, dependentSchemas: { a: next } })), '{"a": 1}'],
      [chain(levels, (next) => ({ contains: next, items: next, unevaluatedItems: next })), nestedLists(levels)],
    ]),
  'chains inside keywords': () =>
    [900, 5000].flatMap((length): Variant[] => [
      [chain(length, (next) => ({ not: next })), '"x"'],
      [chain(length, (next) => ({ propertyNames: next, contains: next })), '{"a": [1]}'],
    ]),
  'unevaluated members': () =>
    [100, 1000, 5000].map((count) => [
      {
        type: 'object',
        allOf: Array.from({ length: count }, (_, index) => ({
          properties: { [`p${index}`]: true },
          additionalProperties: true,
        })),
        unevaluatedProperties: false,
      },
      members(count, () => '1'),
    ]),
  'many identifiers': () =>
    [100, 3000, 9000].map((count) => [
      {
        $ref: `#n${count - 1}`,
        $defs: Object.fromEntries(
          names(count).map((name, index) => [
            name,
            { $id: `https://a.example/${name}/`, $anchor: `n${index}`, $ref: '../p1/' },
          ]),
        ),
      },
      '"x"',
    ]),
  'references to themselves': () => [
    [{ $ref: '#' }, '1'],
    [{ allOf: [{ $ref: '#' }, { $ref: '#' }] }, '1'],
    [{ anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'array', items: { $ref: '#' } }] }, '['.repeat(5000)],
    [
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b', title: 'a' }, b: { $ref: '#/$defs/a', minLength: 1 } } },
      '"x"',
    ],
    [{ type: 'object', additionalProperties: { $ref: '#' }, minProperties: 1 }, '{"a":'.repeat(9000)],
  ],
  'lists of types': () => [
    [{ type: Array.from({ length: 100_000 }, () => 'object'), properties: { a: { type: 'string' } } }, '{"a": 1}'],
    [
      chain(60, (next) => ({ type: ['object', 'array', 'null'], properties: { a: next }, items: next })),
      '{"a": [{"a": []}]}',
    ],
    [
      chain(60, (next) => ({ type: ['object', 'array'], nullable: true, properties: { a: next }, items: next })),
      '{"a": 1}',
    ],
    [chain(60, (next) => ({ type: ['object', 'null'], anyOf: [next, next], properties: { a: next } })), '{"a": 1}'],
  ],
  'tuples': () =>
    [100, 5000, 19_000].map((count) => [
      {
        type: 'array',
        prefixItems: Array.from({ length: count }, (_, index) => ({ type: 'integer', minimum: index })),
      },
      `[${'"7",'.repeat(10_000)}]`,
    ]),
  'many aliases': () =>
    [1000, 10_000, 30_000].map((count) => [
      { type: 'object', properties: { a: { 'type': 'string', 'x-alias': names(count) } } },
      '{"P_1": "x"}',
    ]),
  'long names': () =>
    [10, 100, 500].map((arms) => [
      union(arms, (index) => ({ type: 'object', properties: { [`k${index}`]: {} }, required: [`k${index}`] })),
      `{${quoted('é_'.repeat(100_000))}: 1}`,
    ]),
  'many values in the text': () =>
    [10, 300].flatMap((arms): Variant[] => {
      const schema = union(arms, (index) => ({ type: 'object', properties: { a: { const: index } }, required: ['a'] }));
      return [
        [schema, '{"a": -1} and '.repeat(20_000)],
        [schema, '```\n{"a": -1}\n```\n'.repeat(10_000)],
        [{ type: 'array', items: schema }, '- a: -1\n'.repeat(20_000)],
      ];
    }),
  'white space': () => [
    [{ type: 'object', properties: { a: {} } }, `${'\n'.repeat(2000)}a${' '.repeat(2000)}b: 1`],
    [{ enum: ['a', 'b'] }, `a${' '.repeat(400_000)}x`],
    [{ enum: ['a', 'b'] }, quoted(`${'.'.repeat(400_000)}x`)],
    [{ type: 'integer' }, `1${' '.repeat(400_000)}x`],
  ],
};

export const hostileSchemas: readonly HostileSchema[] = Object.entries(kinds).flatMap(([kind, make]) =>
  make().map(([schema, text], index) => ({ kind, name: `${kind} ${index + 1}`, schema, text })),
);

function quoted(text: string): string {
  return JSON.stringify(text);
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `p${index}`);
}

function object(count: number, property: (index: number) => unknown, isRequired = false): JsonSchema {
  const properties = Object.fromEntries(names(count).map((name, index) => [name, property(index)]));
  return isRequired ? { type: 'object', properties, required: names(count) } : { type: 'object', properties };
}

function members(count: number, value: (index: number) => string): string {
  return `{${names(count)
    .map((name, index) => `"${name}": ${value(index)}`)
    .join(', ')},}`;
}

function union(count: number, arm: (index: number) => JsonSchema): JsonSchema {
  return { anyOf: Array.from({ length: count }, (_, index) => arm(index)) };
}

/** Each level refers to the next one twice. */
function doubled(keyword: 'allOf' | 'anyOf' | 'oneOf', levels: number, hasOwn = false): JsonSchema {
  const $defs: Record<string, unknown> = { [`l${levels}`]: { type: 'object', properties: { a: { type: 'integer' } } } };
  for (let level = 0; level < levels; level++) {
    const next = { $ref: `#/$defs/l${level + 1}` };
    const own = hasOwn ? { properties: { [`q${level}`]: {} }, required: [`q${level}`] } : {};
    $defs[`l${level}`] = { [keyword]: [next, { ...next }], ...own };
  }
  return { $ref: '#/$defs/l0', $defs };
}

function recursiveObjects(arms: number): JsonSchema {
  return { $ref: '#/$defs/a', $defs: { a: union(arms, recursiveObject) } };
}

function recursiveObject(index: number): JsonSchema {
  return { type: 'object', properties: { n: { $ref: '#/$defs/a' } }, required: ['n', `r${index}`] };
}

function nested(depth: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
}

function chain(length: number, link: (next: { readonly $ref: string }) => JsonSchema): JsonSchema {
  const $defs: Record<string, unknown> = { [`c${length}`]: { type: 'string' } };
  for (let index = 0; index < length; index++) $defs[`c${index}`] = link({ $ref: `#/$defs/c${index + 1}` });
  return { $ref: '#/$defs/c0', $defs };
}

function nestedLists(depth: number): string {
  return `${'['.repeat(depth)}1${']'.repeat(depth)}`;
}
