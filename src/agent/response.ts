// What a model response means for the turn: which of its blocks enter the conversation, and what the loop does next. Pure
// functions.

import type { AssembledMessage } from '../core/assembler.ts';
import { toolCallsOf, type Block, type ToolCallBlock } from '../core/message.ts';
import type { ResponseCallIds } from './call-id.ts';
import type { AgentNotice } from './event.ts';
import { toHistoryContent, type AnswerRecord } from './history.ts';

export interface CheckedResponse {
  /** Empty when the response has nothing to keep. */
  readonly content: readonly Block[];
  readonly calls: readonly ToolCallBlock[];
  readonly notices: readonly AgentNotice[];
  /** Model, usage and stop reason, for observers of the history. */
  readonly record: AnswerRecord;
}

/** The response as the conversation keeps it: duplicate calls dropped, call ids unique, blank blocks removed. */
export function checkResponse(message: AssembledMessage, ids: ResponseCallIds): CheckedResponse {
  const notices: AgentNotice[] = message.dropped.map(({ name }) => ({
    type: 'notice',
    kind: 'call-drop',
    detail: `the call of ${name} was cut off and is dropped`,
  }));
  const content = toolCallsOf(message.content).length === 0 ? message.content : withUniqueIds(message, ids, notices);
  const kept = toHistoryContent(content);
  return { content: kept, calls: toolCallsOf(kept), notices, record: recordOf(message) };
}

function recordOf({ id, model, usage, stopReason }: AssembledMessage): AnswerRecord {
  return { id, model, usage, ...(stopReason === undefined ? {} : { stopReason }) };
}

function withUniqueIds({ content }: AssembledMessage, ids: ResponseCallIds, notices: AgentNotice[]): Block[] {
  const seen = new Set<string>();
  const kept: Block[] = [];
  for (const block of content) {
    if (block.type !== 'tool-call') {
      kept.push(block);
    } else if (block.id !== '' && seen.has(block.id)) {
      const detail = `the call of ${block.name} arrived twice (${block.id}) and runs once`;
      notices.push({ type: 'notice', kind: 'call-duplicate', detail });
    } else {
      seen.add(block.id);
      kept.push({ ...block, id: ids.take(block.id) });
    }
  }
  return kept;
}

/** `resume`: the provider paused and continues when its own partial response is sent back. */
export type NextStep = 'tools' | 'continue' | 'resume' | 'end' | 'length' | 'refusal';

export function nextStep(stopReason: AssembledMessage['stopReason'], { content, calls }: CheckedResponse): NextStep {
  if (stopReason === 'refusal') return 'refusal';
  // A complete call needs a result, whatever the stop reason is.
  if (calls.length > 0) return 'tools';
  if (stopReason === 'length') return content.length > 0 ? 'continue' : 'length';
  return stopReason === 'pause' && content.length > 0 ? 'resume' : 'end';
}
