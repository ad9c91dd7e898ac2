// Every short sequence of special characters inside the strings of valid JSON, read by the lenient machine. Repairs of
// quotes, brackets and commas must not affect the content of strings.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HealSession } from '../../src/heal/session.ts';
import { readJson } from '../support/json-reference.ts';

const marks = ["'", ',', ']', '}', ':', '{', '[', ' ', 'a', '\\n', '\\"', '“', '”'];
const phrases = ["'a', 'b'", "'b': 1", '\\"b\\": 1', '//', '/*', '# ', '<think>', '```', ';', '(', ')', '=', '…', '`'];

describe('the content of a string is never read as structure', () => {
  test('in one string', () => {
    const texts = [
      (content: string) => `["${content}"]`,
      (content: string) => `["${content}", "b"]`,
      (content: string) => `{"a": "${content}"}`,
      (content: string) => `{"a": "${content}", "b": "c"}`,
      (content: string) => `{"${content}": "b", "c": "d"}`,
      (content: string) => `[{"a": "${content}"}]`,
      (content: string) => `{"o": ["${content}"], "b": 1}`,
      (content: string) => `{"o": {"a": "${content}"}, "b": "c"}`,
    ];
    for (const content of [...rowsOf(marks, 4), ...rowsOf([...marks, ...phrases], 3)]) {
      for (const write of texts) assertRead(write(content));
    }
  });

  test('in two strings', () => {
    const texts = [
      (first: string, second: string) => `["${first}","${second}"]`,
      (first: string, second: string) => `["${first}", 1, "${second}"]`,
      (first: string, second: string) => `[["${first}"], "${second}"]`,
      (first: string, second: string) => `{"${first}":"${second}"}`,
      (first: string, second: string) => `{"a": "${first}", "${second}": "b"}`,
      (first: string, second: string) => `{"a": "${first}", "b": "${second}"}`,
      (first: string, second: string) => `{"${first}": 1, "b": "${second}"}`,
      (first: string, second: string) => `{"a": ["${first}"], "${second}": 1}`,
      (first: string, second: string) => `[{"a": "${first}"}, {"${second}": 1}]`,
      (first: string, second: string) => `{"b": {"a": "${first}"}, "${second}": 1}`,
    ];
    const contents = rowsOf(marks, 2);
    for (const first of contents) {
      for (const second of contents) {
        for (const write of texts) assertRead(write(first, second));
      }
    }
  });
});

/** All sequences of the parts, up to this length. */
function rowsOf(parts: readonly string[], longest: number): string[] {
  const shorter = longest === 0 ? [] : rowsOf(parts, longest - 1);
  return ['', ...shorter.flatMap((row) => parts.map((part) => row + part))];
}

function assertRead(text: string): void {
  const session = new HealSession(undefined, {});
  session.push(text);
  const { value, flags } = session.finish();
  assert.deepEqual(value, readJson(text), text);
  assert.deepEqual(
    flags.filter(({ kind }) => kind !== 'duplicate-key'),
    [],
    text,
  );
}
