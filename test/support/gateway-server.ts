// The gateway as its clients see it: a real server with a simulated model over real HTTP in both wires, or with any
// other upstream. Everything closes with the test that started it.

import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';

import type { CallEvent } from '../../src/core/call.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import type { Script } from '../../src/testing/model/script.ts';
import { createServer, type GatewayServer, type ServerOptions } from '../../src/server/server.ts';
import { createSimulateServer, type SimulateOptions, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { createGateway } from '../../src/node.ts';

export const upstreamWires = ['openai', 'anthropic'] as const;
/** With the wire that an OpenAI provider speaks if it is configured to, and that of Google. */
export const allUpstreamWires = [...upstreamWires, 'responses', 'google'] as const;
export type UpstreamWire = (typeof upstreamWires)[number];

export interface TestGateway {
  readonly url: string;
  readonly server: GatewayServer;
  /** The events of all calls. */
  readonly events: CallEvent[];
  readonly openai: openai.OpenAI;
  readonly anthropic: anthropic.Anthropic;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

export interface GatewayTestOptions extends Partial<Omit<ServerOptions, 'provider'>> {
  readonly gateway?: Partial<GatewaySettings>;
  readonly healTools?: boolean;
}

/** `origin`: the address of both providers. */
export async function startGateway(
  context: TestContext,
  origin: string,
  { gateway: settings, healTools, clock, ...options }: GatewayTestOptions = {},
): Promise<TestGateway> {
  const events: CallEvent[] = [];
  const trust = healTools === undefined ? {} : { healTools };
  const providers: ProviderSettings[] = [
    { ...trust, name: 'openai', type: 'openai', apiKey: 'upstream-key', baseUrl: `${origin}/v1` },
    {
      ...trust,
      name: 'responses',
      type: 'openai',
      wire: 'openai-responses',
      apiKey: 'upstream-key',
      baseUrl: `${origin}/v1`,
    },
    { ...trust, name: 'anthropic', type: 'anthropic', apiKey: 'upstream-key', baseUrl: origin },
    { ...trust, name: 'google', type: 'google', apiKey: 'upstream-key', baseUrl: origin },
  ];
  const gateway = createGateway(
    { providers, retry: false, breaker: false, ...settings },
    { transport: createUndiciTransport(), observer: (event) => events.push(event), ...(clock && { clock }) },
  );
  const server = createServer({ port: 0, drain: 0, ...(clock && { clock }), ...options, provider: gateway });
  const url = await server.listen();
  context.after(async () => {
    await server.close();
    await gateway.close();
  });
  const post: TestGateway['post'] = (path, body, headers = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    url,
    server,
    events,
    post,
    openai: new openai.OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 }),
    anthropic: new anthropic.Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 }),
  };
}

export async function startSimulated(context: TestContext, options: SimulateOptions = {}): Promise<SimulateServer> {
  const simulated = await createSimulateServer(options);
  context.after(() => simulated.close());
  return simulated;
}

/** A gateway with a simulated model that plays a script. */
export async function startBoth(
  context: TestContext,
  script?: Script,
  options?: GatewayTestOptions,
): Promise<TestGateway & { readonly upstream: SimulateServer }> {
  const upstream = await startSimulated(context, script === undefined ? {} : { script });
  return { ...(await startGateway(context, upstream.url, options)), upstream };
}

export function ask(model: string, content: string, more: object = {}): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content }], 'max_tokens': 500, ...more };
}

/** A raw socket, for requests that no HTTP library would send. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends bytes and returns everything that arrives until the connection ends. */
export async function exchangeRaw(url: string, text: string): Promise<string> {
  const socket = await openSocket(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(received));
  socket.end(text);
  return promise;
}
