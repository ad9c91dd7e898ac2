// The data-governance promise: a request that names a model is sent to targets that its name allows, and to no others,
// whatever fails. Random configurations and requests against upstreams that fail in every known way.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { text } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Transport, TransportRequest } from '../../src/transport/transport.ts';
import { runs } from '../support/enumeration.ts';
import { startGateway, startSimulated, ask } from '../support/gateway-server.ts';
import { never, readAll, role, say } from '../support/upstream.ts';
import { createClient, createGateway } from '../../src/node.ts';

const providerNames = ['a', 'b', 'c', 'd'];
const modelNames = ['m1', 'm2', 'm3'];
const faults = ['status', 'overflow', 'missing', 'refused-key', 'network', 'cut', 'error-in-200'] as const;
type Fault = (typeof faults)[number];

const responses: Readonly<Record<Exclude<Fault, 'network'>, readonly [status: number, body: string]>> = {
  status: [500, '{"error":{"message":"no"}}'],
  overflow: [400, '{"error":{"message":"too long","code":"context_length_exceeded"}}'],
  missing: [404, '{"error":{"message":"no such model"}}'],
  'refused-key': [401, '{"error":{"message":"no"}}'],
  'error-in-200': [200, `${role}data: {"error":{"message":"no"}}\n\n`],
  // Cut off after some text, so that a continuation is requested.
  cut: [200, role + say('Once upon a ')],
};

/** Fails the calls with the faults in turn, and records which target was called for which model. */
class FailingTransport implements Transport {
  readonly asked = new Set<string>();
  readonly #faults: readonly Fault[];
  #calls = 0;

  constructor(list: readonly Fault[]) {
    this.#faults = list;
  }

  send({ url, body }: TransportRequest) {
    const { model } = JSON.parse(body ?? '{}') as { model: string };
    this.asked.add(`${new URL(url).hostname.replace('.test', '')}/${model}`);
    const fault = this.#faults[this.#calls++ % this.#faults.length] ?? 'status';
    if (fault === 'network') return Promise.reject(new Error('connection reset'));
    const [status, answer] = responses[fault];
    const type = status === 200 ? 'text/event-stream' : 'application/json';
    return Promise.resolve({ status, headers: { 'content-type': type }, body: chunksOf(answer) });
  }

  close() {
    return Promise.resolve();
  }
}

async function* chunksOf(answer: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(answer);
}

const providerName = fc.constantFrom(...providerNames);
const modelName = fc.constantFrom(...modelNames);
const targetName = fc.tuple(providerName, modelName).map((parts) => parts.join('/'));
const anyName = fc.oneof(targetName, modelName, providerName, fc.constantFrom('fast', 'strong'));

const settingsOf = fc.record(
  {
    providers: fc.array(
      fc.record({ name: providerName, model: modelName, models: fc.subarray(modelNames) }, { requiredKeys: ['name'] }),
      { minLength: 2, maxLength: 4 },
    ),
    aliases: fc.dictionary(fc.constantFrom('fast', 'strong'), fc.array(targetName, { minLength: 1, maxLength: 3 })),
    chains: fc.array(
      fc.record(
        { model: anyName, targets: fc.array(targetName, { minLength: 1, maxLength: 3 }) },
        { requiredKeys: ['targets'] },
      ),
      { maxLength: 3 },
    ),
    defaultModel: anyName,
    defaultProvider: providerName,
    strategy: fc.constantFrom('priority', 'round-robin', 'least-busy', 'latency' as const),
    onCut: fc.constantFrom('fail', 'continue' as const),
  },
  { requiredKeys: ['providers', 'aliases', 'chains'] },
);

type Drawn = typeof settingsOf extends fc.Arbitrary<infer T> ? T : never;

function toSettings(drawn: Drawn): GatewaySettings {
  const unique = [...new Map(drawn.providers.map((provider) => [provider.name, provider])).values()];
  const { aliases, chains, strategy, onCut, defaultModel, defaultProvider } = drawn;
  return {
    providers: unique.map((provider) => ({
      ...provider,
      type: 'openai-compatible',
      baseUrl: `http://${provider.name}.test/v1`,
    })),
    spares: unique.map(({ name }) => name),
    aliases: Object.fromEntries(Object.entries(aliases).map(([name, targets]) => [name, { targets }])),
    chains,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
    onlyConfigured: true,
    retry: { maxAttempts: 2 },
    router: { ...(strategy === undefined ? {} : { strategy }), ...(onCut === undefined ? {} : { onCut }) },
  };
}

/** The promise, implemented independently. */
function allowedBy(
  name: string,
  { providers, aliases, chains, defaultModel, defaultProvider }: GatewaySettings,
): string[] {
  const toTarget = (target: string): string => {
    if (providers.some((provider) => target.startsWith(`${provider.name}/`))) return target;
    return defaultProvider === undefined ? target : `${defaultProvider}/${target}`;
  };
  const written = chains?.find(({ model = defaultModel }) => model === name)?.targets.map(toTarget) ?? [];
  const [first = '', ...rest] = name.split('/');
  const named = providers.find((provider) => provider.name === first);
  const listing = providers.filter(({ model, models }) => model === name || models?.includes(name));
  if (aliases !== undefined && Object.hasOwn(aliases, name))
    return [...(aliases[name]?.targets ?? []).map(toTarget), ...written];
  if (named !== undefined) return [`${first}/${rest.join('/') || (named.model ?? named.models?.[0])}`, ...written];
  if (listing.length > 0) return [...listing.map((provider) => `${provider.name}/${name}`), ...written];
  return [...(defaultProvider === undefined ? [] : [`${defaultProvider}/${name}`]), ...written];
}

