// Encodes the events of an agent as the lines that the claude CLI writes. Invariants:
//   1. Lines have the CLI's own form wherever it has one. The rest is in the extension member, which hosts ignore.
//   2. With partial messages and replayed prompts, decode(encode(events)) = events. Without partial messages, the deltas
//      and the usage of single responses are missing; without replay, the prompt is.

import type { AgentEvent, PermissionRequest, ToolEnd, TurnEnd, TurnStart } from '../agent/event.ts';
import { isRecord, omitUndefined, type JsonObject } from '../core/json.ts';
import { textOf, type Message } from '../core/message.ts';
import { charactersPerToken } from '../core/token-estimate.ts';
import { decodeContent, decodeToolResult, encodeBlock, encodeFailure, isSame } from './block.ts';
import { encodeEvent } from './extension.ts';
import { ApiStopwatch } from './api-stopwatch.ts';
import { recordOf, stringOf, type StreamJsonLine } from './line.ts';
import { MessageEncoder } from './message-encoder.ts';
import { toLine, type LineIdentity, type ScopePath } from './scope.ts';
import { encodeResult, extendResult, type DeniedCall, type SessionTotals } from './turn-result.ts';

export interface StreamJsonEncoderOptions extends LineIdentity {
  readonly includePartialMessages?: boolean;
  readonly replayUserMessages?: boolean;
  /** The members of `system/init` that describe the session now: `cwd`, `tools`, `model`, `permissionMode`, … */
  readonly session: () => JsonObject;
  /** What the session has used so far, including subagents. */
  readonly totals: () => SessionTotals;
  /** Milliseconds. */
  readonly now: () => number;
}

interface RunningTool {
  readonly name: string;
  readonly begun: number;
}

export class StreamJsonEncoder {
  readonly #options: StreamJsonEncoderOptions;
  readonly #messages = new Map<string, MessageEncoder>();
  readonly #stopwatch: ApiStopwatch;
  readonly #tools = new Map<string, RunningTool>();
  #denials: DeniedCall[] = [];
  /** The `user` line of the next turn. */
  #prompt: StreamJsonLine | undefined;
  /** The last event of the turn was about a tool. */
  #isInTools = false;

  constructor(options: StreamJsonEncoderOptions) {
    this.#options = options;
    this.#stopwatch = new ApiStopwatch(options.now);
  }

  /** Names the line that the next turn answers, so that the replayed line has the same id. */
  expectPrompt(line: StreamJsonLine): void {
    this.#prompt = line;
  }

  /** A call of the current turn was not permitted. */
  deny(call: DeniedCall): void {
    this.#denials.push(call);
  }

  push(event: AgentEvent): StreamJsonLine[] {
    this.#stopwatch.push(event);
    if (event.type !== 'turn-end' && event.type !== 'notice') this.#isInTools = toolEvents.has(event.type);
    return this.#encode(event, []);
  }

