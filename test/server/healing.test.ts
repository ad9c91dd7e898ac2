// Healing at the gateway: with a model that damages its JSON, the official SDKs still get valid JSON, streamed and plain,
// in both wires, or an explicit error.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import type { JsonValue } from '../../src/core/json.ts';
import { damageKinds } from '../../src/testing/damage/damage.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { ask, startBoth, upstreamWires } from '../support/gateway-server.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'age', 'tags'],
  additionalProperties: false,
} as const;
const ada = { name: 'Ada “the first” Lovelace', age: 36, tags: ['maths', 'engines'] };
const damaged =
  "Sure!\n```json\n{name: 'Ada Lovelace', 'age': \"36\", tags: ['maths', 'engines',],}\n```\nAnything else?";
const healed = { name: 'Ada Lovelace', age: 36, tags: ['maths', 'engines'] };

const openaiFormat = { type: 'json_schema', json_schema: { name: 'person', schema: person } } as const;
const anthropicFormat = { format: { type: 'json_schema', schema: person } } as const;

const start = (context: TestContext, replies: object[]) => startBoth(context, parseScript({ replies }));

/** The text that an SDK assembles from a stream or a body. */
const readers = {
  async openai({ openai }: Awaited<ReturnType<typeof start>>, model: string, stream: boolean) {
    const body = { model, messages: [{ role: 'user' as const, content: 'go' }], response_format: openaiFormat };
    if (!stream) return (await openai.chat.completions.create(body)).choices[0]?.message.content ?? '';
    let text = '';
    for await (const part of await openai.chat.completions.create({ ...body, stream: true })) {
      text += part.choices[0]?.delta.content ?? '';
    }
    return text;
  },
  async anthropic({ anthropic }: Awaited<ReturnType<typeof start>>, model: string, stream: boolean) {
    const body = {
      model,
      max_tokens: 500,
      messages: [{ role: 'user' as const, content: 'go' }],
      output_config: anthropicFormat,
    };
    const message = stream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body);
    return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
};

