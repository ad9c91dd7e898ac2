// The tool definitions that the model receives: names, arguments, required fields, and every limit and mode.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCodingTools } from './coding-tools.ts';

const tools = createCodingTools({ root: '/nonexistent', environment: {} });

interface Expected {
  readonly effect: 'pure' | 'mutating';
  readonly properties: readonly string[];
  readonly required: readonly string[];
  /** In the description. */
  readonly says: readonly RegExp[];
}

const expected: Readonly<Record<string, Expected>> = {
  Read: {
    effect: 'pure',
    properties: ['file_path', 'offset', 'limit'],
    required: ['file_path'],
    says: [/1 MB/, /offset and limit/, /counted from 1/, /NUL/, /images/, /3\.75 MB/],
  },
  Glob: {
    effect: 'pure',
    properties: ['pattern', 'path', 'recursive'],
    required: [],
    says: [
      /Two modes/,
      /Without pattern/,
      /With pattern/,
      /recursive.*Default false/,
      /1000 entries/,
      /\.git, .*node_modules, target/,
      /\.gitignore/,
    ],
  },
  Grep: {
    effect: 'pure',
    properties: ['pattern', 'path', 'glob', 'ignore_case'],
    required: ['pattern'],
    says: [/ripgrep/, /50 matches/, /500 characters/, /ignore_case/, /\.gitignore/],
  },
  Bash: {
    effect: 'mutating',
    properties: ['command', 'timeout'],
    required: ['command'],
    says: [/120 s/, /600000/, /100 KB/, /head and tail/, /standard input is empty/, /secret/, /background/, /sandbox/],
  },
  Edit: {
    effect: 'mutating',
    properties: ['file_path', 'old_str', 'new_str', 'replace_all'],
    required: ['file_path', 'old_str', 'new_str'],
    says: [
      /exact/,
      /more than once/,
      /replace_all/,
      /empty old_str.*created.*appended/,
      /100 KB/,
      /10 MB/,
      /line breaks/,
    ],
  },
  Write: {
    effect: 'mutating',
    properties: ['file_path', 'content'],
    required: ['file_path', 'content'],
    says: [/1 MB/, /replaced/, /missing folders/],
  },
};

describe('the coding tools', () => {
  test('are these and no others', () => {
    assert.deepEqual(
      tools.map(({ definition }) => definition.name),
      Object.keys(expected),
    );
  });

  for (const { definition, effect } of tools) {
    test(definition.name, () => {
      const { inputSchema, description } = definition;
      const wanted = expected[definition.name];
      assert.ok(wanted);
      assert.equal(effect, wanted.effect);
      const properties = inputSchema['properties'] as Record<string, { description?: string; type?: string }>;
      assert.deepEqual(Object.keys(properties), wanted.properties);
      assert.deepEqual(inputSchema['required'], wanted.required);
      for (const sentence of wanted.says) assert.match(description ?? '', sentence);
      for (const property of Object.values(properties)) assert.ok(property.description && property.type);
    });
  }
});
