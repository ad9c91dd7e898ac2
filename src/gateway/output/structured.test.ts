// Structured output in each of the three ways: the request to the model, and the same response in each case.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assemble, type AssembledMessage } from '../../core/assembler.ts';
import type { Notice, StreamEvent } from '../../core/event.ts';
import type { JsonSchema } from '../../core/json.ts';
import { text, textOf } from '../../core/message.ts';
import type { Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest, ToolDefinition } from '../../core/request.ts';
import { createSimulatedProvider } from '../../testing/model/provider.ts';
import type { ScriptedReply } from '../../testing/model/script.ts';
import type { Capabilities } from '../../providers/vendors.ts';
import { withStructuredOutput } from './structured.ts';

const never = new AbortController().signal;
const schema: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
};
const list: JsonSchema = { type: 'array', items: { type: 'string' } };
const lookup: ToolDefinition = { name: 'lookup', inputSchema: { type: 'object' } };

const capabilities: Capabilities = {
  tools: true,
  images: false,
  audio: false,
  documents: false,
  reasoning: true,
  responseFormat: 'none',
};

interface Asked {
  /** The request that reached the model. */
  readonly sent: ChatRequest;
  readonly events: readonly StreamEvent[];
  readonly message: AssembledMessage;
  readonly outcome: Outcome;
}

async function ask(
  able: Partial<Capabilities>,
  request: Partial<ChatRequest> = {},
  reply?: ScriptedReply,
): Promise<Asked> {
  const model = createSimulatedProvider(reply === undefined ? {} : { script: { replies: [reply] } });
  let sent: ChatRequest | undefined;
  const spy: Provider = {
    name: 'spy',
    open(given, signal) {
      sent = given;
      return model.open(given, signal);
    },
  };
  const stream = await withStructuredOutput(spy, { ...capabilities, ...able }).open(
    {
      model: 'simulated',
      messages: [{ role: 'user', content: [text('Invent a person')] }],
      responseFormat: { type: 'json-schema', schema },
      ...request,
    },
    never,
  );
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  assert.ok(sent !== undefined);
  return { sent, events, message: assemble(events), outcome: await stream.ended };
}

describe('the vendor’s own structured output', () => {
  test('gets the schema unchanged if the vendor accepts any', async () => {
    const { sent } = await ask({ responseFormat: 'json-schema' });
    assert.deepEqual(sent.responseFormat, { type: 'json-schema', schema });
    assert.equal(sent.tools, undefined);
  });

  test('gets it closed, with its bounds in the description, if the vendor compiles it', async () => {
    const { sent } = await ask({ responseFormat: 'json-schema', schemas: 'closed' });
    const properties = { name: { type: 'string' }, age: { type: 'integer', description: '(minimum: 0)' } };
    const closed = { ...schema, properties, additionalProperties: false };
    assert.deepEqual(sent.responseFormat, { type: 'json-schema', schema: closed });
  });

  test('is strict if the vendor can guarantee the schema', async () => {
    const { sent } = await ask({ responseFormat: 'json-schema', schemas: 'strict' });
    const expected = { type: 'json-schema', strict: true, schema: { ...schema, additionalProperties: false } };
    assert.deepEqual(sent.responseFormat, expected);
  });

  test('is not strict if the vendor cannot guarantee the schema, or if the caller decided so', async () => {
    const optional = { ...schema, required: ['name'] };
    for (const format of [{ schema: optional }, { schema, strict: false }, { schema: optional, strict: true }]) {
      const responseFormat = { type: 'json-schema', ...format } as const;
      const { sent } = await ask({ responseFormat: 'json-schema', schemas: 'strict' }, { responseFormat });
      assert.deepEqual(sent.responseFormat, responseFormat);
    }
  });

  test('is not used for schemas that it cannot express', async () => {
    const map = { type: 'object', additionalProperties: { type: 'number' } };
    const responseFormat = { type: 'json-schema', schema: map } as const;
    const { sent } = await ask({ responseFormat: 'json-schema', schemas: 'closed' }, { responseFormat });
    assert.equal(sent.responseFormat, undefined);
    assert.deepEqual(sent.toolChoice, { name: 'respond' });
  });
});

