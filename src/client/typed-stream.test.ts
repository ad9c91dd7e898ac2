// The types that the client's overloads infer (checked by the compiler), and the conversion of a typed request.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { sameType } from '../../test/support/same-type.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest, ToolDefinition } from '../core/request.ts';
import { streamDone, streamState, type NodeState } from '../heal/index.ts';
import { createSimulatedProvider } from '../testing/model/provider.ts';
import { createClient } from '../node.ts';
import type { Completion } from './completion.ts';
import type { TypedRequestInput } from './request.ts';
import type { CompletionStream } from './completion-stream.ts';
import type { TypedStream } from './typed-stream.ts';
import type { TypedCompletion } from './typed.ts';

const schema = z.object({
  name: z.string(),
  motto: streamDone(z.string()),
  mood: streamState(z.enum(['calm', 'wild'])),
});
type Value = z.infer<typeof schema>;
interface Partial {
  name?: string;
  motto?: string;
  mood: { value: 'calm' | 'wild' | null; state: NodeState };
}
const tools: readonly ToolDefinition[] = [{ name: 'look', inputSchema: { type: 'object' } }];

describe('the type of a response', () => {
  const client = createClient({ provider: createSimulatedProvider() });

  test('has the value of its schema', async () => {
    const typed = client.complete({ messages: 'Hello', schema });
    sameType<typeof typed, Promise<TypedCompletion<Value>>>(true);
    const { value } = await client.complete({ messages: 'Hello', schema: z.object({ sizes: z.array(z.number()) }) });
    sameType<typeof value, { sizes: number[] }>(true);
    const plain = await client.complete({ messages: 'Hello', schema: { type: 'object' } });
    sameType<typeof plain.value, unknown>(true);
    await typed;
  });

  test('may have no value while tools are called', () => {
    const ask: TypedRequestInput<typeof schema> = { messages: 'Hello', schema, tools };
    const unsure = client.stream(ask);
    sameType<typeof unsure, TypedStream<Value | undefined, Partial>>(true);
    const called = client.stream({ messages: 'Hello', schema, tools });
    sameType<typeof called, TypedStream<Value | undefined, Partial>>(true);
  });

  test('has partials that show the annotations', () => {
    const stream = client.stream({ messages: 'Hello', schema });
    sameType<typeof stream, TypedStream<Value, Partial>>(true);
  });

  test('is plain without a schema', async () => {
    const short = client.complete([{ role: 'user', content: 'Hello!' }], 'gpt-4');
    sameType<typeof short, Promise<Completion>>(true);
    const stream = client.stream('Hello');
    sameType<typeof stream, CompletionStream>(true);
    await short;
  });

  test('rejects contradictory requests', () => {
    // @ts-expect-error -- the schema is the response format
    client.stream({ messages: 'Hello', schema, responseFormat: { type: 'json' } });
    // @ts-expect-error -- a schema is an object
    client.stream({ messages: 'Hello', schema: 5 });
  });
});

async function sentFor(ask: TypedRequestInput): Promise<ChatRequest> {
  const model = createSimulatedProvider();
  const sent: ChatRequest[] = [];
  const spy: Provider = {
    name: 'spy',
    open(request, signal) {
      sent.push(request);
      return model.open(request, signal);
    },
  };
  await createClient({ provider: spy }).complete(ask);
  assert.equal(sent.length, 1);
  return sent[0] as ChatRequest;
}

describe('a typed request', () => {
  test('has the schema without the annotations for healing, with its data unchanged', async () => {
    const written = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        'x-ray': { type: 'string', 'x-alias': ['röntgen'], default: 'x-', examples: [{ 'x-kept': 1 }] },
        parts: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/part' }, { type: 'null', 'x-stream': 'done' }] } },
      },
      required: ['x-ray', 'parts'],
      $defs: { part: { enum: ['a'], 'x-enum-aliases': { a: ['first'] } } },
    };
    const { responseFormat, ...rest } = await sentFor({ messages: 'Hello', schema: written });
    assert.deepEqual(responseFormat, {
      type: 'json-schema',
      schema: {
        type: 'object',
        properties: {
          'x-ray': { type: 'string', default: 'x-', examples: [{ 'x-kept': 1 }] },
          parts: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/part' }, { type: 'null' }] } },
        },
        required: ['x-ray', 'parts'],
        $defs: { part: { enum: ['a'] } },
      },
    });
    assert.ok(!('schema' in rest) && !('healing' in rest));
  });

  test('cannot have a response format as well', async () => {
    const ask = { messages: 'Hello', schema, responseFormat: { type: 'json' } } as TypedRequestInput;
    await assert.rejects(createClient({ provider: createSimulatedProvider() }).complete(ask), {
      kind: 'bad-request',
      field: 'responseFormat',
    });
  });

  test('can be cancelled', async () => {
    const client = createClient({ provider: createSimulatedProvider({ tokensPerSecond: 20 }) });
    const stream = client.stream({ messages: 'Hello', schema });
    for await (const _partial of stream.partials()) break;
    await assert.rejects(stream.final(), /cancelled before its end/);
    await assert.rejects(async () => {
      for await (const _event of stream);
    }, /only once/);
    const signal = AbortSignal.abort();
    await assert.rejects(client.complete({ messages: 'Hello', schema, signal }), { name: 'AbortError' });
  });
});
