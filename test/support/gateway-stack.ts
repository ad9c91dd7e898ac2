// A gateway with simulated vendors, all over real HTTP, for tests with unmodified clients. The upstreams differ in their
// wire and in whether tool calls are healed. Without healing, bytes pass through if the client uses the same wire.

import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { createSimulateServer, type SimulateOptions, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { createGateway } from '../../src/node.ts';

export interface Upstream {
  readonly name: string;
  /** The model name in a request to the gateway. */
  readonly model: string;
  /** Of a request that is not streamed. */
  readonly path: string;
}

/** Every wire, each as the original API and as a compatible server. */
export const upstreams: readonly Upstream[] = [
  { name: 'openai', model: 'openai/simulated', path: '/v1/chat/completions' },
  { name: 'openai-compatible', model: 'openai-compatible/simulated', path: '/v1/chat/completions' },
  { name: 'anthropic', model: 'anthropic/simulated', path: '/v1/messages' },
  { name: 'anthropic-compatible', model: 'anthropic-compatible/simulated', path: '/v1/messages' },
  { name: 'openai-responses', model: 'openai-responses/simulated', path: '/v1/responses' },
  { name: 'openai-responses-compatible', model: 'openai-responses-compatible/simulated', path: '/v1/responses' },
  { name: 'bedrock', model: 'bedrock/simulated', path: '/model/simulated/converse' },
  { name: 'bedrock-anthropic', model: 'bedrock-anthropic/simulated', path: '/model/simulated/invoke' },
  { name: 'google', model: 'google/simulated', path: '/v1beta/models/simulated:generateContent' },
];

/** The wires of OpenAI, whose base URL has the version. */
const hasVersion = /^\/v1\/(?:chat|responses)/;

export interface GatewayStack {
  /** The gateway's URL. */
  readonly url: string;
  readonly simulator: SimulateServer;
  close(): Promise<void>;
}

export interface StackOptions {
  readonly simulate?: SimulateOptions;
  readonly server?: Partial<ServerOptions>;
  readonly upstreams?: readonly Upstream[];
  readonly gateway?: Partial<GatewaySettings>;
  /** The fields that are left out of requests to an upstream. */
  readonly dropFields?: (upstream: Upstream) => readonly string[];
}

export async function startGatewayStack(options: StackOptions = {}): Promise<GatewayStack> {
  const { simulate, server = {}, upstreams: behind = upstreams, gateway: settings, dropFields = () => [] } = options;
  const simulator = await createSimulateServer(simulate);
  const gateway = createGateway(
    {
      providers: behind.map((upstream) => {
        const { name, path } = upstream;
        return {
          name,
          dropFields: dropFields(upstream),
          type: name.replace('-responses', ''),
          ...(path === '/v1/responses' ? { wire: 'openai-responses' as const } : {}),
          model: 'simulated',
          apiKey: 'upstream-key',
          baseUrl: hasVersion.test(path) ? `${simulator.url}/v1` : simulator.url,
        };
      }),
      ...settings,
    },
    { transport: createUndiciTransport() },
  );
  const front = createServer({
    models: () => behind.map(({ name, model }) => ({ id: model, provider: name })),
    port: 0,
    provider: gateway,
    ...server,
  });
  return {
    url: await front.listen(),
    simulator,
    async close() {
      await front.close({ drain: 0 });
      await gateway.close();
      await simulator.close();
    },
  };
}

/** The model's script in tests of clients: ordinary replies, except for prompts that request a fault. */
export const clientScript = parseScript({
  otherwise: 'reply',
  replies: [
    {
      match: { contains: 'both, please', lastRole: 'user' },
      interleave: true,
      toolCalls: [
        { name: 'get_weather', id: 'call_1', input: { city: 'Paris, the capital of France' } },
        { name: 'get_time', id: 'call_2', input: { zone: 'Europe/Paris, also called CET' } },
      ],
    },
    ...[400, 401, 403, 404, 429, 500, 503, 529].map((status) => ({
      match: `status ${status}`,
      fault: { status, retryAfter: '0' },
    })),
    // After the events that begin a stream, and before its end, on every wire.
    { match: 'break in the middle', text: 'one two three '.repeat(10), fault: { errorAfterEvents: 10 } },
    { match: 'cut in the middle', text: 'one two three '.repeat(40), fault: { cutAtByte: 4000 } },
  ],
});

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