  #encode(event: AgentEvent, path: ScopePath): StreamJsonLine[] {
    switch (event.type) {
      case 'turn-start':
        return path.length === 0 ? this.#startTurn(event) : [this.#startTask(event, path)];
      case 'model-event':
        return this.#messageEncoder(path).push(event.event);
      case 'tool-start':
        this.#tools.set(event.id, { name: event.name, begun: this.#options.now() });
        return [this.#toolProgress(event, path)];
      case 'tool-output':
        return [this.#toolProgress(event, path)];
      case 'tool-end':
        return [this.#endTool(event, path)];
      case 'permission-request':
        return [this.#requestPermission(event, path)];
      case 'stream-restart':
        return this.#messageEncoder(path).restart(event.attempt);
      case 'subagent-event':
        return this.#encode(event.event, [...path, event.id]);
      case 'turn-end':
        return [path.length === 0 ? this.#endTurn(event) : this.#endTask(event, path)];
      case 'retry-wait':
      case 'context-trim':
      case 'notice':
        return [this.#withEvent(event, { type: 'system', ...systemMembers(event) }, path)];
    }
  }

  #startTurn({ prompt, model }: TurnStart): StreamJsonLine[] {
    const session = { model, ...this.#options.session() };
    const own = session.model === model ? { explicit: true } : { explicit: true, model };
    const init = this.#line({ type: 'system', subtype: 'init', ...session }, [], own);
    return this.#options.replayUserMessages === true ? [init, this.#replay(prompt)] : [init];
  }

  /** Repeats the line of the prompt, or encodes a prompt that had none. */
  #replay(prompt: Message): StreamJsonLine {
    const source = this.#prompt;
    this.#prompt = undefined;
    const message = source?.['message'] ?? { role: 'user', content: prompt.content.map(encodeBlock) };
    const decoded = { role: 'user', content: decodeContent(recordOf(message)['content']) };
    const own = isSame(decoded, prompt) ? {} : { prompt };
    const line = this.#line({ type: 'user', message, isReplay: true }, [], own);
    return { ...line, ...omitUndefined({ uuid: stringOf(source?.['uuid']) }) };
  }

  #startTask(event: TurnStart, path: ScopePath): StreamJsonLine {
    const id = path.at(-1);
    const prompt = textOf(event.prompt.content);
    const members = {
      task_id: id,
      tool_use_id: id,
      description: prompt.slice(0, 100),
      prompt,
      task_type: 'local_agent',
    };
    return this.#withEvent(event, { type: 'system', subtype: 'task_started', ...members }, path);
  }

  #endTask(event: TurnEnd, path: ScopePath): StreamJsonLine {
    const id = path.at(-1);
    const status = event.reason === 'end' ? 'completed' : event.reason === 'cancelled' ? 'stopped' : 'failed';
    const members = { task_id: id, tool_use_id: id, status, summary: event.error?.message ?? event.text };
    return this.#withEvent(event, { type: 'system', subtype: 'task_notification', ...members }, path);
  }

  #toolProgress(event: AgentEvent & { readonly id: string }, path: ScopePath): StreamJsonLine {
    const { now } = this.#options;
    const { name, begun } = this.#tools.get(event.id) ?? { name: '', begun: now() };
    const elapsed = Math.round((now() - begun) / 100) / 10;
    const members = { tool_use_id: event.id, tool_name: name, elapsed_time_seconds: elapsed };
    return this.#withEvent(event, { type: 'tool_progress', ...members }, path);
  }

  #messageEncoder(path: ScopePath): MessageEncoder {
    const key = JSON.stringify(path);
    const known = this.#messages.get(key);
    if (known !== undefined) return known;
    const encoder = new MessageEncoder(this.#options, path, this.#options.includePartialMessages === true);
    this.#messages.set(key, encoder);
    return encoder;
  }

  #endTool({ id, name, result, duration }: ToolEnd, path: ScopePath): StreamJsonLine {
    this.#tools.delete(id);
    const content = encodeBlock(result);
    const isExact = isSame(decodeToolResult(content), result);
    const message = { role: 'user', content: [{ ...content, tool_use_id: id }] };
    return this.#line({ type: 'user', message }, path, {
      name,
      duration,
      ...(isExact && result.callId === id ? {} : { result }),
    });
  }

  /** The host answers with a `control_response` that has the same `request_id`. */
  #requestPermission({ id, name, input, reason }: PermissionRequest, path: ScopePath): StreamJsonLine {
    const request = omitUndefined({
      subtype: 'can_use_tool',
      tool_name: name,
      display_name: name,
      input: isRecord(input) ? input : {},
      tool_use_id: id,
      decision_reason: reason,
    });
    const members = { type: 'control_request', request_id: this.#options.createId(), request };
    return this.#line(members, path, isRecord(input) ? {} : { input });
  }

  #endTurn(event: TurnEnd): StreamJsonLine {
    const record = {
      totals: this.#options.totals(),
      apiDuration: this.#stopwatch.take(),
      denials: this.#denials,
      isInTools: this.#isInTools,
    };
    this.#denials = [];
    return this.#line(encodeResult(event, record), [], extendResult(event));
  }

  #withEvent(event: AgentEvent, members: StreamJsonLine, path: ScopePath): StreamJsonLine {
    return this.#line(members, path, { event: encodeEvent(event) });
  }

  #line(members: StreamJsonLine, path: ScopePath, extension: object): StreamJsonLine {
    return toLine(members, path, this.#options, extension);
  }
}

const toolEvents: ReadonlySet<AgentEvent['type']> = new Set([
  'tool-start',
  'tool-output',
  'tool-end',
  'permission-request',
  'subagent-event',
]);

function systemMembers(event: AgentEvent & { readonly type: 'retry-wait' | 'context-trim' | 'notice' }): JsonObject {
  switch (event.type) {
    case 'retry-wait':
      return {
        subtype: 'api_retry',
        attempt: event.attempt,
        max_retries: event.limit,
        retry_delay_ms: event.delay,
        error_status: event.error.status ?? null,
        error: encodeFailure(event.error)['kind'],
      };
    case 'context-trim': {
      const metadata = { trigger: 'auto', pre_tokens: toTokens(event.before), post_tokens: toTokens(event.after) };
      return { subtype: 'compact_boundary', compact_metadata: metadata };
    }
    case 'notice':
      return { subtype: 'informational', content: event.detail, level: 'warning' };
  }
}

function toTokens(bytes: number): number {
  return Math.ceil(bytes / charactersPerToken);
}
