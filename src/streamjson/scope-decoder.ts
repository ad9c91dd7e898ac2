// Decodes the lines of one agent, or of one subagent, into events: its responses, and the life of its tool calls.
// Invariants:
//   1. A call starts once and ends once. Calls without a result end with an error when the turn ends.
//   2. The CLI has no line for the start of a call: its calls start when their message ends, or when a line about the call
//      arrives. Our own encoder sends the start (`isExplicit`).

import type { AgentEvent } from '../agent/event.ts';
import { classifyFailure } from '../core/error.ts';
import { isRecord, omitUndefined } from '../core/json.ts';
import { text, type ToolCallBlock, type ToolResultBlock } from '../core/message.ts';
import { decodeToolResult } from './block.ts';
import { decodeEvent } from './extension.ts';
import { extensionOf, numberOf, recordOf, stringOf, type StreamJsonLine } from './line.ts';
import { MessageDecoder, type MessageProgress } from './message-decoder.ts';

interface PendingCall {
  readonly name: string;
  readonly input: unknown;
  isStarted: boolean;
}

export class ScopeDecoder {
  readonly #messages = new MessageDecoder();
  readonly #calls = new Map<string, PendingCall>();
  /** A call may end before its message does. */
  readonly #ended = new Set<string>();
  #restarts = 0;
  #iterations = 0;

  get text(): string {
    return this.#messages.text;
  }

  /** Messages with tool calls. */
  get iterations(): number {
    return this.#iterations;
  }

  knows(callId: string): boolean {
    return this.#calls.has(callId) || this.#messages.findCall(callId) !== undefined;
  }

  push(line: StreamJsonLine, isExplicit: boolean): AgentEvent[] {
    switch (line.type) {
      case 'assistant':
        return this.#onProgress(this.#messages.onAssistant(line), isExplicit);
      case 'stream_event':
        return this.#onStreamEvent(line, isExplicit);
      case 'user':
        return this.#onUser(line, isExplicit);
      case 'tool_progress':
        return [...this.#close(isExplicit), ...this.#onToolProgress(line)];
      case 'control_request':
        return this.#onPermissionRequest(line, isExplicit);
      case 'system':
        return this.#onSystem(line);
      default:
        return [];
    }
  }

  /** The turn is over. */
  finish(isExplicit: boolean): AgentEvent[] {
    const events = this.#close(isExplicit);
    this.#messages.discard();
    for (const [id, call] of this.#calls) {
      const result: ToolResultBlock = { type: 'tool-result', callId: id, content: [text(noResult)], isError: true };
      if (call.isStarted) events.push({ type: 'tool-end', id, name: call.name, result, duration: 0 });
    }
    this.#calls.clear();
    this.#ended.clear();
    this.#restarts = 0;
    this.#iterations = 0;
    return events;
  }

  #onStreamEvent(line: StreamJsonLine, isExplicit: boolean): AgentEvent[] {
    const progress = this.#messages.onStreamEvent(line);
    const events = this.#onProgress(progress, isExplicit);
    if (progress.isAbandoned !== true) return events;
    this.#restarts += 1;
    return [...events, decodeEvent(extensionOf(line)['event']) ?? { type: 'stream-restart', attempt: this.#restarts }];
  }

  #onProgress({ events, calls }: MessageProgress, isExplicit: boolean): AgentEvent[] {
    if (calls.length > 0) this.#iterations += 1;
    for (const call of calls) this.#register(call);
    const starts = isExplicit ? [] : calls.flatMap(({ id }) => this.#start(id));
    return [...events.map((event) => ({ type: 'model-event', event }) as const), ...starts];
  }

  #register({ id, name, input }: ToolCallBlock): void {
    if (!this.#calls.has(id) && !this.#ended.has(id)) this.#calls.set(id, { name, input, isStarted: false });
  }

  #start(id: string): AgentEvent[] {
    const call = this.#calls.get(id);
    if (call === undefined || call.isStarted) return [];
    call.isStarted = true;
    return [{ type: 'tool-start', id, name: call.name, input: call.input }];
  }

  #close(isExplicit: boolean): AgentEvent[] {
    return this.#onProgress(this.#messages.close(), isExplicit);
  }

