// The cost of a call in the response: a header of a plain response; in a stream, the usage that the gateway writes, or
// else a comment before the end. Bytes that pass are unchanged, and every official client continues to work.

import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import { ask, startGateway, type GatewayTestOptions, type TestGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { begin, close, done, finish, frame, role, say, stop, usage, write } from '../support/upstream.ts';

const opened = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
const start = frame('message_start', { message: { ...opened, usage: { input_tokens: 3, output_tokens: 1 } } });

const streamed = {
  openai: role + say('Hello') + stop + usage + done,
  anthropic: start + begin + write('Hello') + close + finish + frame('message_stop'),
} as const;
type Wire = keyof typeof streamed;

const whole = {
  openai: {
    id: 'c',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  },
  anthropic: {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  },
} as const;

/** Three input and two output tokens. */
const price = { input: 1, output: 2 };
const cost = 0.000007;

async function answer(request: IncomingMessage, response: ServerResponse, bytesAtOnce: boolean): Promise<void> {
  const wire = request.url === '/v1/messages' ? 'anthropic' : 'openai';
  const isStream = ((await json(request)) as { stream?: boolean }).stream === true;
  response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
  if (!isStream) return void response.end(JSON.stringify(whole[wire]));
  for (const piece of bytesAtOnce ? [streamed[wire]] : (streamed[wire].match(/.*?\n\n/gs) ?? [])) {
    response.write(piece);
    if (!bytesAtOnce) await new Promise((resolve) => setTimeout(resolve, 3));
  }
  response.end();
}

async function startPriced(
  context: TestContext,
  { gateway, ...more }: GatewayTestOptions = {},
  bytesAtOnce = true,
): Promise<TestGateway> {
  const { origin } = await startHttpServer(context, (request, response) => {
    void answer(request, response, bytesAtOnce);
  });
  const prices = { 'openai/m': price, 'anthropic/m': price };
  return startGateway(context, origin, { gateway: { prices, ...gateway }, ...more });
}

const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
const wires: readonly Wire[] = ['openai', 'anthropic'];
const comment = ': x-simple-agents-cost: 0.000007\n\n';

for (const client of wires) {
  for (const upstream of wires) {
    describe(`${client} client, ${upstream} upstream`, () => {
      const request = (more: object = {}) => ask(`${upstream}/m`, 'Hi', more);

      test('a plain response has its cost in a header', async (context) => {
        const gateway = await startPriced(context);
        const response = await gateway.post(paths[client], request());
        assert.equal(response.headers.get('x-simple-agents-cost'), '0.000007');
        assert.match(await response.text(), /Hello/);
      });

      test('a stream has it in the usage that the gateway writes, or else in a comment before its end', async (context) => {
        const gateway = await startPriced(context);
        for (const included of [true, false]) {
          const options = client === 'openai' && included ? { stream_options: { include_usage: true } } : {};
          const response = await gateway.post(paths[client], request({ stream: true, ...options }));
          assert.equal(response.headers.get('x-simple-agents-cost'), null);
          const text = await response.text();
          const isWritten = client !== upstream && (client === 'anthropic' || included);
          if (isWritten) assert.match(text, /"usage":\{[^}]*"cost":0.000007\}/);
          assert.equal(text.includes(comment), !isWritten);
          const last = client === 'openai' ? /cost: 0\.000007\n\n(.*\n\n)*data: \[DONE\]\n\n$/ : /message_stop"\}\n\n$/;
          if (!isWritten) assert.match(text, last);
        }
      });

      if (client === upstream) {
        for (const atOnce of [true, false]) {
          test(`bytes that pass ${atOnce ? 'at once' : 'frame by frame'} are unchanged`, async (context) => {
            const gateway = await startPriced(context, {}, atOnce);
            const response = await gateway.post(
              paths[client],
              request({ stream: true, ...(client === 'openai' ? { stream_options: { include_usage: true } } : {}) }),
            );
            const text = await response.text();
            assert.equal(text.replace(comment, ''), streamed[client]);
            const closing = client === 'openai' ? done : frame('message_stop');
            assert.ok(text.endsWith(comment + closing), text);
          });
        }
      }
    });
  }
}

test('an unknown price is not reported; a response from the cache costs nothing', async (context) => {
  const gateway = await startPriced(context, { gateway: { cache: { enabled: true } } });
  const unknown = await gateway.post('/v1/chat/completions', ask('openai/nobody-lists-it', 'Hi'));
  assert.deepEqual([unknown.status, unknown.headers.get('x-simple-agents-cost')], [200, null]);
  const costs: (string | null)[] = [];
  for (let call = 0; call < 2; call++) {
    const response = await gateway.post('/v1/chat/completions', ask('openai/m', 'Hi'));
    costs.push(response.headers.get('x-simple-agents-cost'));
    await response.text();
  }
  assert.deepEqual(costs, ['0.000007', '0']);
  const replayed = await gateway.post('/v1/messages', ask('openai/m', 'Hi', { stream: true }));
  assert.match(await replayed.text(), /"cost":0[,}]/);
});

test('the official SDKs and the AI SDK work, and find the cost', async (context) => {
  const gateway = await startPriced(context);
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  for (const upstream of wires) {
    const model = `${upstream}/m`;
    const completion = gateway.openai.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const final = await completion.finalChatCompletion();
    assert.equal(final.choices[0]?.message.content, 'Hello');
    if (upstream === 'anthropic') assert.equal((final.usage as { cost?: number } | undefined)?.cost, cost);
    const message = await gateway.anthropic.messages.stream({ model, messages, max_tokens: 10 }).finalMessage();
    assert.deepEqual(message.content[0]?.type === 'text' && message.content[0].text, 'Hello');
    const { response } = await gateway.openai.chat.completions.create({ model, messages }).withResponse();
    assert.equal(response.headers.get('x-simple-agents-cost'), cost.toFixed(6));
    const settings = { baseURL: `${gateway.url}/v1`, apiKey: 'any' };
    for (const connected of [createOpenAI(settings).chat(model), createAnthropic(settings)(model)]) {
      const errors: unknown[] = [];
      const stream = streamText({
        model: connected,
        prompt: 'Hi',
        maxRetries: 0,
        onError: ({ error }) => errors.push(error),
      });
      assert.equal(await stream.text, 'Hello');
      assert.equal((await stream.usage).outputTokens, 2);
      assert.deepEqual(errors, []);
    }
  }
});
