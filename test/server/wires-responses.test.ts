// Clients of the Responses wire with every upstream wire, and the official SDK as the client: what it reads through the
// gateway is what the model sent, streamed and plain. Stored responses belong to one key.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';

import * as openai from 'openai';

import { parseScript } from '../../src/testing/model/script.ts';
import { startBoth, allUpstreamWires } from '../support/gateway-server.ts';

type Create = openai.OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = openai.OpenAI.Responses.ResponseOutputItem;

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const script = parseScript({
  otherwise: 'reply',
  replies: [
    {
      match: { contains: 'tools' },
      interleave: true,
      text: 'Looking.',
      toolCalls: [
        { name: 'get_weather', id: 'call_1', input: { city: 'Paris, the capital of France' } },
        { name: 'get_time', id: 'call_2', input: { zone: 'Europe/Paris' } },
      ],
    },
    {
      match: { contains: 'patch' },
      toolCalls: [{ name: 'apply_patch', id: 'call_3', input: { input: '+ "a"\n- ü' } }],
    },
    { match: { contains: 'cached' }, text: 'ok', usage: { input: 10, output: 5, cacheRead: 90, reasoning: 3 } },
    { match: { contains: 'broken json' }, text: 'Sure: {"a": "b", n: 1' },
    { match: { contains: 'too long' }, text: 'Once', stopReason: 'length' },
    { match: { contains: 'forbidden' }, text: 'No.', stopReason: 'refusal' },
    { match: { contains: 'break off' }, text: 'One two three four', fault: { errorAfterEvents: 5 } },
  ],
});

function functionTool(name: string, field: string): openai.OpenAI.Responses.FunctionTool {
  const parameters = {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    'additionalProperties': false,
  };
  return { type: 'function', name, strict: true, parameters };
}

const tools = [functionTool('get_weather', 'city'), functionTool('get_time', 'zone')];
const format = {
  type: 'json_schema' as const,
  name: 'x',
  schema: {
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer' } },
    required: ['a', 'n'],
    additionalProperties: false,
  },
};

const start = (context: TestContext) => startBoth(context, script);

/** The same response, whole and from the events of a stream. */
async function both(client: openai.OpenAI, body: Create): Promise<openai.OpenAI.Responses.Response[]> {
  const whole = await client.responses.create(body);
  const { stream: _stream, ...params } = body;
  return [whole, await client.responses.stream(params).finalResponse()];
}

function inputsOf(output: readonly Item[]): unknown[] {
  return output.flatMap((item) => (item.type === 'function_call' ? [JSON.parse(item.arguments) as unknown] : []));
}

