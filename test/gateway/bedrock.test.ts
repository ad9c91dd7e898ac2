// Amazon Bedrock as a provider, over real HTTP with the simulator as the service: signed requests, credentials that are
// missing, expired, rotated or dated by a wrong clock, errors, cut and damaged streams, and embeddings.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { assemble } from '../../src/core/assembler.ts';
import { SimpleAgentsError } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { text } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { createGateway } from '../../src/node.ts';
import type { Transport } from '../../src/providers/remote.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import { failsWith } from '../support/fails-with.ts';
import { startSimulated } from '../support/gateway-server.ts';

const signal = new AbortController().signal;
const model = 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0';

interface Account {
  readonly env: Record<string, string>;
  readonly files?: Record<string, string>;
  /** How far the clock of this machine is ahead. */
  readonly skew?: number;
}

const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret-of-the-account', AWS_REGION: 'us-west-2' };

async function start(context: TestContext, account: Account, provider: Partial<ProviderSettings> = {}) {
  const state = { now: Date.now() };
  const simulated = await startSimulated(context, { script });
  const credentialHost = (transport: Transport) => ({
    variable: (name: string) => account.env[name],
    readText: (path: string) => Promise.resolve(account.files?.[path]),
    transport,
    direct: { send: () => Promise.reject(new Error('no metadata service')) },
    now: () => state.now + (account.skew ?? 0),
  });
  const settings = { name: 'bedrock', type: 'bedrock', baseUrl: simulated.url, ...provider };
  const gateway = createGateway(
    { providers: [settings], retry: false, breaker: false },
    { transport: createUndiciTransport(), credentialHost },
  );
  context.after(() => gateway.close());
  return { gateway, simulated, state };
}

const script = parseScript({
  otherwise: 'reply',
  replies: [
    ...[400, 403, 404, 429, 500, 503].map((status) => ({ match: `status ${status}`, fault: { status } })),
    { match: 'throttle', text: 'one two', fault: { errorAfterEvents: 0, errorType: 'throttlingException' } },
    { match: 'break', text: 'one two three', fault: { errorAfterEvents: 3, errorType: 'modelStreamErrorException' } },
    { match: 'damage', text: 'one two three four', fault: { malformedSse: true } },
    { match: 'cut', text: 'one two three '.repeat(40), fault: { cutAtByte: 3000 } },
    { match: 'end', text: 'one two three '.repeat(40), fault: { endAtByte: 3000 } },
    { match: 'slowly', text: 'one two three', fault: { chunkSize: 5 } },
  ],
});

function ask(words: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model, messages: [{ role: 'user', content: [text(words)] }], ...more };
}

type Gateway = Awaited<ReturnType<typeof start>>['gateway'];

async function read(gateway: Gateway, request: ChatRequest): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of await gateway.open(request, signal)) events.push(event);
  return events;
}

