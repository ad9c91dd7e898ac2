// `simple-agents heal`: one text, many lines, and every failure.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import type { HealResult } from '../../../heal/index.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

const folder = temporaryFolder().path;
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
writeFileSync(join(folder, 'person.json'), JSON.stringify(schema));
writeFileSync(join(folder, 'answer.txt'), 'Here you are:\n```json\n{"Name": "Ada", "age": "36"}\n```');
writeFileSync(join(folder, 'broken.json'), '{"type": ');
writeFileSync(join(folder, 'strange.json'), '{"type": "strnig"}');
writeFileSync(join(folder, 'list.json'), '[]');

function heal(argv: readonly string[], options: MemoryOptions = {}) {
  return runCli(['heal', ...argv], { cwd: folder, ...options });
}

describe('heal', () => {
  test('prints value, flags and confidence as JSON without a terminal', async () => {
    const { exitCode, out, err } = await heal([], { input: '{name: "Ada",}' });
    assert.equal(exitCode, 0);
    assert.equal(err, '');
    const { value, flags, confidence } = JSON.parse(out) as HealResult;
    assert.deepEqual(value, { name: 'Ada' });
    assert.ok(flags.some(({ kind }) => kind === 'fixed-trailing-comma'));
    assert.ok(confidence > 0.9 && confidence < 1);
  });

  test('reads a file, against a schema', async () => {
    const { exitCode, out } = await heal(['--schema', 'person.json', 'answer.txt']);
    assert.equal(exitCode, 0);
    assert.deepEqual((JSON.parse(out) as { value: unknown }).value, { name: 'Ada', age: 36 });
  });

  test('shows the value and each change with its path at a terminal', async () => {
    const env = { NO_COLOR: '1' };
    const { out } = await heal(['--schema', 'person.json', 'answer.txt'], { isTTY: true, env });
    assert.match(out, /^\{\n {2}"name": "Ada",\n {2}"age": 36\n\}\n\nconfidence 0\.9\d+: \d changes\n/);
    assert.match(out, /^ {2}type-coercion +age +string → integer$/m);
    assert.match(out, /^ {2}fuzzy-field-match +[Nn]ame +"Name" → "name"$/m);
    const coloured = await heal(['--schema', 'person.json', 'answer.txt'], { isTTY: true });
    assert.ok(coloured.out.includes('\u001b['));
  });

  test('reports if nothing was changed', async () => {
    const { out } = await heal(['--output', 'text'], { input: '[1, 2]' });
    assert.match(out, /confidence 1: nothing was changed\n$/);
  });

  test('--partial prints the certain part of an incomplete text', async () => {
    const { exitCode, out } = await heal(['--partial', '--schema', 'person.json'], { input: '{"name": "Ad' });
    assert.equal(exitCode, 0);
    assert.deepEqual((JSON.parse(out) as { value: unknown }).value, { name: 'Ad' });
    const none = await heal(['--partial', '--schema', 'person.json'], { input: 'Let me think' });
    assert.equal(none.exitCode, 7);
  });

  test('keeps all digits of a big integer', async () => {
    writeFileSync(join(folder, 'big.json'), '{"type": "integer", "x-type": "bigint"}');
    const { out } = await heal(['--schema', 'big.json'], { input: '123456789012345678901234567890' });
    assert.match(out, /"value": 123456789012345678901234567890,/);
  });
});

describe('heal that fails', () => {
  test('--strict: with the changes, and exit code 7', async () => {
    const { exitCode, out } = await heal(['--strict'], { input: '{"a": 1,}' });
    assert.equal(exitCode, 7);
    const { error } = JSON.parse(out) as { error: { kind: string; flags: { kind: string }[]; value: unknown } };
    assert.equal(error.kind, 'healing');
    assert.deepEqual(error.value, { a: 1 });
    assert.equal(error.flags[0]?.kind, 'fixed-trailing-comma');
  });

  test('--min-confidence: as text at a terminal', async () => {
    const options = { input: '{"a": 1,}', isTTY: true, env: { NO_COLOR: '1' } };
    const { exitCode, out, err } = await heal(['--min-confidence', '1'], options);
    assert.equal(exitCode, 7);
    assert.equal(out, '');
    assert.match(
      err,
      /^ {2}fixed-trailing-comma .*\nsimple-agents: the value is uncertain: confidence 1\.00 is below the minimum of 1\n/m,
    );
  });

  const wrong: Readonly<Record<string, [argv: string[], exitCode: number, message: RegExp]>> = {
    'a missing file': [['nothing.txt'], 2, /nothing\.txt: file not found/],
    'a directory': [['.'], 2, /is a directory/],
    'a missing schema': [['--schema', 'nothing.json'], 2, /--schema nothing\.json: file not found/],
    'a schema that is not JSON': [['--schema', 'broken.json'], 2, /--schema broken\.json: is not JSON/],
    'a schema that is not an object': [['--schema', 'list.json'], 2, /--schema list\.json: is not a JSON Schema/],
    'a schema with a wrong type': [['--schema', 'strange.json'], 2, /strnig/],
    'a confidence above 1': [['--min-confidence', '7'], 2, /between 0 and 1/],
  };
  for (const [what, [argv, code, message]] of Object.entries(wrong)) {
    test(what, async () => {
      const { exitCode, out, err } = await heal(argv, { input: '{}' });
      assert.equal(exitCode, code);
      assert.match(out + err, message);
    });
  }

  test('an empty text', async () => {
    const { exitCode, out } = await heal(['--schema', 'person.json'], { input: '' });
    assert.equal(exitCode, 7);
    assert.match(out, /the text contains no value/);
  });
});

