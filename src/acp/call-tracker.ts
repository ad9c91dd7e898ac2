// The tool calls of a session as the editor sees them. Invariants:
//   1. A call is announced once and ends once: pending → in_progress → completed | failed. No update follows the end.
//   2. Ids are unique in the session, even if an agent uses one again.
//   3. Live output is bounded: an update replaces the content, so it holds only the end of a long output.

import type { ToolResultBlock } from '../core/message.ts';
import { textOf } from '../core/message.ts';
import { describeToolCall, planOf } from './tool-call.ts';
import { describeToolResult, fence } from './tool-result.ts';
import type { SessionUpdate, ToolCallContent, ToolCallStatus, WithMeta } from './types.ts';
import { parseUnifiedDiff } from './unified-diff.ts';

/** The characters of live output that an update shows. */
const longestLive = 16 * 1024;

interface TrackedCall {
  readonly acpId: string;
  readonly key: string;
  readonly name: string;
  readonly meta: WithMeta;
  input: unknown;
  status: ToolCallStatus;
  output: string;
  /** Characters of the output that are no longer held. */
  dropped: number;
  /** There is output that no update has shown. */
  isBehind: boolean;
}

export interface CallSubject {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The tools whose live output is the diff of their change. */
const fileTools: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit']);

export class CallTracker {
  readonly #folder: string | undefined;
  /** The open calls, by the scope and the id of the agent. */
  readonly #open = new Map<string, TrackedCall>();
  readonly #used = new Set<string>();

  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** The id in the editor of the open call that an agent or one of its subagents knows by this id. */
  acpIdOf(id: string): string | undefined {
    return [...this.#open.values()].findLast(({ key }) => key.endsWith(`/${id}`))?.acpId;
  }

  /** The model has begun to write a call, or has written it. */
  announce(scope: string, { id, name, input }: CallSubject, meta: WithMeta): SessionUpdate[] {
    const known = this.#open.get(keyOf(scope, id));
    if (known?.status === 'pending') return this.#describe(known, input);
    return known === undefined ? [this.#add(scope, { id, name, input }, { meta, status: 'pending' })] : [];
  }

  start(scope: string, { id, name, input }: CallSubject, meta: WithMeta): SessionUpdate[] {
    const entries = planOf(name, input);
    const plan: SessionUpdate[] = entries === undefined ? [] : [{ ...meta, sessionUpdate: 'plan', entries }];
    const known = this.#open.get(keyOf(scope, id));
    if (known === undefined) return [this.#add(scope, { id, name, input }, { meta, status: 'in_progress' }), ...plan];
    return [...this.#describe(known, input), ...this.#changeStatus(known, 'in_progress'), ...plan];
  }

  /** The call waits for the user's permission. */
  suspend(scope: string, id: string): SessionUpdate[] {
    const call = this.#open.get(keyOf(scope, id));
    return call === undefined ? [] : this.#changeStatus(call, 'pending');
  }

  /** The user has replied to the question about the call. */
  resume(acpId: string): SessionUpdate[] {
    const call = [...this.#open.values()].find((each) => each.acpId === acpId);
    return call === undefined ? [] : this.#changeStatus(call, 'in_progress');
  }

  addOutput(scope: string, id: string, chunk: string): void {
    const call = this.#open.get(keyOf(scope, id));
    if (call === undefined || chunk === '') return;
    const output = call.output + chunk;
    const excess = Math.max(0, output.length - (fileTools.has(call.name) ? Infinity : longestLive));
    call.output = output.slice(excess);
    call.dropped += excess;
    call.isBehind = !fileTools.has(call.name);
  }

  get isBehind(): boolean {
    return [...this.#open.values()].some(({ isBehind }) => isBehind);
  }

  /** The updates with the live output since the last ones. */
  flush(): SessionUpdate[] {
    return [...this.#open.values()].filter(({ isBehind }) => isBehind).map((call) => showOutput(call));
  }

  end(scope: string, { id, name }: Omit<CallSubject, 'input'>, result: ToolResultBlock): SessionUpdate[] {
    const call = this.#open.get(keyOf(scope, id));
    if (call === undefined) return [];
    this.#open.delete(call.key);
    const isError = result.isError === true;
    const display = this.#describeEnd(call, name, result);
    return [
      toUpdate(call, { status: isError ? 'failed' : 'completed', ...display, rawOutput: textOf(result.content) }),
    ];
  }

  /** The result of a recorded call, whose tool is known from the call. */
  endById(scope: string, result: ToolResultBlock): SessionUpdate[] {
    const call = this.#open.get(keyOf(scope, result.callId));
    return call === undefined ? [] : this.end(scope, { id: result.callId, name: call.name }, result);
  }

  /** Ends the open calls of a scope and of the scopes below it. Only those that have not started, if `onlyPending`. */
  abandon(scope: string, reason: string, onlyPending = false): SessionUpdate[] {
    const calls = [...this.#open.values()].filter(({ key }) => key.startsWith(`${scope}/`));
    const ended = calls.filter(({ status }) => !onlyPending || status === 'pending');
    for (const { key } of ended) this.#open.delete(key);
    return ended.map((call) => toUpdate(call, { status: 'failed', content: textContent(reason) }));
  }

  #add(
    scope: string,
    { id, name, input }: CallSubject,
    { meta, status }: { readonly meta: WithMeta; readonly status: ToolCallStatus },
  ): SessionUpdate {
    const acpId = this.#createId(id);
    const key = keyOf(scope, id);
    this.#open.set(key, { acpId, key, name, meta, input, status, output: '', dropped: 0, isBehind: false });
    const description = describeToolCall(name, input, this.#folder);
    return { ...meta, sessionUpdate: 'tool_call', toolCallId: acpId, status, ...description };
  }

  #createId(id: string): string {
    let acpId = id;
    for (let count = 2; this.#used.has(acpId); count += 1) acpId = `${id}-${count}`;
    this.#used.add(acpId);
    return acpId;
  }

  #describe(call: TrackedCall, input: unknown): SessionUpdate[] {
    if (JSON.stringify(input) === JSON.stringify(call.input)) return [];
    call.input = input;
    const { name: _name, ...description } = describeToolCall(call.name, input, this.#folder);
    return [toUpdate(call, description)];
  }

  #changeStatus(call: TrackedCall, status: ToolCallStatus): SessionUpdate[] {
    if (call.status === status) return [];
    call.status = status;
    return [toUpdate(call, { status })];
  }

  /** A change is shown as a diff. The text that confirms it says nothing more. */
  #describeEnd(call: TrackedCall, name: string, result: ToolResultBlock): object {
    const { rawOutput: _rawOutput, ...display } = describeToolResult(result, undefined);
    if (result.isError === true || !fileTools.has(name)) return display;
    const diff = parseUnifiedDiff(call.output);
    const path = describeToolCall(name, call.input, this.#folder).locations[0]?.path;
    if (diff === undefined || path === undefined) return {};
    return {
      content: diff.hunks.map(({ oldText, newText }) => toDiff(path, diff.isNewFile ? null : oldText, newText)),
      locations: diff.hunks.map(({ line }) => ({ path, line })),
    };
  }

  /** The content of a question about a change: its diff. */
  describeChange(name: string, input: unknown, unifiedDiff: string): ToolCallContent[] {
    const diff = parseUnifiedDiff(unifiedDiff);
    const path = describeToolCall(name, input, this.#folder).locations[0]?.path;
    if (diff === undefined || path === undefined) return [];
    return diff.hunks.map(({ oldText, newText }) => toDiff(path, diff.isNewFile ? null : oldText, newText));
  }
}

function keyOf(scope: string, id: string): string {
  return `${scope}/${id}`;
}

function toUpdate(call: TrackedCall, members: object): SessionUpdate {
  call.isBehind = false;
  return { ...call.meta, sessionUpdate: 'tool_call_update', toolCallId: call.acpId, ...members };
}

function showOutput(call: TrackedCall): SessionUpdate {
  const gap = call.dropped === 0 ? '' : `… ${call.dropped} characters not shown …\n`;
  return toUpdate(call, { status: call.status, content: textContent(fence(gap + call.output)) });
}

function textContent(text: string): ToolCallContent[] {
  return [{ type: 'content', content: { type: 'text', text } }];
}

function toDiff(path: string, oldText: string | null, newText: string): ToolCallContent {
  return { type: 'diff', path, oldText, newText };
}
