// Translates between ACP and stream-json, one message at a time, without state. Invariants:
//   1. No function throws on any input. A problem is an error that names it.
//   2. A line gives all its notifications, in the order of its blocks. `system/init` and `result` give none: the session
//      takes metadata, usage and the stop reason from them.
//   3. With partial messages, a block arrives as deltas and again as an `assistant` line. Without state both are
//      translated; a session leaves out the second by message id and block index.

import { isRecord, omitUndefined } from '../core/json.ts';
import { text, type Block, type ToolResultBlock } from '../core/message.ts';
import { decodeContent, decodeToolResult, encodeBlock } from '../streamjson/block.ts';
import { parseLine, recordOf, stringOf, type StreamJsonLine } from '../streamjson/line.ts';
import { encodePrompt } from '../streamjson/prompt.ts';
import { pathOf } from '../streamjson/scope.ts';
import { toPromptContent } from './prompt-content.ts';
import { describeToolCall, planOf } from './tool-call.ts';
import { describeToolResult } from './tool-result.ts';
import type { SessionNotification, SessionUpdate } from './types.ts';

export type Translation<T> =
  | { readonly kind: 'translated'; readonly value: T; readonly warnings: readonly string[] }
  | { readonly kind: 'error'; readonly message: string };

/** The `user` line of a prompt, without LF. */
export function acpToStreamJson(prompt: unknown, sessionId = ''): Translation<string> {
  const content = toPromptContent(prompt);
  if (content.kind === 'error') return content;
  const line = encodePrompt({ role: 'user', content: content.blocks }, sessionId);
  return { kind: 'translated', value: JSON.stringify(line), warnings: content.warnings };
}

/** A text, or content with the error flag. The content may be that of an ACP tool call. */
export type AcpToolResult = string | { readonly content: readonly unknown[]; readonly isError?: boolean };

export function toolResultToStreamJson(id: string, result: AcpToolResult, sessionId = ''): Translation<string> {
  return toolResultsToStreamJson([{ id, result }], sessionId);
}

/** Several results as one line. */
export function toolResultsToStreamJson(
  results: readonly { readonly id: string; readonly result: AcpToolResult }[],
  sessionId = '',
): Translation<string> {
  const content: unknown[] = [];
  const warnings: string[] = [];
  for (const { id, result } of results) {
    const block = toResultBlock(id, result);
    if (block.kind === 'error') return block;
    content.push(encodeBlock(block.value));
    warnings.push(...block.warnings);
  }
  if (content.length === 0) return { kind: 'error', message: 'results: must not be empty' };
  const line = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: sessionId };
  return { kind: 'translated', value: JSON.stringify(line), warnings };
}

function toResultBlock(id: unknown, result: unknown): Translation<ToolResultBlock> {
  if (typeof id !== 'string' || id === '') return { kind: 'error', message: 'id: must be the id of a tool call' };
  const base = { type: 'tool-result', callId: id } as const;
  if (typeof result === 'string')
    return { kind: 'translated', value: { ...base, content: [text(result)] }, warnings: [] };
  if (!isRecord(result) || !Array.isArray(result['content'])) {
    return { kind: 'error', message: 'result: must be a text, or an object with content' };
  }
  const blocks = result['content'].map((block) =>
    recordOf(block)['type'] === 'content' ? recordOf(block)['content'] : block,
  );
  const content = blocks.length === 0 ? undefined : toPromptContent(blocks);
  if (content?.kind === 'error') return { kind: 'error', message: content.message.replace('prompt', 'result.content') };
  const isError = result['isError'] === true ? { isError: true } : {};
  const value = { ...base, content: (content?.blocks ?? []).filter(isResultPart), ...isError };
  return { kind: 'translated', value, warnings: content?.warnings ?? [] };
}

function isResultPart(block: Block): block is ToolResultBlock['content'][number] {
  return block.type === 'text' || block.type === 'image' || block.type === 'document';
}