async function healLines(lines: readonly unknown[], argv: readonly string[] = []) {
  const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const { exitCode, out } = await heal(['--jsonl', ...argv], { input });
  assert.equal(exitCode, 0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: unknown; value?: unknown; error?: { kind: string; message: string } });
}

describe('heal --jsonl', () => {
  test('gives one result per line, in order', async () => {
    const answers = await healLines([
      { id: 'a', text: '{"x": 1,}' },
      { id: 2, text: '{"name": "Ada", "age": "36"}', schema },
      '',
      { id: 3, text: '{"name": "Ad', mode: 'partial', schema },
    ]);
    assert.deepEqual(
      answers.map(({ id, value }) => [id, value]),
      [
        ['a', { x: 1 }],
        [2, { name: 'Ada', age: 36 }],
        [3, { name: 'Ad' }],
      ],
    );
    assert.deepEqual(Object.keys(answers[0] ?? {}), ['id', 'value', 'flags', 'confidence']);
  });

  test('gives a result for lines of any depth, and continues', async () => {
    const depth = 8000;
    const open = '{"a":'.repeat(depth);
    const closed = `${open}1${'}'.repeat(depth)}`;
    const recursive = { $ref: '#/$defs/node', $defs: { node: { properties: { a: { $ref: '#/$defs/node' } } } } };
    const lines = [
      { id: 1, text: closed },
      { id: 2, text: open },
      { id: 3, text: open, schema: recursive, options: { minConfidence: 0 } },
      { id: 4, text: open, mode: 'partial' },
      `{"id": 5, "text": "1", "schema": ${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}}`,
      `{"id": ${closed}, "text": "{}"}`,
      `{"id": ${closed}}`,
      { id: 8, text: '{"a": 1,}' },
    ];
    const answers = await healLines(lines);
    assert.equal(answers.length, lines.length);
    assert.deepEqual(answers.at(-1)?.value, { a: 1 });
    assert.deepEqual(
      answers.map(({ error }) => error?.kind),
      [undefined, undefined, undefined, undefined, 'invalid-schema', undefined, 'bad-request', undefined],
    );
    const { exitCode, out } = await heal(['--output', 'json'], { input: closed });
    assert.equal(exitCode, 0);
    assert.equal(JSON.stringify((JSON.parse(out) as { value: unknown }).value), closed);
  });

  test('reports an invalid line and continues', async () => {
    const answers = await healLines([
      'not json',
      '[1]',
      { id: 1 },
      { id: 2, text: 'x', mode: 'half' },
      { id: 3, text: 'x', options: { stict: true } },
      { id: 4, text: 'x', options: { strict: 1 } },
      { id: 5, text: 'x', schema: { type: 'strnig' } },
      { id: 6, text: '', mode: 'partial' },
      { id: 7, text: '{"name": "Ada"}', schema },
      { id: 8, text: '[1,]', options: { strict: true } },
      { id: 9, text: '[1]', options: { maxBytes: 2 } },
      { id: 10, text: '[1]' },
    ]);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.kind]),
      [
        [null, 'bad-request'],
        [null, 'bad-request'],
        [1, 'bad-request'],
        [2, 'bad-request'],
        [3, 'bad-request'],
        [4, 'bad-request'],
        [5, 'invalid-schema'],
        [6, 'no-value'],
        [7, 'missing-field'],
        [8, 'strict'],
        [9, 'too-large'],
        [10, undefined],
      ],
    );
    assert.equal(answers[4]?.error?.message.startsWith('options.stict: unknown option'), true);
    assert.deepEqual(Object.keys(answers[9]?.error ?? {}), ['kind', 'message', 'flags', 'confidence']);
  });

  test('uses the flags as defaults for lines', async () => {
    const lines = [
      { id: 1, text: '{"name": "Ada", "age": "36"}' },
      { id: 2, text: '{"name": "Ada", "age": "36"}', options: { strict: false } },
      { id: 3, text: '"5"', schema: { type: 'string' } },
    ];
    const answers = await healLines(lines, ['--schema', 'person.json', '--strict']);
    assert.deepEqual(
      answers.map(({ value, error }) => value ?? error?.kind),
      ['strict', { name: 'Ada', age: 36 }, '5'],
    );
  });

  test('ends lines only at LF, even if a character is split between chunks', async () => {
    const text = 'a\u2028b\rc é 🎈';
    const [answer] = await healLines([{ id: 1, text: JSON.stringify([text]) }]);
    assert.deepEqual(answer?.value, [text]);
  });
});
