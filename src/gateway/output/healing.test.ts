// Healing of tool-call arguments at the end of their block: what is healed, what is unchanged, what is never completed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble, MessageAssembler } from '../../core/assembler.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { text, type ToolCallBlock } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest, ToolDefinition } from '../../core/request.ts';
import { createSimulatedProvider } from '../../testing/model/provider.ts';
import type { Script } from '../../testing/model/script.ts';
import { withHealing, type HealingSettings } from './healing.ts';

const never = new AbortController().signal;

const forecast: ToolDefinition = {
  name: 'forecast',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 7 } },
    required: ['city', 'days'],
  },
};

const request: ChatRequest = {
  model: 'simulated',
  messages: [{ role: 'user', content: [text('The forecast, please')] }],
  tools: [forecast],
};

async function read(provider: Provider, asked = request): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of await provider.open(asked, never)) events.push(event);
  return events;
}

/** The events of a call with these arguments. */
function call(rawInput: string, settings: HealingSettings = {}, stopReason?: StopReason): Promise<StreamEvent[]> {
  const reply = { toolCalls: [{ name: 'forecast', rawInput }], ...(stopReason === undefined ? {} : { stopReason }) };
  return read(withHealing(createSimulatedProvider({ script: { replies: [reply] } }), settings));
}

function callIn(events: readonly StreamEvent[]): ToolCallBlock | undefined {
  return assemble(events).content.find((block) => block.type === 'tool-call');
}

