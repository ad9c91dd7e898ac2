// References by URI, anchor and pointer, and those that are rejected by name.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heal } from '../heal.ts';
import { HealError } from '../report/error.ts';
import { compileSchema } from './schema-compiler.ts';
import type { JsonSchema } from './schema.ts';
import { resolveUri } from './uri.ts';

const text = { type: 'string' };

const resolved: Readonly<Record<string, JsonSchema>> = {
  'to the URI of the root': {
    $id: 'https://a.example/b.json',
    $ref: 'https://a.example/b.json#/$defs/x',
    $defs: { x: text },
  },
  'to the id of the root in draft 4': {
    id: 'https://a.example/b',
    $ref: 'https://a.example/b#/definitions/x',
    definitions: { x: text },
  },
  'to a relative URI': {
    $id: 'https://a.example/b/c.json',
    $ref: '../d.json',
    $defs: { x: { $id: '/d.json', ...text } },
  },
  'to an anchor': { $ref: '#name', $defs: { x: { $anchor: 'name', ...text } } },
  'to an anchor of draft 7': { $ref: '#name', definitions: { x: { $id: '#name', ...text } } },
  'to an anchor of draft 4': { $ref: '#name', definitions: { x: { id: '#name', ...text } } },
  'inside a schema with its own URI': {
    $ref: '#/$defs/x',
    $defs: { y: { type: 'integer' }, x: { $id: 'https://a.example/x', $ref: '#/$defs/y', $defs: { y: text } } },
  },
  'from the root, below a meaningless $id': {
    $ref: '#/definitions/x',
    definitions: { x: { $id: '/properties/x', $ref: '#/definitions/y' }, y: text },
  },
  'to a URN': { $id: 'urn:example:a', $ref: 'urn:example:a#/$defs/x', $defs: { x: text } },
  'with an escaped name': { $anchor: 'a', $ref: '#b', $defs: { 'a/b~c%d': { $anchor: 'b', ...text } } },
  'that are dynamic with one target': { $dynamicRef: '#node', $defs: { x: { $dynamicAnchor: 'node', ...text } } },
};

describe('references', () => {
  for (const [name, schema] of Object.entries(resolved)) {
    test(name, () => {
      const given = structuredClone(schema);
      assert.equal(compileSchema(schema).node.kind, 'string');
      assert.equal(heal('"x"', schema).value, 'x');
      assert.deepEqual(schema, given, 'the schema itself is not changed');
    });
  }

  test('an identifier inside data is none', () => {
    const schema = { $ref: '#name', $defs: { a: { const: { $anchor: 'name' } }, b: { $anchor: 'name', ...text } } };
    assert.equal(compileSchema(schema).node.kind, 'string');
  });

  test('a schema with pointers alone is compiled as it is', () => {
    const schema = { $ref: '#/$defs/x', $defs: { x: text } };
    assert.equal(compileSchema(schema).root, schema);
  });
});

describe('rejected by name', () => {
  const anchors = {
    $defs: { x: { $dynamicAnchor: 'n', ...text }, y: { $id: 'y', $dynamicAnchor: 'n', type: 'null' } },
  };
  const rejected: readonly [JsonSchema, RegExp][] = [
    [{ $ref: 'https://b.example/other.json' }, /the \$ref https:\/\/b\.example/],
    [{ properties: { a: { $ref: '#nowhere' } } }, /the \$ref #nowhere, which does not exist/],
    [{ $dynamicRef: '#n', ...anchors }, /uses \$dynamicRef/],
    [{ $schema: 'https://b.example/my-dialect', ...text }, /the \$schema https:\/\/b\.example/],
  ];
  for (const [schema, message] of rejected) {
    test(JSON.stringify(schema), () => {
      assert.throws(
        () => compileSchema(schema),
        (error) => error instanceof HealError && error.kind === 'invalid-schema' && message.test(error.message),
      );
    });
  }

  test('but every draft is read', () => {
    for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://json-schema.org/draft/2020-12/schema'])
      assert.equal(compileSchema({ $schema, ...text }).node.kind, 'string');
  });
});

test('URI references are resolved as RFC 3986 says', () => {
  const base = 'http://a/b/c/d;p';
  const cases: Readonly<Record<string, string>> = {
    g: 'http://a/b/c/g',
    './g': 'http://a/b/c/g',
    'g/': 'http://a/b/c/g/',
    '/g': 'http://a/g',
    '//g': 'http://g',
    '../g': 'http://a/b/g',
    '../../g': 'http://a/g',
    '../../../g': 'http://a/g',
    'urn:x': 'urn:x',
    '': base,
  };
  for (const [reference, uri] of Object.entries(cases)) assert.equal(resolveUri(base, reference), uri, reference);
});