describe('a forced tool', () => {
  test('returns its arguments as the text of the response', async () => {
    const { sent, events, message, outcome } = await ask({});
    assert.deepEqual(sent.toolChoice, { name: 'respond' });
    assert.deepEqual((sent.tools as ToolDefinition[])[0]?.inputSchema, schema);
    assert.equal(sent.responseFormat, undefined);
    assert.equal(message.stopReason, 'end');
    assert.equal(outcome.type === 'complete' && outcome.stopReason, 'end');
    const answer = textOf(message.content);
    assert.deepEqual(Object.keys(JSON.parse(answer) as object), ['name', 'age']);
    const streamed = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    assert.equal(streamed, answer);
  });

  test('drops other text, and reports it', async () => {
    const { events, message } = await ask(
      {},
      {},
      { text: 'Gladly!', toolCalls: [{ name: 'respond', input: { a: 1 } }] },
    );
    assert.equal(textOf(message.content), '{"a":1}');
    const notices = events.filter((event): event is Notice => event.type === 'notice');
    assert.deepEqual(
      notices.map(({ kind }) => kind),
      ['warning'],
    );
  });

  test('keeps the text of a model that does not call it', async () => {
    const { message } = await ask({}, {}, { text: '{"name":"Ada","age":3}' });
    assert.equal(textOf(message.content), '{"name":"Ada","age":3}');
  });

  test('keeps arguments that are not JSON unchanged', async () => {
    const { message } = await ask({}, {}, { toolCalls: [{ name: 'respond', rawInput: '{name: "Ada",' }] });
    assert.equal(textOf(message.content), '{name: "Ada",');
  });

  test('is added to the caller’s own tools, which may be called first', async () => {
    const reply = { text: 'I look it up.', toolCalls: [{ name: 'lookup', input: {} }] };
    const { sent, message } = await ask({}, { tools: [lookup] }, reply);
    assert.equal(sent.toolChoice, 'required');
    assert.deepEqual(
      sent.tools?.map((tool) => 'name' in tool && tool.name),
      ['lookup', 'respond'],
    );
    assert.equal(message.stopReason, 'tool-calls');
    assert.deepEqual(
      message.content.map(({ type }) => type),
      ['text', 'tool-call'],
    );
  });

  test('has a unique name', async () => {
    const { sent } = await ask({}, { tools: [{ ...lookup, name: 'respond' }], toolChoice: 'none' });
    assert.deepEqual(sent.toolChoice, { name: 'respond_' });
    assert.equal(sent.tools?.length, 1);
  });
});

describe('an instruction in the prompt', () => {
  const cases: Readonly<Record<string, [Partial<Capabilities>, Partial<ChatRequest>]>> = {
    'where there are no tools': [{ tools: false }, {}],
    'while the model thinks': [{}, { reasoning: { effort: 'high' } }],
    'where one of the caller’s own tools is forced': [{}, { tools: [lookup], toolChoice: { name: 'lookup' } }],
    'for a value that is no object': [
      { responseFormat: 'json-schema' },
      { responseFormat: { type: 'json-schema', schema: list } },
    ],
  };
  for (const [when, [able, request]] of Object.entries(cases)) {
    test(when, async () => {
      const { sent } = await ask(able, request, { text: '[]' });
      const [instructions, turn] = sent.messages;
      assert.equal(instructions?.role, 'system');
      const format = request.responseFormat ?? { schema };
      assert.ok(
        textOf(instructions?.content ?? []).includes(JSON.stringify((format as { schema: JsonSchema }).schema)),
      );
      assert.equal(turn?.role, 'user');
      assert.equal(sent.responseFormat, undefined);
    });
  }

  test('follows the caller’s own, with plain JSON mode if there is one', async () => {
    const messages = [
      { role: 'system', content: [text('Be brief.')] },
      { role: 'user', content: [text('Who?')] },
    ] as const;
    const { sent } = await ask({ tools: false, responseFormat: 'json' }, { messages });
    assert.deepEqual(
      sent.messages.map(({ role }) => role),
      ['system', 'system', 'user'],
    );
    assert.equal(sent.messages[0], messages[0]);
    assert.deepEqual(sent.responseFormat, { type: 'json' });
  });
});

test('a request without a schema passes unchanged', async () => {
  const { sent } = await ask({}, { responseFormat: { type: 'text' } });
  assert.deepEqual(sent.responseFormat, { type: 'text' });
});