describe('arguments that are not JSON', () => {
  test('are healed, typed and flagged, and the original text is kept', async () => {
    const raw = "{city: 'Rome', days: 3,}";
    const healed = callIn(await call(raw));
    assert.deepEqual(healed?.input, { city: 'Rome', days: 3 });
    assert.equal(healed?.raw, raw);
    assert.equal(healed?.error, undefined);
    assert.ok(healed?.flags?.some(({ kind }) => kind === 'fixed-trailing-comma'));
  });

  test('leave the deltas unchanged', async () => {
    const raw = '{"city": "Rome", "days": 3,}';
    const events = await call(raw);
    const written = events.map((event) => (event.type === 'tool-call-delta' ? event.json : '')).join('');
    assert.equal(written, raw);
  });

  test('without a value stay an error that says what is missing', async () => {
    const left = callIn(await call('{"city": "Rome"'));
    assert.equal(left?.input, null);
    assert.equal(left?.raw, '{"city": "Rome"');
    assert.match(left?.error ?? '', /^the arguments do not match the tool's schema: days: required/);
  });
});

describe('arguments that are JSON', () => {
  test('pass unchanged if they match the schema', async () => {
    const [events, plain] = [await call('{"city":"Rome","days":3}'), createSimulatedProvider({ script: fitting })];
    assert.deepEqual(events, await read(plain));
  });

  test('are healed to match the schema', async () => {
    const healed = callIn(await call('{"city":"Rome","days":"3"}'));
    assert.deepEqual(healed?.input, { city: 'Rome', days: 3 });
    assert.equal(healed?.raw, '{"city":"Rome","days":"3"}');
    assert.deepEqual(
      healed?.flags?.map(({ kind, path }) => [kind, path]),
      [['type-coercion', ['days']]],
    );
  });

  test('that cannot be healed keep their input, with an error that names the field', async () => {
    const left = callIn(await call('{"city":"Rome","days":{"count":"a few"}}'));
    assert.deepEqual(left?.input, { city: 'Rome', days: { count: 'a few' } });
    assert.match(left?.error ?? '', /days/);
  });
});

const fitting: Script = { replies: [{ toolCalls: [{ name: 'forecast', rawInput: '{"city":"Rome","days":3}' }] }] };

describe('a call that was cut off by the length limit', () => {
  for (const raw of ['{"city": "Rome", "days": 3', '{"city": "Rome", "days": 3,', '{"city": "Ro', '{', '']) {
    test(`is not completed: ${JSON.stringify(raw)}`, async () => {
      const events = await call(raw, {}, 'length');
      const end = events.find((event) => event.type === 'block-end');
      assert.equal(end?.type === 'block-end' && end.block.type === 'tool-call' && end.block.flags, undefined);
      const { content, dropped } = assemble(events);
      if (raw === '') return;
      assert.deepEqual(content, []);
      assert.equal(dropped[0]?.raw, raw);
    });
  }

  test('does not prevent the healing of a complete one before it', async () => {
    const toolCalls = [
      { name: 'forecast', rawInput: '{"city":"Rome","days":"3"}' },
      { name: 'forecast', rawInput: '{"city":"Oslo","da' },
    ];
    const script: Script = { replies: [{ toolCalls, stopReason: 'length' }] };
    const { content, dropped } = assemble(await read(withHealing(createSimulatedProvider({ script }))));
    assert.deepEqual(
      content.map((block) => block.type === 'tool-call' && block.input),
      [{ city: 'Rome', days: 3 }],
    );
    assert.equal(dropped.length, 1);
  });
});

describe('the settings', () => {
  test('strict: any change is an error', async () => {
    const left = callIn(await call('{"city":"Rome","days":3,}', { strict: true }));
    assert.match(left?.error ?? '', /the text had to be changed: fixed-trailing-comma/);
  });

  test('coerceTypes: false keeps types as they are', async () => {
    const left = callIn(await call('{"city":"Rome","days":"3"}', { coerceTypes: false }));
    assert.match(left?.error ?? '', /days|fits/);
    assert.equal(left?.flags, undefined);
  });

  test('enabled: false is the provider itself', () => {
    const provider = createSimulatedProvider();
    assert.equal(withHealing(provider, { enabled: false }), provider);
  });
});

describe('healing does not change', () => {
  test('the stream of a request without tools', async () => {
    const stream = {} as ModelStream;
    const provider: Provider = { name: 'fixed', open: () => Promise.resolve(stream) };
    const { tools: _tools, ...plain } = request;
    assert.equal(await withHealing(provider).open(plain, never), stream);
  });

  test('a call of an unknown tool, or with an unreadable schema', async () => {
    const script: Script = { replies: [{ toolCalls: [{ name: 'other', rawInput: '{"a":1,}' }] }] };
    const unknown = callIn(await read(withHealing(createSimulatedProvider({ script }))));
    assert.equal(unknown?.error, 'the arguments are not valid JSON');
    const strange = { ...forecast, inputSchema: { properties: { city: { $ref: 'https://elsewhere' } } } };
    const provider = withHealing(createSimulatedProvider({ script: fitting }));
    assert.deepEqual(callIn(await read(provider, { ...request, tools: [strange] }))?.input, { city: 'Rome', days: 3 });
  });

  test('a call that is already healed', async () => {
    const script: Script = { replies: [{ toolCalls: [{ name: 'forecast', rawInput: "{city:'Rome',days:3}" }] }] };
    const once = await read(withHealing(createSimulatedProvider({ script })));
    assert.deepEqual(await read(withHealing(withHealing(createSimulatedProvider({ script })))), once);
  });

  test('the order of a failure and the events before it', async () => {
    const failure = new SimpleAgentsError('upstream', 'gone');
    const end: StreamEvent = {
      type: 'block-end',
      index: 0,
      block: { type: 'tool-call', id: '1', name: 'forecast', input: null, raw: '{"city', error: 'not JSON' },
    };
    const provider: Provider = {
      name: 'failing',
      open: () =>
        Promise.resolve({
          target: 'failing',
          ended: Promise.resolve({ type: 'left', usage: { input: 0, output: 0 } }),
          // oxlint-disable-next-line typescript/require-await -- a stream that needs no waiting
          async *[Symbol.asyncIterator]() {
            yield end;
            throw failure;
          },
        }),
    };
    const assembler = new MessageAssembler();
    const seen: StreamEvent[] = [];
    await assert.rejects(async () => {
      for await (const event of await withHealing(provider).open(request, never)) {
        seen.push(event);
        assembler.push(event);
      }
    }, failure);
    assert.deepEqual(seen, [end]);
  });
});
