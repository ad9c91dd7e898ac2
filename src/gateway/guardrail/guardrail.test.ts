// Guardrails on streams: nothing leaks however a stream is cut, order is kept, and the result is that of the whole text.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { Block } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import { noUsage } from '../../core/usage.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { withGuardrail } from './guardrail.ts';
import { HeldText } from './held-text.ts';
import { filterText, type TextFilter } from './text-filter.ts';

const secret = 'sk-4f9a-é😀-77';
const request = { model: 'm', messages: [] };

function redact(pattern: RegExp, window: number): TextFilter {
  return {
    window,
    *find(text, from) {
      pattern.lastIndex = from;
      for (const { index, 0: found } of text.matchAll(pattern)) {
        yield { start: index, end: index + found.length, replacement: '[gone]' };
      }
    },
  };
}

const filter = redact(/sk-4f9a-é😀-77/gu, secret.length);

function modelOf(events: readonly StreamEvent[], failure?: Error): Provider {
  async function* read(): AsyncGenerator<StreamEvent> {
    yield* events;
    if (failure !== undefined) throw failure;
  }
  const ended = Promise.resolve(
    failure === undefined
      ? ({ type: 'complete', stopReason: 'end', usage: noUsage } as const)
      : ({ type: 'failed', error: failure, usage: noUsage } as const),
  );
  const bytes = { wire: 'openai-chat', form: 'stream', async *[Symbol.asyncIterator]() {} } as const;
  const stream: ModelStream = { target: 'm', ended, bytes, [Symbol.asyncIterator]: read };
  return { name: 'm', open: () => Promise.resolve(stream) };
}

async function run(events: readonly StreamEvent[], failure?: Error, using = filter) {
  const stream = await withGuardrail(modelOf(events, failure), using).open(request, new AbortController().signal);
  const seen: StreamEvent[] = [];
  try {
    for await (const event of stream) seen.push(event);
    return { stream, seen, error: undefined };
  } catch (error) {
    return { stream, seen, error };
  }
}

const end: StreamEvent = { type: 'message-end', stopReason: 'end', usage: noUsage };
const start: StreamEvent = { type: 'message-start', id: '1', model: 'm' };

/** All texts of a response, as a client that joins them would see them. */
function shown(events: readonly StreamEvent[]): string {
  const joined = { text: '', reasoning: '', json: '' };
  for (const event of events) {
    if (event.type === 'text-delta') joined.text += event.text;
    else if (event.type === 'reasoning-delta') joined.reasoning += event.text;
    else if (event.type === 'tool-call-delta') joined.json += event.json;
  }
  const ends = events.flatMap((event) => (event.type === 'block-end' ? JSON.stringify(event.block) : []));
  return [joined.text, joined.reasoning, joined.json, ...ends].join('\n');
}

function parts(text: string, cuts: readonly number[]): string[] {
  return [0, ...cuts].map((cut, ordinal) => text.slice(cut, cuts[ordinal] ?? text.length));
}

describe('text', () => {
  const whole = `a ${secret} b ${secret}${secret} sk-4f9a- c`;
  const expected = 'a [gone] b [gone][gone] sk-4f9a- c';

  test('is the same for every cut, and every pair of cuts', async () => {
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const held = new HeldText(filter);
        let out = '';
        for (const part of parts(whole, [first, second])) {
          held.push(part);
          out += held.take(Infinity).text;
          assert.ok(!out.includes('sk-4f9a-é'), `cut at ${first} and ${second}`);
          assert.ok(out.isWellFormed() || !part.isWellFormed(), `cut at ${first} and ${second}`);
        }
        held.finish();
        assert.equal(out + held.take(Infinity).text, expected, `cut at ${first} and ${second}`);
      }
    }
  });

  test('is held back by the window only, one character at a time', () => {
    const held = new HeldText(redact(/xyz/g, 3));
    const out = Array.from('abcxyzd', (character) => {
      held.push(character);
      return held.take(Infinity).text;
    });
    assert.deepEqual(out, ['', '', 'a', 'b', 'c', '', '[gone]']);
  });

  test('is held while a finding of any length may go on', () => {
    const held = new HeldText(redact(/key-\w+/g, 5));
    for (const part of ['so key-a', 'b'.repeat(500), 'c', ' end']) held.push(part);
    held.finish();
    assert.equal(held.take(Infinity).text, 'so [gone] end');
  });

  test('that never ends is an error, not a leak', () => {
    const held = new HeldText(redact(/key-\w+/g, 5));
    assert.throws(
      () => {
        for (let turn = 0; turn < 40; turn++) held.push(turn === 0 ? 'key-' : 'b'.repeat(1000));
      },
      failsWith('bad-response', /held back more than/),
    );
    assert.equal(held.take(Infinity).text, '');
  });

  test('sees the text before it, for patterns with boundaries', () => {
    const pattern = redact(/(?<!\d)\d{4}(?!\d)/g, 6);
    for (const numbers of ['1234', '12345', 'a1234b 123456 9999', '1 2345 67890']) {
      for (let cut = 0; cut <= numbers.length; cut++) {
        const held = new HeldText(pattern);
        for (const part of parts(numbers, [cut])) held.push(part);
        held.finish();
        assert.equal(held.take(Infinity).text, filterText(pattern, numbers), `${numbers} cut at ${cut}`);
      }
    }
  });

  test('of overlapping findings is replaced completely', () => {
    const overlapping: TextFilter = {
      window: 10,
      find: () => [
        { start: 0, end: 4, replacement: 'x' },
        { start: 2, end: 6, replacement: 'y' },
      ],
    };
    assert.equal(filterText(overlapping, 'abcdefgh'), 'xgh');
  });
});

