// The plugins in examples/, as a user runs them: behind the library, and behind `simple-agents serve` on every wire. The
// server of llama.cpp is one of ours that answers in its format, cut at every byte.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient } from '../../src/index.ts';
import { loadSettings } from '../../src/config/load.ts';
import { failsWith } from '../support/fails-with.ts';
import { startBoth, startGateway } from '../support/gateway-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const examples = join(import.meta.dirname, '../../examples/plugins');
const folder = temporaryFolder();
const secret = 'ann.smith+x@mail.example.com';

/** What the model says, and how many bytes its server sends at once. */
const model = { words: '', bytes: 1, status: 200 };
let server: Server;
let config: string;

before(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(model.status, { 'content-type': 'text/event-stream' });
    if (model.status !== 200) return void response.end();
    const chunks = Array.from(model.words, (content) => JSON.stringify({ content, stop: false }));
    const last = JSON.stringify({ content: '', stop: true, tokens_evaluated: 3, tokens_predicted: 4 });
    const bytes = Buffer.from([...chunks, last].map((chunk) => `data: ${chunk}\n\n`).join(''));
    for (let at = 0; at < bytes.length; at += model.bytes) response.write(bytes.subarray(at, at + model.bytes));
    return void response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  config = folder.write(
    'simple-agents.toml',
    `plugins = [${JSON.stringify(join(examples, 'llama-cpp.ts'))}, ${JSON.stringify(join(examples, 'redact.ts'))}]
[retry]
max_attempts = 1
[[providers]]
type = "llama-cpp"
base_url = "http://127.0.0.1:${port}"
settings = { slot = 2 }
[guardrails.redact]
settings = { words = ["Falcon"] }
`,
  );
});
after(() => server.close());

test('the configuration of the examples is valid', async () => {
  const settings = await loadSettings({ path: join(examples, 'simple-agents.toml'), env: {} });
  assert.deepEqual(
    settings.guardrails?.map(({ name }) => name),
    ['redact'],
  );
});

describe('the provider and the guardrail', () => {
  test('stream a response without what was redacted, cut at every byte', async () => {
    model.words = `Write to ${secret}: Falcon, 4111 1111 1111 1111.`;
    const client = createClient({ config });
    for (model.bytes = 1; model.bytes < 40; model.bytes++) {
      const stream = client.stream('hi');
      let seen = '';
      for await (const event of stream) seen += JSON.stringify(event);
      const { text, usage } = await client.complete('hi');
      assert.equal(text, 'Write to [redacted]: [redacted], [redacted].');
      assert.doesNotMatch(seen, /ann|smith|mail\.example|Falcon|4111/);
      assert.deepEqual([usage.input, usage.output], [3, 4]);
    }
    await client.close();
  });

  test('report a failure of the server in our terms', async () => {
    model.status = 503;
    const client = createClient({ config });
    await assert.rejects(client.complete('hi'), failsWith('overloaded', /status 503/));
    model.status = 200;
    await client.close();
  });

  test('hold behind the server on every wire, streamed or not', async (context) => {
    model.words = `Write to ${secret} now`;
    model.bytes = 7;
    const gateway = await startGateway(context, '', { gateway: await loadSettings({ path: config, env: {} }) });
    for (const [path, body] of Object.entries(bodiesFor('llama-cpp/local'))) {
      for (const stream of [true, false]) {
        const response = await gateway.post(path, { ...body, stream });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.match(text, /redacted/);
        assert.doesNotMatch(text, /smith|mail\.example/);
      }
    }
  });
});

function bodiesFor(name: string, content = 'hi'): Readonly<Record<string, object>> {
  const messages = [{ role: 'user', content }];
  return {
    '/v1/chat/completions': { model: name, messages },
    '/v1/messages': { model: name, messages, max_tokens: 500 },
    '/v1/responses': { model: name, input: content },
  };
}

test('a guardrail keeps the bytes of an upstream with the same wire from passing', async (context) => {
  const loaded = await loadSettings({ path: join(examples, 'simple-agents.toml'), env: {} });
  const guardrails = loaded.guardrails?.map(({ name, filter }) => ({ name, filter })) ?? [];
  // The simulated model repeats what the user said.
  const gateway = await startBoth(context, undefined, { gateway: { guardrails } });
  for (const provider of ['openai', 'anthropic', 'responses']) {
    for (const [path, body] of Object.entries(bodiesFor(`${provider}/any`, `I am ${secret}`))) {
      for (const stream of [true, false]) {
        const response = await gateway.post(path, { ...body, stream });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.match(text, /█████/);
        assert.doesNotMatch(text, /smith|mail\.example/);
      }
    }
  }
  const several = { ...bodiesFor('openai/any', secret)['/v1/chat/completions'], n: 2 };
  const refused = await gateway.post('/v1/chat/completions', several);
  assert.equal(refused.status, 400);
  assert.doesNotMatch(await refused.text(), /smith/);
});
