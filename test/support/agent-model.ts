// An agent with a scripted model over real HTTP, in either wire, and the requests the model received in a common format.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createAgent, type Agent, type AgentOptions } from '../../src/agent/agent.ts';
import type { AgentEvent, TurnEnd } from '../../src/agent/event.ts';
import type { AgentRun } from '../../src/agent/run.ts';
import { argumentsOf, textOf, type Block, type Message } from '../../src/core/message.ts';
import { withHealing } from '../../src/gateway/output/healing.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Script, ScriptedReply } from '../../src/testing/model/script.ts';
import { createVendorProvider } from '../../src/providers/vendor-provider.ts';
import { vendorNamed, type VendorRow } from '../../src/providers/vendors.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { transportFor } from './transports.ts';

export const wires = ['openai', 'anthropic'] as const;
export type WireName = (typeof wires)[number];

export interface AgentModel {
  readonly server: SimulateServer;
  readonly agent: Agent;
  /** Milliseconds of every wait. The clock is virtual. */
  readonly pauses: readonly number[];
  /** The conversation of each request, a line for each block. */
  readonly asked: () => string[][];
}

/** One test for each wire. */
export function inBothWires(name: string, check: (context: TestContext, wire: WireName) => Promise<void>): void {
  for (const wire of wires) test(`${name} (${wire})`, (context) => check(context, wire));
}

interface ModelOptions {
  readonly replies: readonly ScriptedReply[];
  /** The provider is used without healing. */
  readonly isBare?: boolean;
}

export async function startAgent(
  context: TestContext,
  wire: WireName,
  { replies, isBare = false, ...options }: ModelOptions & AgentOptions,
): Promise<AgentModel> {
  const script: Script = { replies };
  const server = await createSimulateServer({ script });
  context.after(() => server.close());
  const transport = transportFor(context);
  const vendor = createVendorProvider(vendorNamed(wire) as VendorRow, {
    apiKey: 'any',
    baseUrl: `${server.url}/v1`,
    transport,
  });
  const provider = isBare ? vendor : withHealing(vendor);
  const pauses: number[] = [];
  const clock = options.clock ?? hastyClock(pauses);
  const agent = createAgent({ provider, model: 'm', contextWindow: 200_000, ...options, clock });
  const decode = wire === 'openai' ? openaiChatServer : anthropicMessagesServer;
  return {
    server,
    agent,
    pauses,
    asked: () => server.requests.map(({ body }) => decode.decodeRequest(body).messages.flatMap(linesOf)),
  };
}

/** Nobody sleeps here; how long they would have is kept. */
export function hastyClock(pauses: number[] = []): Clock {
  return {
    now: () => performance.now(),
    random: () => 0.5,
    async sleep(milliseconds, signal) {
      pauses.push(milliseconds);
      signal.throwIfAborted();
    },
  };
}

export function linesOf({ role, content }: Message): string[] {
  return content.map((block) => `${role}: ${lineOf(block)}`);
}

function lineOf(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool-call':
      return `${block.id} = ${block.name}(${argumentsOf(block)})`;
    case 'tool-result':
      return `${block.callId} → ${textOf(block.content)}`;
    default:
      return block.type;
  }
}

export interface Reading {
  readonly events: readonly AgentEvent[];
  readonly end: TurnEnd;
  /** What happened beside the model's own events. */
  readonly types: readonly string[];
}

/** Reads a run to its end. The model must have had nothing to object to, unless the test says so. */
export async function readRun(run: AgentRun, mayBeRefused = false): Promise<Reading> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  const end = events.at(-1);
  assert.ok(end?.type === 'turn-end', 'the last event is turn-end');
  assert.equal(events.filter(({ type }) => type === 'turn-end').length, 1);
  if (!mayBeRefused) assert.notEqual(end.error?.kind, 'bad-request', String(end.error));
  const types = events.map(({ type }) => type).filter((type) => type !== 'model-event');
  return { events, end, types };
}

export function eventsOf<T extends AgentEvent['type']>(
  { events }: Pick<Reading, 'events'>,
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<AgentEvent, { type: T }>[];
}

export function noticesOf(reading: Pick<Reading, 'events'>): string[] {
  return eventsOf(reading, 'notice').map(({ kind, detail }) => `${kind}: ${detail}`);
}
