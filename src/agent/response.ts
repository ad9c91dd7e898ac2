// What an answer means for the turn: what of it enters the conversation, and what comes next. Decides; does nothing.

import type { AssembledMessage } from '../core/assembler.ts';
import { toolCallsOf, type Block, type Message, type ToolCallBlock } from '../core/message.ts';
import { CallIds } from './call-id.ts';
import type { AgentNotice } from './event.ts';
import { toHistoryContent, type AnswerRecord } from './history.ts';

export interface CheckedResponse {
  /** May be empty: then there is nothing to keep. */
  readonly content: readonly Block[];
  readonly calls: readonly ToolCallBlock[];
  readonly notices: readonly AgentNotice[];
  /** Who said it, and at what price, for whoever keeps the conversation. */
  readonly record: AnswerRecord;
}

/** The answer as the conversation keeps it: calls once and under ids of their own, nothing blank. */
export function checkResponse(message: AssembledMessage, before: readonly Message[]): CheckedResponse {
  const notices: AgentNotice[] = message.dropped.map(({ name }) => ({
    type: 'notice',
    kind: 'call-drop',
    detail: `the call of ${name} was cut off and is left out`,
  }));
  const content = toolCallsOf(message.content).length === 0 ? message.content : withUniqueIds(message, before, notices);
  const spoken = toHistoryContent(content);
  return { content: spoken, calls: toolCallsOf(spoken), notices, record: recordOf(message) };
}

function recordOf({ id, model, usage, stopReason }: AssembledMessage): AnswerRecord {
  return { id, model, usage, ...(stopReason === undefined ? {} : { stopReason }) };
}

function withUniqueIds({ content }: AssembledMessage, before: readonly Message[], notices: AgentNotice[]): Block[] {
  const ids = new CallIds(before);
  const seen = new Set<string>();
  const kept: Block[] = [];
  for (const block of content) {
    if (block.type !== 'tool-call') {
      kept.push(block);
    } else if (block.id !== '' && seen.has(block.id)) {
      const detail = `the call of ${block.name} came twice (${block.id}) and runs once`;
      notices.push({ type: 'notice', kind: 'call-duplicate', detail });
    } else {
      seen.add(block.id);
      kept.push({ ...block, id: ids.take(block.id) });
    }
  }
  return kept;
}

/** `resume`: the provider paused, and goes on when it gets its own words back. */
export type NextStep = 'tools' | 'continue' | 'resume' | 'end' | 'length' | 'refusal';

export function nextStep(stopReason: AssembledMessage['stopReason'], { content, calls }: CheckedResponse): NextStep {
  if (stopReason === 'refusal') return 'refusal';
  // Whatever the reason says, a whole call waits for its result.
  if (calls.length > 0) return 'tools';
  if (stopReason === 'length') return content.length > 0 ? 'continue' : 'length';
  return stopReason === 'pause' && content.length > 0 ? 'resume' : 'end';
}
