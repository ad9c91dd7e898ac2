// Decodes the lines of a stream-json agent, such as the claude CLI, into the events of an agent. Invariants:
//   1. It never throws. A line that is malformed, or lacks a member that it needs, becomes one error.
//   2. Every line is returned as it arrived, also if it is of an unknown type or gives no event.
//   3. Events have the order that agent/event.ts defines: each turn starts once and ends once, also if the process dies.
//      Only background tasks of the CLI send events of a subagent outside a turn.

import type { AgentEvent } from '../agent/event.ts';
import type { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { noUsage } from '../core/usage.ts';
import { decodeContent } from './block.ts';
import { extensionOf, numberOf, parseLine, recordOf, stringOf, type StreamJsonLine } from './line.ts';
import { ScopeDecoder } from './scope-decoder.ts';
import { pathOf, type ScopePath } from './scope.ts';
import { decodeResult } from './turn-result.ts';

export type DecodedLine =
  | {
      readonly kind: 'line';
      readonly line: StreamJsonLine;
      readonly events: readonly AgentEvent[];
      /** False for a type that this decoder does not know. */
      readonly isKnown: boolean;
    }
  | { readonly kind: 'error'; readonly message: string };

/** The state of the turn. `announced`: `system/init` has arrived, and the replayed prompt may follow. */
type TurnState = 'none' | 'announced' | 'open';

export class StreamJsonDecoder {
  readonly #scopes = new Map<string, ScopeDecoder>();
  /** The subagents whose turn is open, outer ones first. */
  readonly #openSubagents = new Map<string, ScopePath>();
  readonly #prompts: Message[] = [];
  #turn: TurnState = 'none';
  #model = '';
  #isExplicit = false;
  #totalCost = 0;

  /** Names the prompt of a coming turn, because the CLI repeats it only on request. */
  expectPrompt(prompt: Message): void {
    this.#prompts.push(prompt);
  }

  push(text: string): DecodedLine {
    const parsed = parseLine(text);
    if (parsed.kind === 'error') return parsed;
    return { ...parsed, events: parsed.isKnown ? this.#decode(parsed.line) : [] };
  }

  /** The process has ended. Returns the events that end the open turns, those of subagents first. */
  fail(error: SimpleAgentsError): AgentEvent[] {
    const inner = [...this.#openSubagents.values()].toReversed();
    const events = inner.flatMap((path) => this.#failScope(path, error).map((event) => nest(event, path)));
    this.#openSubagents.clear();
    if (this.#turn === 'none') return events;
    events.push(...this.#openTurn(), ...this.#failScope([], error));
    this.#turn = 'none';
    return events;
  }

  #failScope(path: ScopePath, error: SimpleAgentsError): AgentEvent[] {
    const scope = this.#scope(path);
    const { iterations } = scope;
    const rest = scope.finish(this.#isExplicit);
    const { text } = scope;
    return [...rest, { type: 'turn-end', reason: 'error', error, text, usage: noUsage, iterations, duration: 0 }];
  }

  #decode(line: StreamJsonLine): AgentEvent[] {
    const path = this.#pathOf(line);
    if (path.length > 0) return this.#decodeSubagent(line, path);
    if (line.type === 'system' && line['subtype'] === 'init') return this.#onInit(line);
    if (line.type === 'user' && line['isReplay'] === true) return this.#onReplay(line);
    if (line.type === 'result') return this.#onResult(line);
    const events = this.#scope([]).push(line, this.#isExplicit);
    return events.length === 0 ? [] : [...this.#openTurn(), ...events];
  }

  /** A permission request does not name the subagent that it belongs to, but the call does. */
  #pathOf(line: StreamJsonLine): ScopePath {
    const path = pathOf(line);
    if (path.length > 0) return path;
    const callId = stringOf(recordOf(line['request'])['tool_use_id']);
    if (line.type === 'system' && isTaskLine(line)) return [line['tool_use_id'] as string];
    if (line.type !== 'control_request' || callId === undefined) return path;
    for (const [key, scope] of this.#scopes) if (scope.knows(callId)) return JSON.parse(key) as ScopePath;
    return path;
  }

  #onInit(line: StreamJsonLine): AgentEvent[] {
    this.#isExplicit = extensionOf(line)['explicit'] === true;
    this.#model = stringOf(extensionOf(line)['model']) ?? stringOf(line['model']) ?? '';
    if (this.#turn === 'none') this.#turn = 'announced';
    return this.#prompts.length > 0 ? this.#openTurn() : [];
  }

  #onReplay(line: StreamJsonLine): AgentEvent[] {
    if (this.#turn === 'open') return [];
    const own = extensionOf(line)['prompt'];
    const content = decodeContent(recordOf(line['message'])['content']);
    const isOwn = isRecord(own) && Array.isArray(own['content']);
    return this.#openTurn(isOwn ? (own as unknown as Message) : { role: 'user', content });
  }

  #openTurn(replayed?: Message): AgentEvent[] {
    if (this.#turn === 'open') return [];
    this.#turn = 'open';
    const prompt = replayed ?? this.#prompts[0] ?? { role: 'user', content: [] };
    this.#prompts.shift();
    return [{ type: 'turn-start', prompt, model: this.#model }];
  }

  #onResult(line: StreamJsonLine): AgentEvent[] {
    const root = this.#scope([]);
    const start = this.#openTurn();
    const { iterations } = root;
    const rest = root.finish(this.#isExplicit);
    const end = decodeResult(line, { totalCost: this.#totalCost, text: root.text, iterations });
    this.#totalCost = numberOf(line['total_cost_usd']) ?? this.#totalCost;
    this.#turn = 'none';
    return [...start, ...rest, end];
  }

  #decodeSubagent(line: StreamJsonLine, path: ScopePath): AgentEvent[] {
    const scope = this.#scope(path);
    const task = extensionOf(line)['event'] === undefined ? this.#decodeTask(line, scope) : undefined;
    const events = task ?? scope.push(line, this.#isExplicit);
    for (const { type } of events) this.#followSubagent(type, path);
    return events.map((event) => nest(event, path));
  }

  #followSubagent(type: AgentEvent['type'], path: ScopePath): void {
    const key = JSON.stringify(path);
    if (type === 'turn-start') this.#openSubagents.set(key, path);
    if (type !== 'turn-end') return;
    this.#openSubagents.delete(key);
    this.#scopes.delete(key);
  }

  /** The first and the last line of a subagent of the CLI. */
  #decodeTask(line: StreamJsonLine, scope: ScopeDecoder): AgentEvent[] | undefined {
    if (line.type !== 'system') return undefined;
    if (line['subtype'] === 'task_started') {
      const prompt: Message = { role: 'user', content: decodeContent(stringOf(line['prompt']) ?? '') };
      return [{ type: 'turn-start', prompt, model: '' }];
    }
    if (line['subtype'] !== 'task_notification') return undefined;
    const { iterations } = scope;
    const rest = scope.finish(this.#isExplicit);
    const duration = numberOf(recordOf(line['usage'])['duration_ms']) ?? 0;
    const reason = taskReasons[stringOf(line['status']) ?? ''] ?? 'error';
    const summary = stringOf(line['summary']) ?? '';
    return [...rest, { type: 'turn-end', reason, text: summary, usage: noUsage, iterations, duration }];
  }

  #scope(path: ScopePath): ScopeDecoder {
    const key = JSON.stringify(path);
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const scope = new ScopeDecoder();
    this.#scopes.set(key, scope);
    return scope;
  }
}

const taskReasons: Readonly<Record<string, 'end' | 'cancelled'>> = { completed: 'end', stopped: 'cancelled' };

function isTaskLine(line: StreamJsonLine): boolean {
  const isTask = line['subtype'] === 'task_started' || line['subtype'] === 'task_notification';
  return isTask && typeof line['tool_use_id'] === 'string';
}

function nest(event: AgentEvent, path: ScopePath): AgentEvent {
  return path.reduceRight<AgentEvent>((inner, id) => ({ type: 'subagent-event', id, event: inner }), event);
}