for (const wire of allUpstreamWires) {
  const model = `${wire}/simulated`;

  describe(`a Responses client, an upstream of ${wire}`, () => {
    test('gets text and usage', async (context) => {
      const { openai: client } = await start(context);
      for (const response of await both(client, { model, input: 'cached' })) {
        assert.deepEqual([response.output_text, response.status], ['ok', 'completed']);
        assert.match(response.id, /^resp_/);
        const { input_tokens: input, input_tokens_details: details, output_tokens: output } = response.usage ?? {};
        assert.deepEqual([input, details?.cached_tokens, output], [100, 90, 5]);
      }
    });

    test('gets events in order, with consecutive numbers', async (context) => {
      const { openai: client } = await start(context);
      const stream = await client.responses.create({ model, input: 'Count to 3', stream: true });
      const events: openai.OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of stream) events.push(event);
      assert.deepEqual(
        events.map(({ sequence_number: number }) => number),
        events.map((_event, index) => index),
      );
      const types = events.map(({ type }) => type);
      assert.deepEqual(
        [...new Set(types)],
        [
          'response.created',
          'response.in_progress',
          'response.output_item.added',
          'response.content_part.added',
          'response.output_text.delta',
          'response.output_text.done',
          'response.content_part.done',
          'response.output_item.done',
          'response.completed',
        ],
      );
    });

    test('retrieves a stored response as a stream', async (context) => {
      const { openai: client } = await start(context);
      const body = { model, input: 'use your tools', tools };
      for (const stored of await both(client, body)) {
        const events: openai.OpenAI.Responses.ResponseStreamEvent[] = [];
        for await (const event of await client.responses.retrieve(stored.id, { stream: true })) events.push(event);
        const [first, last] = [events.at(0), events.at(-1)];
        assert.deepEqual([first?.type, last?.type], ['response.created', 'response.completed']);
        const { output, id, usage } = last?.type === 'response.completed' ? last.response : assert.fail();
        assert.deepEqual([id, usage, inputsOf(output)], [stored.id, stored.usage, inputsOf(stored.output)]);
        const deltas = events.flatMap((event) =>
          event.type === 'response.function_call_arguments.delta' ? [JSON.parse(event.delta) as unknown] : [],
        );
        assert.deepEqual(deltas, inputsOf(output));
      }
    });

    test('gets two tool calls at once, and sends their results', async (context) => {
      const { openai: client, upstream } = await start(context);
      for (const { output } of await both(client, { model, input: 'use your tools', tools })) {
        assert.deepEqual(inputsOf(output), [{ city: 'Paris, the capital of France' }, { zone: 'Europe/Paris' }]);
        const results = output.flatMap((item) =>
          item.type === 'function_call'
            ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: `result of ${item.name}` }]
            : [],
        );
        const input = [{ role: 'user' as const, content: 'use your' }, ...output, ...results];
        const { output_text: text } = await client.responses.create({ model, input: input as never, tools });
        assert.match(text, /get_weather answered: result of get_weather/);
        assert.ok(JSON.stringify(upstream.requests.at(-1)?.body).includes('result of get_time'));
      }
    });

    test('calls a custom tool with plain text', async (context) => {
      const { openai: client } = await start(context);
      const custom = { type: 'custom' as const, name: 'apply_patch', description: 'Edits files.' };
      for (const { output } of await both(client, { model, input: 'patch it', tools: [custom] })) {
        const [call] = output.filter((item) => item.type === 'custom_tool_call');
        assert.deepEqual([call?.call_id, call?.input], ['call_3', '+ "a"\n- ü']);
        const result = { type: 'custom_tool_call_output' as const, call_id: 'call_3', output: 'done' };
        const input = [{ role: 'user' as const, content: 'go' }, ...output, result];
        const next = await client.responses.create({ model, input: input as never, tools: [custom] });
        assert.match(next.output_text, /apply_patch answered: done/);
      }
    });

    test('gets a healed value that fits the schema', async (context) => {
      const { openai: client } = await start(context);
      for (const { output_text: text } of await both(client, { model, input: 'broken json', text: { format } })) {
        assert.deepEqual(JSON.parse(text), { a: 'b', n: 1 });
      }
    });

    test('sends images and files', async (context) => {
      const { openai: client, upstream } = await start(context);
      const content = [
        { type: 'input_text' as const, text: 'What is this?' },
        { type: 'input_image' as const, image_url: `data:image/png;base64,${pixel}`, detail: 'auto' as const },
        { type: 'input_file' as const, filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      ];
      await client.responses.create({ model, instructions: 'Be kind.', input: [{ role: 'user', content }] });
      const sent = JSON.stringify(upstream.requests.at(-1)?.body);
      for (const part of [pixel, 'Be kind.', 'JVBERi0=']) assert.ok(sent.includes(part), part);
    });

    test('keeps the reasoning over two turns', async (context) => {
      const { openai: client, upstream } = await start(context);
      const settings = {
        model,
        store: false,
        reasoning: { effort: 'low' as const, summary: 'auto' as const },
        include: ['reasoning.encrypted_content' as const],
      };
      const question = { role: 'user' as const, content: 'Count to 2' };
      for (const { output } of await both(client, { ...settings, input: [question] })) {
        const [first] = output;
        assert.ok(first?.type === 'reasoning' && first.encrypted_content);
        assert.match(first.summary[0]?.text ?? '', /This thought is simulated/);
        await client.responses.create({ ...settings, input: [question, ...(output as never[]), question] });
        const sent = JSON.stringify(upstream.requests.at(-1)?.body);
        // Only these APIs accept reasoning back.
        if (wire !== 'openai') assert.match(sent, /simulated-[0-9a-f]+|"thoughtSignature":"c2ltdWxhdGVkL/);
      }
    });

    test('gets the reason of an incomplete response', async (context) => {
      const { openai: client } = await start(context);
      for (const [input, reason] of [
        ['too long', 'max_output_tokens'],
        ['forbidden', 'content_filter'],
      ] as const) {
        for (const response of await both(client, { model, input })) {
          assert.deepEqual([response.status, response.incomplete_details?.reason], ['incomplete', reason]);
        }
      }
    });

    test('gets the errors of the gateway and of the upstream, naming the field', async (context) => {
      const { openai: client } = await start(context);
      const role = client.responses.create({ model, input: [{ role: 'nobody', content: 'x' }] as never });
      await assert.rejects(role, { status: 400, param: 'input.0.role' });
      await assert.rejects(client.responses.create({ model } as Create), { status: 400, param: 'input' });
      const unknown = client.responses.create({ model: `${wire}/unknown-model`, input: 'Hi' });
      await assert.rejects(unknown, { status: 404, code: 'model_not_found' });
    });

    test('gets an error event if the stream fails', async (context) => {
      const { openai: client } = await start(context);
      const stream = await client.responses.create({ model, input: 'break off', stream: true });
      let words = '';
      const read = async (): Promise<void> => {
        for await (const event of stream) if (event.type === 'response.output_text.delta') words += event.delta;
      };
      await assert.rejects(read(), openai.APIError);
      assert.match(words, /^One/);
    });

    test('continues a stored response, whole and streamed', async (context) => {
      const { openai: client, upstream } = await start(context);
      for (const previous of await both(client, { model, input: 'Count to 2', instructions: 'Old.' })) {
        const next = await client.responses.create({ model, input: 'Hello', previous_response_id: previous.id });
        assert.equal(next.previous_response_id, previous.id);
        const sent = JSON.stringify(upstream.requests.at(-1)?.body);
        // An upstream of the same wire has the conversation itself.
        const parts =
          wire === 'responses' ? ['"previous_response_id":"resp_', 'Hello'] : ['Count to 2', '1, 2', 'Hello'];
        for (const part of parts) assert.ok(sent.includes(part), part);
        assert.ok(!sent.includes(previous.id), 'the upstream gets its own id');
        assert.ok(!sent.includes('Old.'), 'instructions are not part of the conversation');
        const { data } = await client.responses.inputItems.list(next.id, { order: 'asc' });
        assert.deepEqual(
          data.map((item) => item.type === 'message' && item.role),
          ['user', 'assistant', 'user'],
        );
        assert.deepEqual((await client.responses.retrieve(next.id)).output, next.output);
        await client.responses.delete(next.id);
        await assert.rejects(client.responses.retrieve(next.id), { status: 404 });
        await assert.rejects(client.responses.delete(next.id), { status: 404 });
      }
    });

    test('finds the items that a request names by their id', async (context) => {
      const { openai: client, upstream } = await start(context);
      const { output } = await client.responses.create({ model, input: 'Count to 2' });
      const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' };
      const user = { role: 'user' as const, content: 'Hello' };
      await client.responses.create({ model, input: [user, reference, user] });
      assert.ok(JSON.stringify(upstream.requests.at(-1)?.body).includes('1, 2'));
    });

    test('is refused what is not stored', async (context) => {
      const { openai: client } = await start(context);
      const { id } = await client.responses.create({ model, input: 'Hi', store: false });
      await assert.rejects(client.responses.retrieve(id), { status: 404 });
      const follow = client.responses.create({ model, input: 'Hi', previous_response_id: 'resp_unknown' });
      await assert.rejects(follow, { status: 400, code: 'previous_response_not_found' });
    });
  });
}

