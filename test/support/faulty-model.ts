// A simulated model over real HTTP with faults, called through our own providers in either wire, and an undamaged
// response, byte by byte, with which every damaged one is compared.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { assemble, type AssembledMessage } from '../../src/core/assembler.ts';
import { SimpleAgentsError } from '../../src/core/error.ts';
import { isContent, type StreamEvent } from '../../src/core/event.ts';
import { text } from '../../src/core/message.ts';
import type { ModelStream, Provider } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import type { Fault } from '../../src/testing/model/fault.ts';
import type { Script } from '../../src/testing/model/script.ts';
import { createVendorProvider, type VendorOptions } from '../../src/providers/vendor-provider.ts';
import { vendorNamed, type VendorRow } from '../../src/providers/vendors.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { startSocketServer, type TestServer } from './server.ts';
import { transportFor, transports, type TransportName } from './transports.ts';
import { never } from './upstream.ts';

export const vendorNames = ['openai', 'anthropic'] as const;
export type VendorName = (typeof vendorNames)[number];

export const request: ChatRequest = {
  model: 'm',
  messages: [{ role: 'user', content: [text('Is it raining?')] }],
  tools: [{ name: 'look', inputSchema: { type: 'object', properties: { at: { type: 'string' } } } }],
};

/** Text and a tool call, short enough to be cut at every byte. */
const script: Script = {
  replies: [{ match: { contains: 'raining' }, text: 'Wait ☂', toolCalls: [{ name: 'look', input: { at: 'sky' } }] }],
};

export interface FaultyModel {
  readonly server: SimulateServer;
  /** A proxy between the model and its callers that sees their sockets. */
  readonly relay: TestServer;
  provider(vendor: VendorName, fault?: Fault, options?: Partial<VendorOptions>): Provider;
  /** Closes all connections. */
  loadUnharmed(vendor: VendorName): Promise<Unharmed>;
}

export interface FaultyModelOptions {
  readonly replies?: Script;
  readonly transport?: TransportName;
}

export async function startFaultyModel(
  context: TestContext,
  { replies = script, transport: name = 'undici' }: FaultyModelOptions = {},
): Promise<FaultyModel> {
  const server = await createSimulateServer({ script: replies });
  context.after(() => server.close());
  const relay = await startRelay(context, server.port);
  const transport = transportFor(context, name);
  return {
    server,
    relay,
    provider: (vendor, fault = {}, options = {}) =>
      createVendorProvider(vendorNamed(vendor) as VendorRow, {
        apiKey: 'any',
        baseUrl: `${relay.origin}/v1`,
        transport,
        headers: { 'x-simulate-fault': JSON.stringify(fault) },
        ...options,
      }),
    loadUnharmed: (vendor) => loadUnharmed(vendor, `${server.url}/v1`),
  };
}

async function startRelay(context: TestContext, port: number): Promise<TestServer> {
  return startSocketServer(context, (socket) => {
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => socket.destroy());
    upstream.on('close', () => socket.destroySoon());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  });
}

/** Everything that a reader received, and what was thrown, if anything. */
export interface Reading {
  readonly isOpened: boolean;
  readonly events: readonly StreamEvent[];
  readonly thrown?: unknown;
}

export async function readThrough(provider: Provider, signal: AbortSignal = never): Promise<Reading> {
  const events: StreamEvent[] = [];
  let stream: ModelStream | undefined;
  try {
    stream = await provider.open(request, signal);
    for await (const event of stream) events.push(event);
    assert.equal((await stream.ended).type, 'complete');
    return { isOpened: true, events };
  } catch (thrown) {
    if (stream !== undefined)
      assert.deepEqual({ ...(await stream.ended), usage: 0 }, { type: 'failed', error: thrown, usage: 0 });
    return { isOpened: stream !== undefined, events, thrown };
  }
}

/** An undamaged response. */
export interface Unharmed {
  readonly bytes: Buffer;
  readonly events: readonly StreamEvent[];
  readonly message: AssembledMessage;
  /** From this many bytes on the stream is committed. */
  readonly committedAt: number;
  /** From this many bytes on the stop reason is known. */
  readonly stoppedAt: number;
}

async function loadUnharmed(vendor: VendorName, baseUrl: string): Promise<Unharmed> {
  const transport = transports.undici();
  const provider = createVendorProvider(vendorNamed(vendor) as VendorRow, { apiKey: 'any', baseUrl, transport });
  const { events } = await readThrough(provider);
  const { bytes } = await readBytes(await provider.open(request, never));
  await transport.close();
  const committing = events.find(isContent);
  assert.ok(committing?.type === 'text-delta');
  const message = assemble(events);
  assert.equal(message.stopReason, 'tool-calls');
  return {
    bytes,
    events,
    message,
    committedAt: endOfLine(bytes, JSON.stringify(committing.text)),
    stoppedAt: endOfLine(bytes, `_reason":"${message.providerStopReason}"`),
  };
}

/** The bytes, and what was thrown after them. */
export async function readBytes({ bytes }: ModelStream): Promise<{ bytes: Buffer; thrown?: unknown }> {
  assert.ok(bytes !== undefined);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of bytes) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks) };
  } catch (thrown) {
    return { bytes: Buffer.concat(chunks), thrown };
  }
}

/** The end of the data line with the text. Its line break does not matter: an event without it is read too. */
function endOfLine(bytes: Buffer, words: string): number {
  const at = bytes.indexOf(words);
  assert.notEqual(at, -1, words);
  return bytes.indexOf('\n', at);
}

/** Cut after `at` bytes, a response is a network error or the undamaged response, and nothing in between. */
export async function checkCut(provider: Provider, at: number, unharmed: Unharmed): Promise<void> {
  const { isOpened, events, thrown } = await readThrough(provider);
  assert.equal(isOpened, at >= unharmed.committedAt, 'opened');
  assertPrefix(events, unharmed.events);
  if (at < unharmed.stoppedAt) {
    assert.ok(thrown instanceof SimpleAgentsError, 'an error is thrown');
    assert.equal(thrown.kind, 'network', thrown.message);
    assert.notEqual(events.at(-1)?.type, 'message-end');
  } else {
    assert.equal(thrown, undefined);
    assert.deepEqual({ ...assemble(events), usage: 0 }, { ...unharmed.message, usage: 0 });
  }
}

export function assertPrefix(events: readonly StreamEvent[], whole: readonly StreamEvent[]): void {
  assert.deepEqual(events.map(withoutUsage), whole.slice(0, events.length).map(withoutUsage));
}

/** Usage may be missing from the last event: one wire sends it after the stop reason. */
function withoutUsage(event: StreamEvent): object {
  return event.type === 'message-end' ? { ...event, usage: 0 } : event;
}