export function streamJsonToAcp(line: string, sessionId: string): Translation<SessionNotification[]> {
  const parsed = parseLine(line);
  if (parsed.kind === 'error') return parsed;
  if (!parsed.isKnown)
    return { kind: 'translated', value: [], warnings: [`Unknown message type: ${parsed.line.type}`] };
  const meta = metaOf(parsed.line);
  const value = toUpdates(parsed.line).map((update) => toNotification({ ...update, ...meta }, sessionId));
  return { kind: 'translated', value, warnings: [] };
}

function toNotification(update: SessionUpdate, sessionId: string): SessionNotification {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
}

function toUpdates(line: StreamJsonLine): SessionUpdate[] {
  switch (line.type) {
    case 'assistant':
      return fromAssistant(line);
    case 'user':
      return fromUser(line);
    case 'stream_event':
      return fromStreamEvent(line);
    case 'tool_progress':
      return [{ sessionUpdate: 'tool_call_update', toolCallId: line['tool_use_id'] as string, status: 'in_progress' }];
    case 'system': {
      const mode = line['subtype'] === 'status' ? stringOf(line['permissionMode']) : undefined;
      return mode === undefined ? [] : [{ sessionUpdate: 'current_mode_update', currentModeId: mode }];
    }
    default:
      return [];
  }
}

function fromAssistant(line: StreamJsonLine): SessionUpdate[] {
  const { id, content } = recordOf(line['message']);
  const messageId = stringOf(id);
  return decodeContent(content).flatMap((block) => {
    if (block.type === 'text') return chunk(line, 'agent_message_chunk', block.text, messageId);
    if (block.type === 'reasoning') return chunk(line, 'agent_thought_chunk', block.text, messageId);
    return block.type === 'tool-call' ? toolCall(block.id, block.name, block.input) : [];
  });
}

function fromStreamEvent(line: StreamJsonLine): SessionUpdate[] {
  const event = recordOf(line['event']);
  const messageId = stringOf(line['api_message_id']);
  const { type, text: answer, thinking } = recordOf(event['delta']);
  if (type === 'text_delta') return chunk(line, 'agent_message_chunk', answer, messageId);
  if (type === 'thinking_delta') return chunk(line, 'agent_thought_chunk', thinking, messageId);
  const block = recordOf(event['content_block']);
  if (block['type'] !== 'tool_use' || typeof block['id'] !== 'string') return [];
  return toolCall(block['id'], stringOf(block['name']) ?? '', block['input'] ?? {});
}

/** What a subagent writes is not the answer, so it is shown as a thought. */
function chunk(
  line: StreamJsonLine,
  kind: 'agent_message_chunk' | 'agent_thought_chunk',
  value: unknown,
  messageId: string | undefined,
): SessionUpdate[] {
  if (typeof value !== 'string' || value === '') return [];
  const sessionUpdate = pathOf(line).length > 0 ? 'agent_thought_chunk' : kind;
  return [omitUndefined({ sessionUpdate, content: { type: 'text', text: value } as const, messageId })];
}

function toolCall(id: string, name: string, input: unknown): SessionUpdate[] {
  const entries = planOf(name, input);
  const call: SessionUpdate = {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    status: 'pending',
    ...describeToolCall(name, input),
  };
  return entries === undefined ? [call] : [call, { sessionUpdate: 'plan', entries }];
}

/** Other user lines repeat the prompt, which the editor shows already, or are texts that the agent adds. */
function fromUser(line: StreamJsonLine): SessionUpdate[] {
  const { content } = recordOf(line['message']);
  const results = (Array.isArray(content) ? content : []).map(recordOf).filter(({ type }) => type === 'tool_result');
  const details = results.length === 1 ? line['tool_use_result'] : undefined;
  return results.map((block) => {
    const result = decodeToolResult(block);
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId: result.callId,
      status: result.isError === true ? 'failed' : 'completed',
      ...describeToolResult(result, details),
    };
  });
}

/** Names the call that started the subagent. */
function metaOf(line: StreamJsonLine): Pick<SessionUpdate, '_meta'> {
  const parent = pathOf(line).at(-1);
  return parent === undefined ? {} : { _meta: { 'simple-agents/parentToolCallId': parent } };
}