const argumentsIn = (text: string): string =>
  [...text.matchAll(/"(?:arguments|partial_json)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, piece = '""']) => JSON.parse(piece) as string)
    .join('');

for (const client of upstreamWires) {
  for (const wire of upstreamWires) {
    describe(`${client} client, ${wire} upstream`, () => {
      test('a response is healed, plain and streamed', async (context) => {
        const gateway = await start(context, [{ times: 2, text: damaged }]);
        for (const stream of [false, true]) {
          assert.deepEqual(JSON.parse(await readers[client](gateway, `${wire}/m`, stream)), healed);
        }
      });

      test('a response that cannot be healed is an error', async (context) => {
        const gateway = await start(context, [{ times: 2, text: 'I would rather not.' }]);
        for (const stream of [false, true]) {
          await assert.rejects(readers[client](gateway, `${wire}/m`, stream), /422 .*the response cannot be healed/);
        }
      });
    });
  }
}

test('every kind of damage is healed in a stream, or reported', async (context) => {
  const gateway = await startBoth(context);
  let count = 0;
  for (const damage of damageKinds) {
    gateway.upstream.playScript(parseScript({ replies: [{ json: ada as unknown as JsonValue, fault: { damage } }] }));
    try {
      const value = JSON.parse(await readers.openai(gateway, 'openai/m', true)) as typeof ada;
      assert.deepEqual(Object.keys(value).toSorted(), ['age', 'name', 'tags'], damage);
      assert.equal(typeof value.age, 'number', damage);
      count++;
    } catch (error) {
      assert.match(String(error), /healed|healing/, damage);
    }
  }
  assert.ok(count >= damageKinds.length * 0.8, `${count} of ${damageKinds.length}`);
});

describe('what was changed', () => {
  test('is in headers of a plain response, and in metrics', async (context) => {
    const gateway = await start(context, [{ text: damaged }]);
    const response = await gateway.post(
      '/v1/chat/completions',
      ask('openai/m', 'go', { 'response_format': openaiFormat }),
    );
    assert.match(response.headers.get('x-simple-agents-healed') ?? '', /type-coercion/);
    assert.match(response.headers.get('x-simple-agents-confidence') ?? '', /^0\.\d+$/);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    assert.match(metrics, /simple_agents_healing_changes_total\{kind="type-coercion",part="answer"\} 1/);
  });

  test('is in a comment of a stream', async (context) => {
    const gateway = await start(context, [{ text: damaged }]);
    const body = ask('openai/m', 'go', { 'response_format': openaiFormat, 'stream': true });
    const text = await (await gateway.post('/v1/chat/completions', body)).text();
    assert.match(text, /\n\n: x-simple-agents-healed: [a-z, -]+\n: x-simple-agents-confidence: 0\.\d+\n\n/);
  });

  test('is the value itself in a plain response, if a later one replaces it; a stream ignores the later one', async (context) => {
    const text = '{"name":"Ada","age":35,"tags":["a"]} No, sorry: {"name":"Ada","age":36,"tags":["a"]}';
    const gateway = await start(context, [{ times: 2, text }]);
    const body = ask('openai/m', 'go', { 'response_format': openaiFormat });
    const plain = await gateway.post('/v1/chat/completions', body);
    assert.match(plain.headers.get('x-simple-agents-healed') ?? '', /chose-value/);
    assert.match(await plain.text(), /\\"age\\":36/);
    const stream = await gateway.post('/v1/chat/completions', { ...body, stream: true });
    assert.match(await stream.text(), /^: x-simple-agents-healed: .*ignored-later-value/m);
  });

  const json = JSON.stringify(healed);
  const changes = [
    ['stripped-markdown', `\`\`\`json\n${json}\n\`\`\``],
    ['stripped-prose', `Sure! ${json}`],
    ['stripped-prose', `${json}\nAnything else?`],
    ['stripped-think', `<think>Who is it?</think>${json}`],
    ['fixed-quotes', json.replaceAll('"', "'")],
    ['fixed-trailing-comma', `${json.slice(0, -1)},}`],
    ['dropped-field', `${json.slice(0, -1)},"extra":1}`],
    ['stripped-value', `${json} [1]`],
    ['chose-value', `${json} or ${json}`],
    ['closed-truncated', json.slice(0, -1)],
  ] as const;
  for (const client of upstreamWires) {
    for (const stream of [false, true]) {
      test(`is all reported: ${client} client, ${stream ? 'streamed' : 'whole'}`, async (context) => {
        const gateway = await startBoth(context);
        const path = client === 'openai' ? '/v1/chat/completions' : '/v1/messages';
        const format = client === 'openai' ? { 'response_format': openaiFormat } : { 'output_config': anthropicFormat };
        for (const [kind, text] of changes) {
          gateway.upstream.playScript(parseScript({ replies: [{ text }] }));
          const response = await gateway.post(path, ask('openai/m', 'go', { ...format, stream }));
          const body = await response.text();
          const told = stream
            ? /^: x-simple-agents-healed: (.*)$/mu.exec(body)?.[1]
            : response.headers.get('x-simple-agents-healed');
          assert.ok(told?.split(', ').includes(kind), `${text}: ${told}`);
        }
      });

      test(`is all reported for arguments: ${client} client, ${stream ? 'streamed' : 'whole'}`, async (context) => {
        const path = client === 'openai' ? '/v1/chat/completions' : '/v1/messages';
        const offered =
          client === 'openai'
            ? [{ type: 'function', function: { name: 'save', parameters: person } }]
            : [{ name: 'save', 'input_schema': person }];
        const gateway = await startBoth(context, undefined, { healTools: true });
        for (const [kind, rawInput] of changes.slice(0, 6)) {
          gateway.upstream.playScript(parseScript({ replies: [{ toolCalls: [{ name: 'save', rawInput }] }] }));
          const response = await gateway.post(path, ask('openai/m', 'go', { tools: offered, stream }));
          const body = await response.text();
          const told = stream
            ? /^: x-simple-agents-healed: (.*)$/mu.exec(body)?.[1]
            : response.headers.get('x-simple-agents-healed');
          assert.ok(told?.split(', ').includes(kind), `${rawInput}: ${told}`);
        }
      });
    }
  }

  test('is not reported if nothing was changed', async (context) => {
    const gateway = await start(context, [{ json: healed }]);
    const response = await gateway.post(
      '/v1/chat/completions',
      ask('openai/m', 'go', { 'response_format': openaiFormat }),
    );
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-simple-agents-healed'), null);
  });
});

test('final text is sent before the response is complete, and nothing that changes later', async (context) => {
  const text = "{name: 'Ada', age: 36, tags: ['a', 'b']}";
  const gateway = await start(context, [{ text, fault: { slow: 15 } }]);
  const response = await gateway.post(
    '/v1/chat/completions',
    ask('openai/m', 'go', { 'response_format': openaiFormat, 'stream': true }),
  );
  let received = '';
  let chunks = 0;
  for await (const part of response.body ?? []) {
    received += Buffer.from(part as Uint8Array).toString();
    chunks++;
  }
  assert.ok(chunks > 3, `${chunks} chunks`);
  const texts = [...received.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(
    ([, piece = '""']) => JSON.parse(piece) as string,
  );
  assert.deepEqual(JSON.parse(texts.join('')), { name: 'Ada', age: 36, tags: ['a', 'b'] });
});

test('a response that fails after a part was sent ends with an error event', async (context) => {
  const gateway = await start(context, [{ text: '{"name": "Ada", "age": "unknown"}' }]);
  const text = await (
    await gateway.post(
      '/v1/chat/completions',
      ask('openai/m', 'go', { 'response_format': openaiFormat, 'stream': true }),
    )
  ).text();
  assert.match(text, /Ada[^]*"error":\{"message":"the response cannot be healed[^]*"code":"healing_failed"/);
  assert.doesNotMatch(text, /finish_reason":"stop"|\[DONE\]/);
});

describe('together with tools', () => {
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'get',
        parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
    },
  ];
  const rawInput = "{id: '7',}";

  test('the text of a response with tool calls is not healed', async (context) => {
    const gateway = await start(context, [
      { times: 2, text: 'Let me look.', toolCalls: [{ name: 'get', input: { id: 7 } }] },
    ]);
    const body = {
      model: 'openai/m',
      messages: [{ role: 'user' as const, content: 'go' }],
      tools,
      response_format: openaiFormat,
    };
    const whole = await gateway.openai.chat.completions.create(body);
    assert.equal(whole.choices[0]?.message.content, 'Let me look.');
    assert.equal(whole.choices[0]?.message.tool_calls?.length, 1);
  });

  for (const wire of upstreamWires) {
    for (const healTools of [true, false]) {
      test(`${wire} upstream, heal_tools = ${healTools}: the deltas of a call`, async (context) => {
        const script = parseScript({ replies: [{ times: 2, toolCalls: [{ name: 'get', rawInput }] }] });
        const gateway = await startBoth(context, script, { healTools });
        for (const path of ['/v1/chat/completions', '/v1/messages']) {
          const input = tools[0]?.function.parameters;
          const offered = path === '/v1/messages' ? [{ name: 'get', 'input_schema': input }] : tools;
          const body = ask(`${wire}/m`, 'go', { stream: true, tools: offered });
          const text = await (await gateway.post(path, body)).text();
          if (healTools) assert.deepEqual(JSON.parse(argumentsIn(text)), { id: 7 });
          else assert.equal(argumentsIn(text), rawInput);
          assert.equal(text.includes(': x-simple-agents-healed: '), healTools);
        }
      });
    }
  }
});

test('an invalid schema is rejected before a model is called', async (context) => {
  const gateway = await startBoth(context);
  const format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'nonsense' } } };
  const response = await gateway.post('/v1/chat/completions', ask('openai/m', 'go', { 'response_format': format }));
  assert.deepEqual([response.status, gateway.upstream.requests.length], [400, 0]);
});
