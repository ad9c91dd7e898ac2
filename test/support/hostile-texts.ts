// Texts designed to be expensive to parse, or to fit to a schema, in any length.

import type { JsonSchema } from '../../src/heal/index.ts';

export type HostileText = (length: number) => string;

function repeated(part: string, before = '', after = ''): HostileText {
  return (length) => before + part.repeat(Math.ceil(length / part.length)) + after;
}

export const hostileTexts: Readonly<Record<string, HostileText>> = {
  'open lists': repeated('['),
  'open objects': repeated('{'),
  'open members': repeated('{"a":'),
  'open lists of objects': repeated('[{"a":'),
  // Without the comma it would be valid JSON, which JSON.parse reads.
  'nesting, closed': (length) => `${'['.repeat(length / 2)},${']'.repeat(length / 2)}`,
  'nesting, mismatched': repeated('[{(', '', '])}'),
  'closers only': repeated(']}'),
  'objects never closed': repeated('{"a": 1, '),
  'quotes': repeated('"'),
  'quotes in a list': repeated('"', '['),
  'alternating quotes': repeated(`"'`),
  'smart quotes': repeated('“”‘’', '{'),
  'triple quotes': repeated('""" ', '["""'),
  'backslashes': repeated('\\'),
  'backslashes in a string': repeated('\\', '"'),
  'escaped quotes': repeated('\\"', '{'),
  'quotes as HTML': repeated('&quot;', '{'),
  'half escapes': repeated('\\u12', '{"a": "'),
  'commas': repeated(','),
  'commas in a list': repeated(',', '['),
  'commas and spaces': repeated(',          ', '{"a": "x"'),
  'colons': repeated(':', '{"a"'),
  'keys only': repeated('"a" ', '{'),
  'inner quotes in a member': repeated('x "y" ', '{"a": "'),
  'inner quotes before commas': repeated('a", b ', '["'),
  'inner quotes before keys': repeated('a", b: ', '{"a": "'),
  'inner quotes before brackets': repeated('a"} ', '{"a": "'),
  'a string without end': repeated('word, ', '{"a": "'),
  'a string of line breaks': repeated('\n', '{"a": "'),
  'a string of brackets': repeated('{[', '{"a": "'),
  'a string of closing brackets': repeated('}\n', '{"a": "x'),
  'items without end quotes': repeated('"abc\n', '['),
  'objects without end quotes': repeated('{"a": "x\n}\n'),
  'objects without end quotes, far apart': repeated(`{"a": "x\n}\n${'prose '.repeat(330)}`),
  'joined strings': repeated('"ab" + ', '['),
  'lists for keys': repeated('], [1', '{"a": [1'),
  'lists for keys in a list of lists': repeated('"x"], ["y"], ', '{"a": [[1], '),
  'doubled braces': repeated('{{"a":'),
  'groups': repeated('("a"), ', '['),
  'wrong end quotes': repeated('x”}], ', '[{"a": "'),
  'opening quotes only': repeated('«a, ', '['),
  'words and written line breaks': repeated('a\\n', '{"a": '),
  'a key that runs over a list': repeated('1, ', '{"a: ['),
  'spaces behind a quote': repeated(' ', '{"a": "b"'),
  'bare words': repeated('a b ', '{'),
  'bare words in lists': repeated('[a '),
  'one bare word': repeated('a', '{"a": '),
  'digits': repeated('9', '['),
  'digit groups': repeated('1,234,', '{"a": '),
  'minus signs': repeated('-', '['),
  'fences': repeated('```'),
  'fences with languages': repeated('```json\n{'),
  'back-ticks in a value': repeated('`', '{"a": '),
  'think tags': repeated('<think>{'),
  'closed think tags': repeated('</think>'),
  'angle brackets': repeated('<'),
  'block comments': repeated('"/*', '["/*'),
  'slashes': repeated('/', '['),
  'line comments': repeated('// a\n', '['),
  'hashes': repeated('# ', '{'),
  'prose with brackets': repeated('word { and [ '),
  'ellipses': repeated('...', '['),
  'pluses': repeated('"a" + ', '['),
  'calls': repeated('Date(', '['),
  'many small values': repeated('{"a":1} '),
  'many duplicate keys': repeated('"a":1,', '{'),
  'lines of keys': repeated('a: b\n'),
  'spaces': repeated(' '),
  'NULs': repeated('\0', '"'),
  'lone surrogates': repeated('\ud800', '{"a": "'),
};

/** A schema, and texts that are expensive to fit to it. */
export interface TypedHostileText {
  readonly schema: JsonSchema;
  readonly text: HostileText;
}

const tools: JsonSchema = {
  anyOf: ['get_weather', 'send_email', 'set_reminder'].map((tool) => ({
    type: 'object',
    properties: { tool: { const: tool }, text: { type: 'string' }, minutes: { type: 'integer' } },
    required: ['tool', 'text', 'minutes'],
    additionalProperties: false,
  })),
};

const tree: JsonSchema = {
  type: 'object',
  properties: {
    value: { type: 'integer' },
    left: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
    right: { anyOf: [{ $ref: '#' }, { type: 'array', items: { $ref: '#' } }] },
  },
  required: ['value'],
};

const wide: JsonSchema = {
  type: 'array',
  items: {
    anyOf: Array.from({ length: 40 }, (_, index) => ({
      type: 'object',
      properties: { kind: { const: `kind ${index}` }, [`field${index}`]: { type: 'number' }, note: { type: 'string' } },
      required: ['kind', `field${index}`],
    })),
  },
};

const optionalKeys: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key_${index}`, { type: 'integer' }])),
  },
};

const enumList: JsonSchema = {
  type: 'array',
  items: { enum: Array.from({ length: 100 }, (_, index) => `value number ${index}`) },
};

export const typedHostileTexts: Readonly<Record<string, TypedHostileText>> = {
  'echoed schemas': { schema: tools, text: repeated(`${JSON.stringify(tools)}\n`) },
  'echoed schemas, damaged': {
    schema: tools,
    text: repeated(
      '{"tool":{"type":"object","properties":{"tool":{"const":"send_email"},"required":["tool","text":"}},\n',
    ),
  },
  'echoed schemas in a list': { schema: wide, text: repeated(`${JSON.stringify(wide)},`, '[') },
  'a wide union, wrong fields': { schema: wide, text: repeated('{"kind": "kind 39", "field_38": "1,5"}, ', '[') },
  'a wide union, unknown kinds': {
    schema: wide,
    text: repeated('{"kind": "other", "note": "kind 3 or kind 4"}, ', '['),
  },
  'a recursive type, never closed': { schema: tree, text: repeated('{"value": "1", "right": [') },
  'a recursive type, wrong kinds': { schema: tree, text: repeated('{"value": {"left": {"value": [', '', ']') },
  'many optional keys, similar': {
    schema: optionalKeys,
    text: repeated('{"Key 7": "1", "KEY-8": "x", "other": 2}, ', '['),
  },
  'many optional keys, unknown': { schema: optionalKeys, text: repeated('{"a": {"key_1": {"key_2": 3}}}, ', '[') },
  'enum lists, misspelled': { schema: enumList, text: repeated('"Value  NUMBER 9 9", ', '[') },
  'enum lists, mentioned': { schema: enumList, text: repeated('"it is value number 5 or so", ', '[') },
  'enum lists in prose': { schema: enumList, text: repeated('value number 5, then value number 6. ') },
};
