// An agent with subagents and a scripted model in memory, and a check of the order of nested events.

import assert from 'node:assert/strict';
import { createAgent, type Agent, type AgentOptions } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/event.ts';
import type { Subagent } from '../../src/agent/subagent.ts';
import { defineTool, type Tool } from '../../src/agent/tool.ts';
import { textOf, type ToolResultBlock } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import type { ScriptedReply, ScriptedToolCall } from '../../src/testing/model/script.ts';
import { hastyClock } from './agent-model.ts';

export const look: Tool = defineTool({
  name: 'look',
  description: 'Looks somewhere',
  effect: 'pure',
  input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  run: ({ at }) => `${at} is blue`,
});

export const change: Tool = defineTool({ name: 'change', description: 'Changes something', run: () => 'changed' });

export const helper: Subagent = { name: 'helper', description: 'Helps', system: 'You are a helper.' };

export const task = (id: string, prompt: string, more: object = {}): ScriptedToolCall => ({
  name: 'Task',
  id,
  input: { description: `do ${id}`, prompt, ...more },
});

/** The reply to a request whose last message contains the words. */
export const on = (contains: string, reply: ScriptedReply): ScriptedReply => ({ match: { contains }, ...reply });

export interface SubagentModel {
  readonly agent: Agent;
  readonly requests: readonly ChatRequest[];
  /** Results as the agent's model reads them. */
  readonly results: () => string[];
}

/** Tokens cost a thousandth of a dollar each. */
export function subagentModel(
  replies: readonly ScriptedReply[],
  { tools = [look, change], subagents = [helper], ...options }: Partial<AgentOptions> = {},
): SubagentModel {
  const simulated = createSimulatedProvider({ script: { replies } });
  const requests: ChatRequest[] = [];
  const agent = createAgent({
    provider: {
      ...simulated,
      open: (request, signal, context) => (requests.push(request), simulated.open(request, signal, context)),
      costOf: ({ usage }) => (usage.input + usage.output) / 1000,
    },
    clock: hastyClock(),
    tools,
    subagents,
    ...options,
  });
  const results = (): string[] =>
    agent.messages.flatMap(({ content }) =>
      content.filter((block): block is ToolResultBlock => block.type === 'tool-result').map(toLine),
    );
  return { agent, requests, results };
}

function toLine({ callId, content, isError }: ToolResultBlock): string {
  return `${callId}${isError === true ? ' failed' : ''}: ${textOf(content)}`;
}

/** The events of one subagent. */
export function nestedIn(events: readonly AgentEvent[], id: string): AgentEvent[] {
  return events.flatMap((event) => (event.type === 'subagent-event' && event.id === id ? [event.event] : []));
}

/** Checks the grammar of agent/event.ts for a turn and the subagents in it. */
export function checkOrder(events: readonly AgentEvent[]): void {
  assert.equal(events[0]?.type, 'turn-start');
  assert.equal(events.at(-1)?.type, 'turn-end');
  assert.equal(events.filter(({ type }) => type === 'turn-start' || type === 'turn-end').length, 2);
  const open = new Set<string>();
  const nested = new Map<string, AgentEvent[]>();
  for (const event of events) {
    if (event.type === 'tool-start') open.add(event.id);
    if (event.type === 'tool-end') assert.ok(open.delete(event.id), `${event.id} ends after it started`);
    if (event.type !== 'subagent-event') continue;
    assert.ok(open.has(event.id), `an event of ${event.id} comes while its call runs`);
    nested.set(event.id, [...(nested.get(event.id) ?? []), event.event]);
  }
  assert.deepEqual([...open], [], 'every call ends');
  for (const inner of nested.values()) checkOrder(inner);
}
