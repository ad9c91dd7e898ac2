// Tool arguments: notation is corrected, but content is never completed or guessed, unless guessing is allowed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { describeGuesses, healArguments } from './arguments.ts';
import { HealError } from './report/error.ts';
import { flagTable, isGuess, type FlagKind } from './report/flag.ts';
import type { JsonSchema } from './schema/schema.ts';
import { healArgumentText } from './stream/committed-text.ts';
import { cutEvery } from '../../test/support/chunks.ts';

const bash = {
  type: 'object',
  properties: { command: { type: 'string' }, timeout: { type: 'integer', default: 1000 } },
  required: ['command'],
} as const;

const write = {
  type: 'object',
  properties: { file_path: { type: 'string' }, content: { type: 'string' } },
  required: ['file_path', 'content'],
} as const;

describe('healArguments accepts', () => {
  const cases: readonly (readonly [what: string, text: string, kind: FlagKind])[] = [
    ['single quotes', "{'command': 'ls', 'timeout': 5}", 'fixed-quotes'],
    ['a trailing comma', '{"command": "ls", "timeout": 5,}', 'fixed-trailing-comma'],
    ['a code fence', '```json\n{"command": "ls", "timeout": 5}\n```', 'stripped-markdown'],
    ['text around the object', 'I call: {"command": "ls", "timeout": 5}', 'stripped-prose'],
    ['a key without quotes', '{command: "ls", timeout: 5}', 'unquoted-key'],
    ['a value of another type', '{"command": "ls", "timeout": "5"}', 'type-coercion'],
    ['another spelling of a key', '{"Command": "ls", "timeout": 5}', 'fuzzy-field-match'],
    ['a default', '{"command": "ls"}', 'used-default-value'],
    ['a note in brackets', '{"command": "ls", "timeout": 5}\nSee [1].', 'stripped-value'],
    ['words in braces', 'The format is {key: value}. {"command": "ls", "timeout": 5}', 'stripped-value'],
    ['an object without a known key', '{"status": "thinking"}\n{"command": "ls"}', 'stripped-value'],
    ['an escaped apostrophe', String.raw`{"command": "echo it\'s", "timeout": 5}`, 'fixed-quotes'],
  ];
  for (const [what, text, kind] of cases) {
    test(what, () => {
      const { value, flags } = healArguments(text, bash);
      assert.ok(
        flags.some((flag) => flag.kind === kind),
        JSON.stringify(flags),
      );
      const stream = healArgumentText(bash);
      const sent = cutEvery(text, 3).map((chunk) => stream.push(chunk));
      assert.deepEqual(JSON.parse(sent.join('') + stream.end().text), value);
    });
  }

  test('empty text if nothing is required', () => {
    assert.deepEqual(healArguments(' ', { type: 'object', properties: {} }).value, {});
  });
});

describe('healArguments rejects, unless guessing is allowed,', () => {
  const list = {
    type: 'object',
    properties: { ids: { type: 'array', items: { type: 'integer' } } },
    required: ['ids'],
  };
  const withoutDefault = { ...bash.properties, timeout: { type: 'integer' } };
  const cases: readonly (readonly [text: string, schema: JsonSchema, kind: FlagKind])[] = [
    ['{"command":"rm -rf data/', bash, 'closed-truncated'],
    ['{"command":"awk \'{print $1}', bash, 'inserted-quote'],
    ['{"command": "ls"} {"command": "rm"}', bash, 'chose-value'],
    ['{"command": ["rm", "data"]} {"command": "ls"}', bash, 'chose-value'],
    ['[{"command": {}}]\n{"command": "ls"}', bash, 'chose-value'],
    ['{"tool": {"COMMAND": []}}\n{"command": "ls"}', bash, 'chose-value'],
    ['{"command": "ls"}\n{"', bash, 'chose-value'],
    ['{"command": "ls", "timeout": 5.6}', bash, 'rounded-number'],
    ['{"command": {rm: all}}', bash, 'used-source-text'],
    ['{"command": "ls", "timeout": "soon"}', { ...bash, properties: withoutDefault }, 'dropped-value'],
    ['{"Command": "ls", "COMMAND": "rm"}', bash, 'ambiguous-key'],
    [String.raw`{"command": "grep \d+ file"}`, bash, 'fixed-escape'],
    ['{"ids": [1, "x"]}', list, 'dropped-item'],
    ['{"ids": [1, 2, ...]}', list, 'stripped-ellipsis'],
    ['command: rm -rf data/', bash, 'closed-truncated'],
    ['<think>Perhaps {"command": "rm -rf data/"}', bash, 'chose-value'],
    ['<think>{"command": "rm -rf data/"} No.</think>', bash, 'chose-value'],
  ];
  for (const [text, schema, kind] of cases) {
    test(`${kind}: ${text}`, () => {
      assert.throws(
        () => healArguments(text, schema),
        (error) => error instanceof HealError && error.kind === 'guess' && error.message.includes(kind),
      );
      const { flags } = healArguments(text, schema, { mayGuess: true });
      assert.ok(flags.some((flag) => flag.kind === kind));
    });
  }

  for (const [text, schema, kind] of cases.filter(([, , each]) => each === 'chose-value')) {
    test(`${kind}, also in a stream: ${text}`, () => {
      for (const size of [1, 3, text.length]) {
        const stream = healArgumentText(schema);
        for (const chunk of cutEvery(text, size)) stream.push(chunk);
        assert.throws(() => stream.end(), { name: 'HealError', kind: 'guess' });
      }
    });
  }
});

test('rejects one guess among thousands of changes', () => {
  const text = `{"ids": [${"'1', ".repeat(3000)}5.6]}`;
  const schema = { type: 'object', properties: { ids: { type: 'array', items: { type: 'integer' } } } } as const;
  assert.throws(() => healArguments(text, schema), { kind: 'guess', message: /rounded-number/ });
});

test('rejects a call truncated anywhere, unless the remaining part is complete', () => {
  const calls = [
    [{ command: 'rm -rf data/', timeout: 120 }, bash],
    [{ command: `awk '{print $1, "x"}' a.txt > b.txt && echo "{done}"` }, bash],
    [{ file_path: 'a.json', content: '{"a": [1, 2], "b": "c"}\n[\n"d"\n]\n' }, write],
    [{ file_path: 'src/a.ts', content: 'if (a) { b("x, y"); } // done\n}\n' }, write],
  ] as const;
  for (const [input, schema] of calls) {
    for (const indent of [0, 2]) {
      const whole = JSON.stringify(input, undefined, indent);
      for (let length = 0; length < whole.length; length++) {
        const cut = whole.slice(0, length);
        assert.throws(() => healArguments(cut, schema), HealError, cut);
      }
    }
  }
});

test('the table lists every kind of change, and an unknown kind counts as a guess', () => {
  assert.ok(isGuess({ kind: 'no-such-change' }));
  for (const [kind, row] of Object.entries(flagTable)) assert.equal(isGuess({ kind }), row.isGuess);
});

test('a description names the paths, up to a limit', () => {
  const guesses = Array.from({ length: 7 }, (_, index) => ({ kind: 'dropped-item', path: ['ids', index] }));
  assert.match(describeGuesses(guesses), /\(dropped-item at ids\[0\], .* and 2 more\)$/);
  assert.match(describeGuesses([{ kind: 'chose-value', path: [] }]), /\(chose-value\)$/);
});