describe('reasoning over two turns', () => {
  for (const stream of [false, true]) {
    test(`of a Responses upstream returns from an Anthropic client, ${stream ? 'streamed' : 'plain'}`, async (context) => {
      const { anthropic: client, upstream } = await start(context);
      const question = { role: 'user' as const, content: 'Count to 2' };
      const body = {
        model: 'responses/m',
        max_tokens: 4000,
        thinking: { type: 'enabled' as const, budget_tokens: 1024 },
      };
      const first = { ...body, messages: [question] };
      const { content } = stream
        ? await client.messages.stream(first).finalMessage()
        : await client.messages.create(first);
      assert.equal(content[0]?.type, 'thinking');
      await client.messages.create({ ...body, messages: [question, { role: 'assistant', content }, question] });
      assert.match(JSON.stringify(upstream.requests.at(-1)?.body), /"encrypted_content":"simulated-/);
    });
  }

  for (const [wire, pattern] of [
    ['responses', /"encrypted_content":"simulated-/],
    ['anthropic', /"signature":"simulated-/],
  ] as const) {
    test(`of an upstream of ${wire} returns from a chat client`, async (context) => {
      const gateway = await start(context);
      const question = { role: 'user', content: 'Count to 2' };
      const body = { model: `${wire}/m`, max_tokens: 4000, reasoning_effort: 'low' };
      const response = await gateway.post('/v1/chat/completions', { ...body, messages: [question] });
      const { choices } = (await response.json()) as { choices: { message: object }[] };
      const messages = [question, choices[0]?.message, question];
      const next = await gateway.post('/v1/chat/completions', { ...body, messages });
      assert.equal(next.status, 200, await next.text());
      assert.match(JSON.stringify(gateway.upstream.requests.at(-1)?.body), pattern);
    });
  }
});

describe('a Responses client', () => {
  test('of another key cannot use a stored response', async (context) => {
    const keys = ['first-key-0123456789', 'second-key-0123456789'];
    const gateway = await startBoth(context, script, { keys: keys.map((key) => hash('sha256', key)) });
    const [first, second] = keys.map(
      (apiKey) => new openai.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
    ) as [openai.OpenAI, openai.OpenAI];
    const { id, output } = await first.responses.create({ model: 'openai/m', input: 'Hi' });
    assert.equal((await first.responses.retrieve(id)).id, id);
    await assert.rejects(second.responses.retrieve(id), { status: 404 });
    await assert.rejects(second.responses.delete(id), { status: 404 });
    const follow = second.responses.create({ model: 'openai/m', input: 'Hi', previous_response_id: id });
    await assert.rejects(follow, { status: 400, param: 'previous_response_id' });
    const item = [{ type: 'item_reference' as const, id: output[0]?.id ?? '' }];
    await assert.rejects(second.responses.create({ model: 'openai/m', input: item }), { status: 400 });
  });

  test('is refused by name what only a Responses upstream has', async (context) => {
    const { openai: client } = await start(context);
    for (const [field, value] of Object.entries({
      background: true,
      conversation: 'conv_1',
      prompt: { id: 'p' },
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    })) {
      const call = client.responses.create({ model: 'anthropic/m', input: 'Hi', [field]: value } as Create);
      await assert.rejects(call, { status: 400, param: field });
    }
    await assert.rejects(client.responses.compact({ model: 'anthropic/m', input: 'Hi' }), {
      status: 400,
      param: 'compact',
    });
    const { id } = await client.responses.create({ model: 'anthropic/m', input: 'Hi' });
    await assert.rejects(client.responses.cancel(id), { status: 400 });
    const resumed = client.responses.retrieve(id, { stream: true, starting_after: 2 });
    await assert.rejects(Promise.resolve(resumed), { status: 400, param: 'starting_after' });
  });

  test('is told which tools were left out', async (context) => {
    const { openai: client } = await start(context);
    const search = { type: 'web_search' as const };
    const call = client.responses.create({ model: 'anthropic/m', input: 'Hi', tools: [search, ...tools] });
    const { response } = await call.withResponse();
    assert.equal(response.headers.get('x-simple-agents-dropped'), 'tools.web_search');
    const files = { type: 'file_search' as const, vector_store_ids: ['v'] };
    const refused = client.responses.create({ model: 'anthropic/m', input: 'Hi', tools: [files] });
    await assert.rejects(refused, { status: 400, param: 'tools' });
  });

  test('of another wire is told which of its fields the Responses wire lacks', async (context) => {
    const gateway = await start(context);
    const body = { model: 'responses/m', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] };
    const chat = await gateway.post('/v1/chat/completions', { ...body, stop: ['x'] });
    const messages = await gateway.post('/v1/messages', { ...body, stop_sequences: ['x'] });
    assert.deepEqual([chat.status, messages.status], [400, 400]);
    assert.match(await chat.text(), /stop: this model does not support stop sequences/);
    assert.match(await messages.text(), /stop_sequences: this model does not support stop sequences/);
    const small = await gateway.post('/v1/chat/completions', { ...body, max_tokens: 5, seed: 1 });
    assert.deepEqual([small.status, small.headers.get('x-simple-agents-dropped')], [200, 'max_tokens, seed']);
  });

  test('counts tokens', async (context) => {
    const { openai: client } = await start(context);
    const { input_tokens: tokens } = await client.responses.inputTokens.count({
      model: 'openai/m',
      input: 'Hello you',
    });
    assert.ok(tokens > 0);
  });
});
