// Malformed frames, in streams that pass as bytes and in streams that are decoded: what came before them arrives, they do
// not, and the client gets an error event of its wire. The official SDKs throw on it.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ask, startGateway, type TestGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { begin, close, done, finish, frame, role, say, start, stop, streams, write } from '../support/upstream.ts';

const closing = frame('message_stop');
const opening = { openai: role + say('Hello'), anthropic: start + begin + write('Hello') } as const;
const ending = { openai: stop + done, anthropic: close + finish + closing } as const;
const last = { openai: done, anthropic: closing } as const;
type Upstream = keyof typeof opening;

/** Each of `pieces` is written as its own chunk. */
async function startUpstream(context: TestContext, pieces: readonly string[], healTools = false): Promise<TestGateway> {
  const { origin } = await startHttpServer(
    context,
    streams(async (response) => {
      for (const piece of pieces) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    }),
  );
  return startGateway(context, origin, { healTools });
}

const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
const tools = {
  openai: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  anthropic: [{ name: 'f', input_schema: { type: 'object' } }],
} as const;

/** How a response passes: as bytes, decoded for healing, or translated. */
const ways: readonly (readonly [name: string, client: Upstream, upstream: Upstream, healTools: boolean])[] = [
  ['openai bytes', 'openai', 'openai', false],
  ['anthropic bytes', 'anthropic', 'anthropic', false],
  ['openai decoded', 'openai', 'openai', true],
  ['anthropic decoded', 'anthropic', 'anthropic', true],
  ['openai to anthropic', 'openai', 'anthropic', false],
  ['anthropic to openai', 'anthropic', 'openai', false],
];

for (const [name, client, upstream, healTools] of ways) {
  describe(name, () => {
    const post = async (context: TestContext, pieces: readonly string[]): Promise<string> => {
      const gateway = await startUpstream(context, pieces, healTools);
      const body = ask(`${upstream}/m`, 'Hi', { stream: true, ...(healTools ? { tools: tools[client] } : {}) });
      const response = await gateway.post(paths[client], body);
      assert.equal(response.status, 200);
      return response.text();
    };
    const isFailed = client === 'openai' ? /^data: \{"error":/m : /^event: error$/m;

    for (const malformed of ['data: {"broken\n\n', 'data: hello\n\n', 'data: 5\n\n', 'event: x\ndata: {]\n\n']) {
      for (const [how, join] of [
        ['alone', false],
        ['in one chunk with others', true],
      ] as const) {
        test(`a frame ${JSON.stringify(malformed)}, ${how}, is an error event`, async (context) => {
          const pieces = [opening[upstream], malformed, ending[upstream]];
          const text = await post(context, join ? [pieces.join('')] : pieces);
          assert.match(text, /Hello/);
          assert.doesNotMatch(text, /broken\n|data: hello|data: 5\n|\{\]\n/);
          assert.match(text, isFailed);
          assert.doesNotMatch(text, /\[DONE\]|message_stop/);
        });
      }
    }

    test('a frame after the end is not forwarded', async (context) => {
      const late = upstream === 'openai' ? say('late') : write('late');
      for (const pieces of [
        [opening[upstream], ending[upstream], late],
        [opening[upstream] + ending[upstream] + late],
      ]) {
        const text = await post(context, pieces);
        assert.match(text, /Hello/);
        assert.doesNotMatch(text, /late/);
        assert.doesNotMatch(text, isFailed);
        assert.match(text, client === 'openai' ? /\[DONE\]\n\n$/ : /message_stop"\}\n\n$/);
      }
    });

    test('the closing event without a stop reason is a cut', async (context) => {
      for (const pieces of [[opening[upstream], last[upstream]], [opening[upstream] + last[upstream]]]) {
        const text = await post(context, pieces);
        assert.match(text, /Hello/);
        assert.match(text, /the stream was cut/);
        assert.match(text, isFailed);
        assert.doesNotMatch(text, /\[DONE\]|message_stop/);
      }
    });
  });
}

describe('the official SDKs', () => {
  const wrong = { 'a malformed frame': '{"broken', 'a cut': undefined } as const;
  for (const [what, data] of Object.entries(wrong)) {
    for (const upstream of ['openai', 'anthropic'] as const) {
      test(`${upstream}: ${what} is thrown as an API error, after the text before it`, async (context) => {
        const bad = data === undefined ? last[upstream] : `data: ${data}\n\n${ending[upstream]}`;
        const gateway = await startUpstream(context, [opening[upstream], bad]);
        const { words, thrown } = await readWith(gateway, upstream);
        assert.equal(words, 'Hello');
        assert.ok(thrown instanceof Error);
        assert.ok(!(thrown instanceof SyntaxError), String(thrown));
      });
    }
  }
});

async function readWith(gateway: TestGateway, upstream: Upstream): Promise<{ words: string; thrown?: unknown }> {
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const model = `${upstream}/m`;
  let words = '';
  try {
    if (upstream === 'openai') {
      const stream = await gateway.openai.chat.completions.create({ model, messages, stream: true });
      for await (const { choices } of stream) words += choices[0]?.delta.content ?? '';
    } else {
      const stream = await gateway.anthropic.messages.create({ model, messages, max_tokens: 10, stream: true });
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') words += event.delta.text;
      }
    }
    return { words };
  } catch (thrown) {
    return { words, thrown };
  }
}

test('an unknown route is not an unknown model', async (context) => {
  const gateway = await startGateway(context, 'http://127.0.0.1:9');
  for (const path of ['/v1/nowhere', '/v1/no/where']) {
    const response = await gateway.post(path, {});
    const { error } = (await response.json()) as { error: { type: string; code: string } };
    assert.deepEqual([response.status, error.type, error.code], [404, 'invalid_request_error', 'not_found'], path);
    const anthropic = await gateway.post(path, {}, { 'anthropic-version': '2023-06-01' });
    const told = (await anthropic.json()) as { type: string; error: { type: string } };
    assert.deepEqual([anthropic.status, told.type, told.error.type], [404, 'error', 'not_found_error'], path);
  }
  const model = await gateway.post('/v1/chat/completions', ask('nobody-knows-it', 'hi'));
  assert.match(await model.text(), /"code":"model_not_found"/);
});