test('a named model is served only by the targets that its name allows', async () => {
  const property = fc.asyncProperty(
    settingsOf,
    fc.array(anyName, { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 6 }),
    async (drawn, names, list) => {
      const settings = toSettings(drawn);
      const clock = { ...systemClock, sleep: () => Promise.resolve() };
      for (const name of names) {
        const transport = new FailingTransport(list);
        const gateway = createGateway(settings, { transport, clock });
        const request: ChatRequest = { model: name, messages: [{ role: 'user', content: [text('Go.')] }] };
        await gateway.open(request, never).then(readAll, () => undefined);
        const allowed = allowedBy(name, settings);
        for (const asked of transport.asked) assert.ok(allowed.includes(asked), `${name} was sent to ${asked}`);
        await gateway.close();
      }
    },
  );
  await fc.assert(property, { numRuns: runs(1500, 200) });
});

test('a request without a model falls back to the other providers', async () => {
  const settings = toSettings({
    providers: [
      { name: 'a', model: 'm1' },
      { name: 'b', model: 'm2' },
    ],
    aliases: {},
    chains: [],
  });
  const transport = new FailingTransport(['status']);
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const gateway = createGateway(settings, { transport, clock });
  const request: ChatRequest = { model: '', messages: [{ role: 'user', content: [text('Go.')] }] };
  await assert.rejects(gateway.open(request, never));
  assert.deepEqual([...transport.asked], ['a/m1', 'b/m2']);
});

describe('over HTTP', () => {
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    test(`${path}: a named provider that fails is an error, even if another is configured`, async (context) => {
      const replies = Array.from({ length: 4 }, () => ({ text: 'x', fault: { status: 500 } }));
      const failing = await startSimulated(context, { script: { replies } });
      const other = await startSimulated(context);
      const providers = [
        { name: 'oai', type: 'openai-compatible', model: 'simulated', apiKey: 'any', baseUrl: `${failing.url}/v1` },
        { name: 'other', type: 'openai-compatible', model: 'spare', apiKey: 'any', baseUrl: `${other.url}/v1` },
      ];
      const gateway = { providers, spares: ['oai', 'other'] };
      const served = await startGateway(context, '', { gateway });
      for (const model of ['oai/simulated', 'oai', 'simulated']) {
        const response = await served.post(path, ask(model, 'Hello'));
        // The provider's own status, because the client speaks its format.
        assert.equal(response.status, path === '/v1/chat/completions' ? 500 : 502, model);
        assert.equal(response.headers.get('x-simple-agents-target'), 'oai');
      }
      assert.equal(other.requests.length, 0);
      const { max_tokens, messages } = ask('', 'Hello');
      const unnamed = await served.post(path, { max_tokens, messages });
      assert.equal(unnamed.status, 200);
      const counted = await served.post('/v1/messages/count_tokens', { messages });
      assert.equal(counted.status, 200);
      assert.equal(other.requests.length, 1);
    });
  }
});

function providerTable(name: string, model: string): string {
  return `[[providers]]\nname = "${name}"\ntype = "openai-compatible"\nmodel = "${model}"\nbase_url = "http://${name}.test/v1"\n`;
}

test('without a default, a request without a model is an error', async (context) => {
  const providers = [{ name: 'house', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' }];
  const served = await startGateway(context, '', { gateway: { providers } });
  const { max_tokens, messages } = ask('', 'Hello');
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const response = await served.post(path, { max_tokens, messages });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /the request names no model and the configuration has no default/);
  }
});

test('the library and its configuration file keep the promise', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'named-model-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'simple-agents.toml');
  await writeFile(config, `${providerTable('a', 'm1')}${providerTable('b', 'm2')}[[chains]]\ntargets = ["b/m3"]\n`);
  const asked = async (options: { model?: string; provider?: string }, model?: string): Promise<string[]> => {
    const transport = new FailingTransport(['missing']);
    const client = createClient({ config, transport, ...options });
    await assert.rejects(client.complete('Go.', model));
    return [...transport.asked];
  };
  assert.deepEqual(await asked({}), ['a/m1', 'b/m3']);
  assert.deepEqual(await asked({}, 'a/m1'), ['a/m1']);
  assert.deepEqual(await asked({}, 'm2'), ['b/m2']);
  assert.deepEqual(await asked({ model: 'a/m1' }), ['a/m1']);
  assert.deepEqual(await asked({ model: 'a/m1' }, 'b'), ['b/m2']);
  assert.deepEqual(await asked({ provider: 'a' }), ['a/m1']);
});