describe('events', () => {
  test('of every kind leak nothing, split at every place, also between blocks', async () => {
    for (let cut = 0; cut <= secret.length; cut++) {
      const [head = '', tail = ''] = parts(secret, [cut]);
      const json = JSON.stringify({ key: secret });
      const jsonCut = Math.floor((json.length * cut) / secret.length);
      const events: StreamEvent[] = [
        start,
        { type: 'reasoning-delta', index: 0, text: `think ${head}` },
        { type: 'reasoning-delta', index: 0, text: tail },
        { type: 'block-end', index: 0, block: { type: 'reasoning', text: `think ${secret}`, signature: 's' } },
        ...(head === '' ? [] : [{ type: 'text-delta', index: 1, text: head } as const]),
        { type: 'block-end', index: 1, block: { type: 'text', text: head } },
        ...(tail === '' ? [] : [{ type: 'text-delta', index: 2, text: tail } as const]),
        { type: 'block-end', index: 2, block: { type: 'text', text: tail, citations: [{ quote: secret }] } },
        { type: 'tool-call-start', index: 3, id: 'c', name: 'save' },
        { type: 'tool-call-delta', index: 3, json: json.slice(0, jsonCut) },
        { type: 'tool-call-delta', index: 3, json: json.slice(jsonCut) },
        { type: 'block-end', index: 3, block: { type: 'tool-call', id: 'c', name: 'save', input: { key: secret } } },
        end,
      ];
      const { seen, stream } = await run(events);
      const all = shown(seen);
      assert.ok(!all.includes(secret) && !all.includes('4f9a'), all);
      assert.ok(all.startsWith('[gone]\nthink [gone]\n{"key":"[gone]"}'), all);
      assert.equal(stream.bytes, undefined);
      const order = seen.map((event) => ('index' in event ? event.index : -1)).filter((index) => index >= 0);
      assert.deepEqual(
        order,
        order.toSorted((left, right) => left - right),
      );
      const reasoning = seen.find((event) => event.type === 'block-end' && event.block.type === 'reasoning');
      assert.ok(reasoning?.type === 'block-end' && !('signature' in reasoning.block));
    }
  });

  test('leak nothing in what a wire keeps beside the text', async () => {
    const extra = { wire: 'openai-responses', members: { summary: [{ type: 'summary_text', text: secret }] } };
    const blocks: Block[] = [
      { type: 'reasoning', text: `why ${secret}`, signature: 'signed', extra },
      { type: 'reasoning', text: 'why', signature: 'signed', extra },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA' }, extra },
      { type: 'document', source: { kind: 'base64', mediaType: 'text/plain', data: 'AA' }, title: secret },
    ];
    const { seen } = await run([
      start,
      ...blocks.map((block, index) => ({ type: 'block-end', index, block }) as const),
      end,
    ]);
    assert.doesNotMatch(JSON.stringify(seen), /sk-4f9a|signed/);
    assert.match(JSON.stringify(seen), /"data":"AA"/);
  });

  test('keep what has no finding unchanged, with its signature and its spelling', async () => {
    const block = { type: 'reasoning', text: 'ok', signature: 's' } as const;
    const call = { type: 'tool-call', id: 'c', name: 'save', input: { a: 1 } } as const;
    const events: StreamEvent[] = [
      start,
      { type: 'reasoning-delta', index: 0, text: 'ok' },
      { type: 'block-end', index: 0, block },
      { type: 'text-delta', index: 1, text: 'hello' },
      { type: 'block-end', index: 1, block: { type: 'text', text: 'hello' } },
      { type: 'tool-call-start', index: 2, id: 'c', name: 'save' },
      { type: 'tool-call-delta', index: 2, json: '{ "a": 1 }' },
      { type: 'block-end', index: 2, block: call },
      end,
    ];
    assert.deepEqual((await run(events)).seen, events);
  });

  test('hide nothing in escapes, repeated members, numbers or broken JSON of arguments', async () => {
    const escaped = 'sk-4f9a-é'.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const cases = [
      `{"key":"${escaped}😀-77"}`,
      `{"key":"${secret}","key":"harmless"}`,
      `{"${secret}":1}`,
      `{"key":"${secret}`,
      `{"key":"${escaped}😀-77`,
    ];
    for (const json of cases) {
      let input: unknown = null;
      let error: string | undefined = 'not JSON';
      try {
        input = JSON.parse(json);
        error = undefined;
      } catch {
        // Some arguments are broken on purpose.
      }
      const block = { type: 'tool-call', id: 'c', name: 'save', input, ...(error && { error, raw: json }) } as const;
      const { seen } = await run([
        start,
        { type: 'tool-call-start', index: 0, id: 'c', name: 'save' },
        { type: 'tool-call-delta', index: 0, json },
        { type: 'block-end', index: 0, block },
        end,
      ]);
      const all = shown(seen);
      assert.ok(!all.includes('4f9a') && !all.includes(escaped), all);
    }
    const digits = redact(/\d{16}/g, 16);
    const block = { type: 'tool-call', id: 'c', name: 'pay', input: { card: 4111111111111111 } } as const;
    const { seen } = await run([start, { type: 'block-end', index: 0, block }, end], undefined, digits);
    assert.ok(shown(seen).includes('{"card":"[gone]"}'), shown(seen));
  });

  test('are judged when a block has no deltas, or ends with another text', async () => {
    const { seen } = await run([
      start,
      { type: 'block-end', index: 0, block: { type: 'text', text: `a ${secret}` } },
      { type: 'text-delta', index: 1, text: 'draft' },
      { type: 'block-end', index: 1, block: { type: 'text', text: `final ${secret}` } },
      { type: 'block-end', index: 2, block: { type: 'opaque', origin: { wire: 'w' }, data: { inner: [secret] } } },
      { type: 'notice', kind: 'warning', detail: secret },
      { ...end, extra: { wire: 'w', members: { note: secret } } },
    ]);
    assert.ok(!JSON.stringify(seen).includes('4f9a'), JSON.stringify(seen));
    assert.ok(shown(seen).includes('a [gone]') && shown(seen).includes('final [gone]'));
  });

  test('leak nothing in any member of any kind of block', async () => {
    const extra = { wire: 'w', members: { summary: [{ text: secret }] } };
    const blocks: readonly Block[] = [
      { type: 'text', text: secret, citations: [secret], extra },
      { type: 'reasoning', text: 'harmless', signature: 's', extra },
      { type: 'reasoning', text: '', redacted: 'r', extra },
      { type: 'tool-call', id: secret, name: secret, input: { a: [secret] }, raw: secret, extra },
      { type: 'tool-call', id: 'i', name: 'n', input: null, raw: secret, error: 'not JSON', extra },
      { type: 'image', source: { kind: 'url', url: `https://x/${secret}` }, extra },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' }, extra },
      { type: 'document', source: { kind: 'text', text: secret }, title: secret, extra },
      { type: 'audio', format: 'wav', data: 'AAAA', transcript: secret },
      { type: 'opaque', origin: { wire: 'w' }, data: { [secret]: secret } },
    ];
    for (const block of blocks) {
      const { seen } = await run([start, { type: 'block-end', index: 0, block }, end]);
      assert.equal(seen.length, 3);
      assert.ok(!JSON.stringify(seen).includes('4f9a'), JSON.stringify(seen));
    }
    const call: Block = { type: 'tool-call', id: 'i', name: 'n', input: { a: 1 }, raw: secret };
    const delta: StreamEvent = { type: 'tool-call-delta', index: 0, json: '{"a":1}' };
    const { seen } = await run([start, delta, { type: 'block-end', index: 0, block: call }, end]);
    assert.ok(!JSON.stringify(seen).includes('4f9a'), JSON.stringify(seen));
  });

  test('that were held back are dropped when the stream fails, and the error is filtered', async () => {
    const failure = new SimpleAgentsError('bad-response', `cannot read ${secret}`, { text: secret });
    const [head = ''] = parts(secret, [secret.length - 1]);
    const { seen, error, stream } = await run([start, { type: 'text-delta', index: 0, text: `a ${head}` }], failure);
    assert.equal(shown(seen), 'a \n\n'.slice(0, shown(seen).length));
    assert.ok(failsWith('bad-response', /^cannot read \[gone\]$/, { text: '[gone]' })(error));
    const outcome = await stream.ended;
    assert.ok(outcome.type === 'failed' && !String(outcome.error).includes('4f9a'));
  });

  test('end with the error that a filter throws', async () => {
    const strict: TextFilter = {
      window: 5,
      find(text) {
        if (text.includes('bomb')) throw new SimpleAgentsError('bad-response', 'blocked');
        return [];
      },
    };
    const { seen, error } = await run(
      [start, { type: 'text-delta', index: 0, text: 'a bomb' }, end],
      undefined,
      strict,
    );
    assert.ok(failsWith('bad-response', /^blocked$/)(error));
    assert.deepEqual(seen, [start]);
  });
});