async function say(gateway: Gateway, request: ChatRequest): Promise<string> {
  const { content } = assemble(await read(gateway, request));
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

const profile = (token: string): string =>
  `[work]\naws_access_key_id = AKID\naws_secret_access_key = s\naws_session_token = ${token}\nregion = eu-central-1\n`;

describe('a call', () => {
  for (const type of ['bedrock', 'bedrock-anthropic']) {
    test(`of ${type} is signed, and the response has its model`, async (context) => {
      const { gateway, simulated } = await start(context, { env: keys }, { type });
      for (const stream of [true, false]) {
        const events = await read(gateway, ask('Count to 3', { stream }));
        const message = assemble(events);
        assert.deepEqual(message.content, [text('1, 2, 3')]);
        assert.equal(message.model, model.replace('bedrock/', ''));
        assert.ok(message.usage.input > 0 && message.id !== '', JSON.stringify(message));
      }
      const { path, headers } = simulated.requests.at(-1) ?? {};
      assert.match(path ?? '', /^\/model\/us\.anthropic\.claude-sonnet-4-5-20250929-v1%3A0\/(?:converse|invoke)$/);
      assert.equal(headers?.['x-amz-content-sha256']?.length, 64);
    });
  }

  test('with a bearer key is not signed', async (context) => {
    const { gateway, simulated } = await start(context, { env: {} }, { apiKey: 'bedrock-api-key' });
    assert.equal(await say(gateway, ask('Count to 2')), '1, 2');
    assert.equal(simulated.requests.at(-1)?.headers['x-amz-date'], undefined);
  });

  test('of bedrock-anthropic has the bytes of Anthropic’s wire, for clients of the same wire', async (context) => {
    const { gateway } = await start(context, { env: keys }, { type: 'bedrock-anthropic' });
    const tools = [{ name: 'f', inputSchema: { type: 'object' } }];
    const { bytes } = await gateway.open(ask('Count to 2', { tools }), signal);
    assert.deepEqual([bytes?.wire, bytes?.form], ['anthropic-messages', 'stream']);
    let sent = '';
    for await (const chunk of bytes ?? []) sent += new TextDecoder().decode(chunk);
    assert.match(sent, /^event: message_start\ndata: \{"type":"message_start".*event: message_stop\n/s);
  });

  test('in pieces of five bytes is the same', async (context) => {
    const { gateway } = await start(context, { env: keys });
    assert.equal(await say(gateway, ask('slowly')), 'one two three');
  });

  test('with a schema uses the format of the API, or a tool where the model has none', async (context) => {
    const { gateway, simulated } = await start(context, { env: keys });
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    for (const [name, member] of [
      [model, 'outputConfig'],
      ['bedrock/us.amazon.nova-2-lite-v1:0', 'toolConfig'],
    ] as const) {
      const json = await say(
        gateway,
        ask('An example', { model: name, responseFormat: { type: 'json-schema', schema } }),
      );
      assert.deepEqual(Object.keys(JSON.parse(json) as object), ['a']);
      const sent = simulated.requests.at(-1)?.body as Record<string, unknown>;
      assert.deepEqual(
        Object.keys(sent).filter((key) => key.endsWith('Config')),
        [member],
      );
    }
  });

  for (const type of ['bedrock', 'bedrock-anthropic']) {
    test(`of ${type} counts tokens at the model of its profile`, async (context) => {
      const { gateway, simulated } = await start(context, { env: keys }, { type });
      const tools = [{ name: 'f', inputSchema: { type: 'object' } }];
      const [short = 0, long = 0] = await Promise.all(
        [ask('Hi'), ask('Hi '.repeat(100), { tools })].map((request) => gateway.countTokens(request, signal)),
      );
      assert.ok(short > 0 && long > short + 50, `${short} and ${long}`);
      const paths = new Set(simulated.requests.map(({ path }) => path));
      assert.deepEqual([...paths], ['/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens']);
      const behindArn = 'bedrock/arn:aws:bedrock:us-west-2:1:application-inference-profile/a';
      assert.equal(await gateway.countTokens(ask('Hi', { model: behindArn }), signal), undefined);
    });
  }

  test('makes embeddings', async (context) => {
    const { gateway, simulated } = await start(context, { env: keys });
    const request = { inputs: ['one', 'two', 'three'], stream: false } as const;
    const titan = await gateway.embed(
      { ...request, model: 'bedrock/amazon.titan-embed-text-v2:0', dimensions: 256 },
      signal,
    );
    assert.deepEqual(
      titan.vectors.map(({ length }) => length),
      [256, 256, 256],
    );
    assert.ok(titan.usage.input > 0);
    assert.equal(simulated.requests.length, 3);
    const cohere = await gateway.embed({ ...request, model: 'bedrock/cohere.embed-multilingual-v3' }, signal);
    assert.equal(cohere.vectors.length, 3);
    assert.equal(simulated.requests.length, 4);
    const other = gateway.embed({ ...request, model: 'bedrock/other.embed-v1' }, signal);
    await assert.rejects(other, failsWith('bad-request', /other\.embed-v1.*Titan or Cohere/));
  });
});

describe('an error', () => {
  const kinds = {
    400: 'bad-request',
    403: 'auth',
    404: 'not-found',
    429: 'rate-limit',
    500: 'upstream',
    503: 'overloaded',
  };
  for (const [status, kind] of Object.entries(kinds)) {
    test(`with status ${status} is ${kind}`, async (context) => {
      const { gateway } = await start(context, { env: keys });
      await assert.rejects(read(gateway, ask(`status ${status}`)), (error: SimpleAgentsError) => error.kind === kind);
    });
  }

  const streams: readonly (readonly [prompt: string, kind: string])[] = [
    ['throttle', 'rate-limit'],
    ['break', 'upstream'],
    ['damage', 'bad-response'],
    ['cut', 'network'],
    ['end', 'network'],
  ];
  for (const type of ['bedrock', 'bedrock-anthropic']) {
    for (const [prompt, kind] of streams) {
      test(`in a stream of ${type}: ${prompt} is ${kind}`, async (context) => {
        const { gateway } = await start(context, { env: keys }, { type });
        await assert.rejects(read(gateway, ask(prompt)), (error: SimpleAgentsError) => {
          assert.equal(error.kind, kind);
          return true;
        });
      });
    }
  }
});

describe('credentials', () => {
  const file = '/home/u/.aws/credentials';

  test('that are missing name what to set', async (context) => {
    const none = { AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true', HOME: '/home/u' };
    const { gateway } = await start(context, { env: none });
    await assert.rejects(
      read(gateway, ask('Hi')),
      failsWith('auth', /no AWS credentials found; set AWS_ACCESS_KEY_ID/),
    );
  });

  test('that are refused are an error of their kind, without a secret', async (context) => {
    const expired = await start(context, { env: { ...keys, AWS_SESSION_TOKEN: 'token-expired' } });
    await assert.rejects(read(expired.gateway, ask('Hi')), failsWith('auth', /security token .* is expired$/));
    const { gateway } = await start(context, { env: { ...keys, AWS_ACCESS_KEY_ID: 'invalid' } });
    await assert.rejects(read(gateway, ask('Hi')), failsWith('auth', /security token .* is invalid/));
  });

  test('that were rotated are loaded again, and the call succeeds', async (context) => {
    const files: Record<string, string> = { [file]: profile('token-expired') };
    const env = { HOME: '/home/u', AWS_PROFILE: 'work' };
    const { gateway, simulated, state } = await start(context, { env, files });
    // A credential that was just loaded is not loaded again.
    await assert.rejects(read(gateway, ask('Count to 2')), failsWith('auth', /is expired$/));
    files[file] = profile('second');
    state.now += 60_000;
    assert.equal(await say(gateway, ask('Count to 2')), '1, 2');
    assert.equal(simulated.requests.length, 3);
  });

  test('of a wrong clock are signed again with the date of the service', async (context) => {
    for (const skew of [-3_600_000, 3_600_000]) {
      const { gateway, simulated } = await start(context, { env: keys, skew });
      assert.equal(await say(gateway, ask('Count to 2')), '1, 2');
      assert.equal(simulated.requests.length, 2);
      assert.equal(await say(gateway, ask('Count to 2')), '1, 2');
      assert.equal(simulated.requests.length, 3);
    }
  });
});

describe('the region', () => {
  const requests: string[] = [];
  const transport: Transport = {
    send(request) {
      requests.push(request.url);
      return Promise.reject(new SimpleAgentsError('network', 'not sent'));
    },
    close: () => Promise.resolve(),
  };
  async function urlWith(env: Record<string, string>, settings: Partial<ProviderSettings> = {}): Promise<string> {
    const credentialHost = () => ({
      variable: (name: string) => env[name],
      readText: () => Promise.resolve('[default]\nregion = sa-east-1\n'),
      transport,
      direct: transport,
      now: () => Date.now(),
    });
    const provider = { name: 'bedrock', type: 'bedrock', apiKey: 'k', ...settings };
    const gateway = createGateway({ providers: [provider], retry: false }, { transport, credentialHost });
    await assert.rejects(read(gateway, ask('Hi')), /not sent/);
    await gateway.close();
    return new URL(requests.at(-1) ?? '').host;
  }

  test('comes from the settings, else the environment, else the profile', async () => {
    const env = { AWS_REGION: 'eu-west-1', HOME: '/home/u' };
    assert.equal(await urlWith(env, { region: 'ap-south-1' }), 'bedrock-runtime.ap-south-1.amazonaws.com');
    assert.equal(await urlWith(env), 'bedrock-runtime.eu-west-1.amazonaws.com');
    assert.equal(await urlWith({ HOME: '/home/u' }), 'bedrock-runtime.sa-east-1.amazonaws.com');
    assert.equal(await urlWith({ AWS_REGION: 'cn-north-1' }), 'bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });

  test('that is not one is an error', async () => {
    const problem = urlWith({}, { region: 'evil.example/' });
    await assert.rejects(problem, /"evil\.example\/" is not the name of an AWS region/);
  });
});
