// Schemas that demand too much of a sampler, each with what the simulated model has to do: reject it by naming the
// constraint, or produce a value within the limits.

export interface HostileConstraint {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The error. Left out: a bounded value. */
  readonly refusal?: RegExp;
}

const values = /asks for more than the simulated model produces \(10000 values\)/u;
const characters = /asks for more than the simulated model produces \(262144 characters\)/u;

function object(part: unknown): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: { part }, required: ['part'] };
}

function refused(part: unknown, refusal: RegExp): HostileConstraint {
  return { schema: object(part), refusal };
}

function bounded(part: unknown): HostileConstraint {
  return { schema: object(part) };
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named(count: number, make: (index: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  return many(levels, () => 0).reduce<unknown>((inner) => wrap(inner), { type: 'string' });
}

const lists = (count: number, items: unknown) => ({ type: 'array', minItems: count, items });
const twice = (inner: unknown, required: boolean) => ({
  type: 'object',
  properties: { left: inner, right: inner },
  ...(required ? { required: ['left', 'right'] } : {}),
});
const doubled = (required: boolean) => ({
  ...object({ $ref: '#/$defs/d0' }),
  $defs: {
    d60: {},
    ...Object.fromEntries(many(60, (index) => [`d${index}`, twice({ $ref: `#/$defs/d${index + 1}` }, required)])),
  },
});

export const hostileConstraints: Readonly<Record<string, HostileConstraint>> = {
  'minItems 3e7': refused(lists(3e7, { type: 'string' }), /minItems 30000000 at part asks for more/u),
  'minItems 1e308': refused(lists(1e308, {}), values),
  'minItems in minItems in minItems': refused(
    lists(1000, lists(1000, lists(1000, {}))),
    /minItems 1000 at part\[\]\[\]/u,
  ),
  'minItems of distinct booleans': bounded({ ...lists(5000, { type: 'boolean' }), uniqueItems: true }),
  'minItems of long constants': refused(lists(1000, { const: 'x'.repeat(1000) }), characters),
  'minItems of long enumerated values': refused(lists(1000, { enum: ['x'.repeat(1000)] }), characters),
  'minItems of large constants': refused(lists(100, { const: many(1000, () => 0) }), values),
  'minItems of long names': refused(lists(100, { type: 'object', required: ['x'.repeat(10_000)] }), characters),
  'minItems of wide objects': refused(
    lists(1000, { type: 'object', required: many(100, (index) => `p${index}`) }),
    values,
  ),
  'minItems of many alternatives': refused(lists(9000, { anyOf: many(2000, (index) => ({ const: index })) }), /steps/u),
  'minItems of a long pattern': bounded(lists(50, { type: 'string', pattern: `^${'a?'.repeat(20_000)}` })),
  'a constant 100 deep': refused({ const: nested(100, (inner) => [inner]) }, /const at part .* \(40 levels\)/u),
  'minLength 4e8': refused({ type: 'string', minLength: 4e8 }, /minLength 400000000 at part asks for more/u),
  'minLength and a pattern': refused({ type: 'string', minLength: 4e8, pattern: '^a*$' }, characters),
  'minLength and a format': refused({ type: 'string', minLength: 4e8, format: 'date' }, characters),
  'minLength behind a reference': {
    schema: { ...object({ $ref: '#/$defs/s' }), $defs: { s: { minLength: 4e8 } } },
    refusal: characters,
  },
  'nested repeats': refused({ type: 'string', pattern: '^((a{1000}){1000}){1000}$' }, /pattern at part asks for more/u),
  'one huge repeat': refused({ type: 'string', pattern: 'a{400000000}' }, characters),
  'nested repeats of nothing': refused(
    { type: 'string', pattern: '((((){1000}){1000}){1000}){1000}' },
    /pattern at part/u,
  ),
  'nested optional repeats': bounded({ type: 'string', pattern: '((a{0,1000}){0,1000}){0,1000}' }),
  'nested stars': bounded({ type: 'string', pattern: `${'('.repeat(90)}a${')*'.repeat(90)}` }),
  'groups nested deep': bounded({ type: 'string', pattern: `${'('.repeat(3000)}a${')'.repeat(3000)}` }),
  'a pattern that backtracks': bounded({ type: 'string', pattern: '((a|a){1000})b^c' }),
  'an empty class': bounded({ type: 'string', pattern: '[]' }),
  'required names': refused(
    { type: 'object', required: many(50_000, (index) => `p${index}`) },
    /required \(50000 names\)/u,
  ),
  'required in required': refused(
    {
      type: 'object',
      properties: named(200, () => ({ type: 'object', required: many(200, (index) => `q${index}`) })),
      required: many(200, (index) => `p${index}`),
    },
    values,
  ),
  'minProperties 1e9': refused({ type: 'object', minProperties: 1e9 }, /minProperties 1000000000 at part/u),
  'minProperties of few names': bounded({ type: 'object', minProperties: 9000, propertyNames: { pattern: '^[ab]$' } }),
  'optional properties': bounded({ type: 'object', properties: named(20_000, () => ({ type: 'string' })) }),
  'doubled references': { schema: doubled(true), refusal: values },
  'doubled optional references': { schema: doubled(false) },
  'a schema that is its own allOf twice': { schema: { type: 'object', allOf: [{ $ref: '#' }, { $ref: '#' }] } },
  'references in a circle': {
    schema: {
      ...object({ $ref: '#/$defs/a' }),
      $defs: { a: { $ref: '#/$defs/b', title: 'a' }, b: { $ref: '#/$defs/a', title: 'b' } },
    },
  },
  'a reference that cannot be decoded': bounded({ $ref: '#/$defs/%zz' }),
  'a required self': { schema: object({ $ref: '#' }) },
  'allOf of many parts': bounded({
    allOf: many(5000, (index) => ({ properties: named(1, () => ({ title: `t${index}` })) })),
  }),
  'allOf nested deep': bounded(nested(100, (inner) => ({ allOf: [inner] }))),
  'many alternatives': bounded({ anyOf: many(20_000, (index) => ({ const: index })) }),
  'alternatives of which one is small': bounded({
    anyOf: [lists(3e7, {}), { type: 'string', minLength: 4e8 }, { type: 'null' }],
  }),
  'prefixItems, all optional': bounded({ type: 'array', prefixItems: many(20_000, () => ({ type: 'string' })) }),
  'prefixItems, all wanted': refused(
    { type: 'array', minItems: 20_000, prefixItems: many(20_000, () => ({})) },
    values,
  ),
  'dependentSchemas': bounded({ type: 'object', dependentSchemas: named(5000, () => lists(3e7, {})) }),
  'numbers beyond all bounds': bounded({ type: 'number', minimum: -1.7e308, maximum: 1.7e308 }),
  'multipleOf a huge number': bounded({ type: 'number', multipleOf: 1e308, minimum: 1.5e308 }),
  'multipleOf a tiny number': bounded({ type: 'number', multipleOf: 5e-324, minimum: 1e308 }),
  'integers beyond precision': bounded({ type: 'integer', minimum: 1e300, maximum: 1e305 }),
  'keywords named like methods': bounded({
    allOf: [
      { constructor: 1, toString: 2 },
      { constructor: 3, toString: 4 },
    ],
  }),
  'a schema nested 10,000 deep': refused(
    nested(10_000, (inner) => ({ type: 'array', items: inner })),
    /nested deeper than 1000 levels/u,
  ),
  'a schema nested 10,000 deep in anyOf': refused(
    nested(10_000, (inner) => ({ anyOf: [inner] })),
    /nested deeper than 1000 levels/u,
  ),
  'a schema of too many parts': refused({ anyOf: many(60_000, () => ({})) }, /more than 50000 parts/u),
  'a schema of too many characters': refused(
    { enum: many(3, () => 'x'.repeat(500_000)) },
    /longer than 1000000 characters/u,
  ),
};