describe('a filter that returns nonsense fails the response, and no text passes', () => {
  const text = `the ${secret} in the text`;
  const results: Readonly<Record<string, (length: number) => unknown>> = {
    'an end before the start': () => at(5, 2),
    'an end at the start': () => at(5, 5),
    'no start': () => at(undefined, 5),
    'no end': () => at(0, undefined),
    'NaN': () => at(Number.NaN, 5),
    'NaN as end': () => at(0, Number.NaN),
    'an infinite end': () => at(0, Infinity),
    'a negative start': () => at(-1, 5),
    'a fraction': () => at(0.5, 5),
    'positions as text': () => at('0', '5'),
    'an end behind the text': (length) => at(0, length + 1),
    'a start behind the text': (length) => at(length + 5, length + 9),
    'a replacement that is no text': () => at(0, 5, 7),
    'no replacement': () => [{ start: 0, end: 5 }],
    'an action instead of a range': () => [{ action: 'block' }],
    'a good finding before a bad one': () => [...at(0, 5), ...at(5, 2)],
    'undefined': () => undefined,
    'null': () => null,
    'true': () => true,
    'a text': () => '',
    'one finding without a list': () => ({ start: 0, end: 5, replacement: '' }),
    'a list of nothing': () => [null],
    'a list with a hole': () => Array.from({ length: 1 }),
    'a promise': () => Promise.resolve([]),
  };
  const json = JSON.stringify({ note: text });
  const inputs: Readonly<Record<string, readonly StreamEvent[]>> = {
    text: [
      { type: 'text-delta', index: 0, text },
      { type: 'block-end', index: 0, block: { type: 'text', text } },
    ],
    'a tool call': [
      { type: 'tool-call-start', index: 0, id: 'c', name: 'save' },
      { type: 'tool-call-delta', index: 0, json },
      { type: 'block-end', index: 0, block: { type: 'tool-call', id: 'c', name: 'save', input: { note: text } } },
    ],
    'a block without deltas': [{ type: 'block-end', index: 0, block: { type: 'reasoning', text } }],
    'a notice': [{ type: 'notice', kind: 'warning', detail: text }],
  };

  for (const [what, find] of Object.entries(results)) {
    test(what, async () => {
      const broken: TextFilter = { name: 'pii', window: 5, find: ({ length }) => find(length) as [] };
      for (const [where, events] of Object.entries(inputs)) {
        const { seen, error, stream } = await run([start, ...events, end], undefined, broken);
        assert.ok(failsWith('internal', /^the guardrail "pii" returned an invalid result: .* must /)(error), where);
        assert.ok(!JSON.stringify(seen).includes('4f9a'), where);
        const outcome = await stream.ended;
        assert.ok(outcome.type === 'failed' && outcome.error === error, where);
      }
    });
  }

  test('so does an error that it cannot judge, when the call is opened and later', async () => {
    const broken: TextFilter = { window: 5, find: () => [{ start: 5, end: 2, replacement: '' }] };
    const failure = new SimpleAgentsError('upstream', `failed at ${secret}`);
    const { error, stream } = await run([start], failure, broken);
    assert.ok(failsWith('internal', /^a guardrail returned an invalid result/)(error));
    const outcome = await stream.ended;
    assert.ok(outcome.type === 'failed' && !String(outcome.error).includes('4f9a'));
    const model: Provider = { name: 'm', open: () => Promise.reject(failure) };
    const opening = withGuardrail(model, broken).open(request, new AbortController().signal);
    await assert.rejects(opening, failsWith('internal', /^a guardrail returned/));
  });

  for (const window of [Number.NaN, 0, -1, 1.5, '400', undefined]) {
    test(`a window of ${JSON.stringify(window)} (${typeof window}) is refused`, () => {
      const broken = { window, find: () => [] } as unknown as TextFilter;
      assert.throws(
        () => withGuardrail(modelOf([]), broken),
        failsWith('configuration', /no function find\(\) or no window/),
      );
    });
  }
});

function at(from: unknown, to: unknown, replacement: unknown = '') {
  return [{ start: from, end: to, replacement }];
}