  /** Other user lines are texts that the CLI adds to the conversation. They are not events. */
  #onUser(line: StreamJsonLine, isExplicit: boolean): AgentEvent[] {
    const { content } = recordOf(line['message']);
    const results = Array.isArray(content) ? content.filter((block) => recordOf(block)['type'] === 'tool_result') : [];
    if (results.length === 0) return [];
    const events = this.#close(isExplicit);
    for (const block of results) events.push(...this.#endCall(recordOf(block), extensionOf(line)));
    return events;
  }

  #endCall(block: Record<string, unknown>, own: Record<string, unknown>): AgentEvent[] {
    const id = stringOf(block['tool_use_id']) ?? '';
    const starts = this.#ensureStarted(id, stringOf(own['name']));
    const name = stringOf(own['name']) ?? this.#calls.get(id)?.name ?? '';
    this.#calls.delete(id);
    this.#ended.add(id);
    const result = ownResult(own['result']) ?? decodeToolResult(block);
    return [...starts, { type: 'tool-end', id, name, result, duration: numberOf(own['duration']) ?? 0 }];
  }

  /** For a line about a call whose message has not ended, or that was never seen. */
  #ensureStarted(id: string, name = ''): AgentEvent[] {
    const call = this.#messages.findCall(id) ?? { type: 'tool-call', id, name, input: null };
    this.#register(call);
    return this.#start(id);
  }

  #onToolProgress(line: StreamJsonLine): AgentEvent[] {
    const event = decodeEvent(extensionOf(line)['event']);
    if (event?.type === 'tool-start') {
      this.#calls.set(event.id, { name: event.name, input: event.input, isStarted: true });
    }
    return event === undefined ? this.#ensureStarted(stringOf(line['tool_use_id']) ?? '') : [event];
  }

  #onPermissionRequest(line: StreamJsonLine, isExplicit: boolean): AgentEvent[] {
    const request = recordOf(line['request']);
    if (request['subtype'] !== 'can_use_tool') return [];
    const own = extensionOf(line);
    const name = stringOf(request['tool_name']) ?? '';
    const id = stringOf(request['tool_use_id']) ?? stringOf(line['request_id']) ?? '';
    const closed = this.#close(isExplicit);
    const input = 'input' in own ? own['input'] : request['input'];
    const reason = omitUndefined({ reason: stringOf(request['decision_reason']) });
    const event: AgentEvent = { type: 'permission-request', id, name, input, ...reason };
    return [...closed, ...this.#ensureStarted(id, name), event];
  }

  #onSystem(line: StreamJsonLine): AgentEvent[] {
    const own = decodeEvent(extensionOf(line)['event']);
    if (own?.type === 'stream-restart') this.#messages.discard();
    if (own !== undefined) return [own];
    if (line['subtype'] !== 'api_retry') return [];
    const error = classifyFailure(
      omitUndefined({
        message: `The request failed: ${stringOf(line['error']) ?? 'unknown error'}`,
        status: numberOf(line['error_status']),
      }),
    );
    const [attempt, limit] = [numberOf(line['attempt']) ?? 1, numberOf(line['max_retries']) ?? 0];
    return [{ type: 'retry-wait', attempt, limit, delay: numberOf(line['retry_delay_ms']) ?? 0, error }];
  }
}

const noResult = 'The turn ended before the tool returned a result.';

function ownResult(value: unknown): ToolResultBlock | undefined {
  const isResult = isRecord(value) && value['type'] === 'tool-result' && Array.isArray(value['content']);
  return isResult ? (value as unknown as ToolResultBlock) : undefined;
}
