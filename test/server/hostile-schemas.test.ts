// Schemas that are too large or too expensive are rejected with 400 in the client's wire, and patterns that the linear
// engine cannot check are reported.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask, startBoth, type TestGateway } from '../support/gateway-server.ts';

const wide = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 25_000 }, (_, index) => [`p${index}`, {}])),
};
const fits = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] };

/** Each entry point with a schema, and the name of the field in its wire. */
const doors: Readonly<Record<string, (schema: object) => readonly [path: string, body: object, field: string]>> = {
  'a response format of OpenAI': (schema) => [
    '/v1/chat/completions',
    ask('openai/m', 'Go.', { 'response_format': { type: 'json_schema', 'json_schema': { name: 'x', schema } } }),
    'response_format',
  ],
  'an output format of Anthropic': (schema) => [
    '/v1/messages',
    ask('anthropic/m', 'Go.', { 'output_config': { format: { type: 'json_schema', schema } } }),
    'output_config.format',
  ],
  'a tool of OpenAI': (schema) => [
    '/v1/chat/completions',
    ask('openai/m', 'Go.', { tools: [{ type: 'function', function: { name: 't', parameters: schema } }] }),
    'tools',
  ],
  'a tool of Anthropic': (schema) => [
    '/v1/messages',
    ask('anthropic/m', 'Go.', { tools: [{ name: 't', 'input_schema': schema }] }),
    'tools',
  ],
};

async function heal(gateway: TestGateway, body: object): Promise<{ status: number; body: HealBody }> {
  const response = await gateway.post('/v1/heal', body);
  return { status: response.status, body: (await response.json()) as HealBody };
}

interface HealBody {
  readonly value?: unknown;
  readonly flags?: readonly { readonly kind: string }[];
  readonly error?: { readonly message: string; readonly param: string | null };
}

describe('a schema that is too large', () => {
  for (const [name, door] of Object.entries(doors)) {
    for (const stream of [false, true]) {
      test(`${name}${stream ? ', streamed' : ''} is a 400 that names the field`, async (context) => {
        const gateway = await startBoth(context, undefined, { healTools: true });
        const [path, body, field] = door(wide);
        const response = await gateway.post(path, { ...body, stream });
        assert.equal(response.status, 400);
        const text = await response.text();
        assert.match(text, new RegExp(`${field}: .*more than 20000 nodes.*schema-too-complex`));
        assert.equal(gateway.upstream.requests.length, 0);
      });
    }
  }

  test('of /v1/heal is a 400 that names the field', async (context) => {
    const { status, body } = await heal(await startBoth(context), { text: '{}', schema: wide });
    assert.equal(status, 400);
    assert.match(body.error?.message ?? '', /^schema: .*more than 20000 nodes/);
    assert.equal(body.error?.param, 'schema');
  });
});

describe('a pattern', () => {
  test('with catastrophic backtracking is checked', async (context) => {
    const gateway = await startBoth(context);
    const { status } = await heal(gateway, { text: `{"a": "${'a'.repeat(5000)}!"}`, schema: fits });
    assert.equal(status, 422);
    const whole = await heal(gateway, { text: `{"a": "${'a'.repeat(5000)}"}`, schema: fits });
    assert.deepEqual([whole.status, whole.body.flags], [200, []]);
  });

  test('that the linear engine does not support is reported, and rejected with strict', async (context) => {
    const gateway = await startBoth(context);
    const schema = { type: 'string', pattern: '^(?=a)a' };
    const { status, body } = await heal(gateway, { text: '"abc"', schema });
    assert.deepEqual([status, body.value, body.flags?.map(({ kind }) => kind)], [200, 'abc', ['unchecked-pattern']]);
    const refused = await heal(gateway, { text: '"abc"', schema, strict: true });
    assert.equal(refused.status, 422);
    assert.match(refused.body.error?.message ?? '', /unchecked-pattern/);
  });

  test('of a response is checked in a stream too', async (context) => {
    const replies = [{ text: '{"a": "aaaa"}' }, { text: `{"a": "${'a'.repeat(5000)}!"}` }];
    const gateway = await startBoth(context, { replies });
    const [path, body] = doors['a response format of OpenAI']!(fits);
    const right = await gateway.post(path, { ...body, stream: true });
    assert.match(await right.text(), /\[DONE\]/);
    const wrong = await gateway.post(path, { ...body, stream: true });
    assert.match(await wrong.text(), /"error"/);
  });
});
