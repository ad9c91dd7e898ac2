// Encodes the events of an agent as the updates of an ACP session. A synchronous machine: `push(event)` returns the updates
// of the event; live output is collected until `flush`. Invariants:
//   1. A block is sent once, whether it arrives as deltas, as a complete block, or as both.
//   2. After `turn-end` no call is open, so nothing follows the end of the turn.
//   3. What a subagent writes is not the answer: it is shown as a thought. Its calls name the call that started it.

import type { AgentEvent, ContextTrim } from '../agent/event.ts';
import type { BlockEnd, StreamEvent } from '../core/event.ts';
import { omitUndefined } from '../core/json.ts';
import type { Block, Message } from '../core/message.ts';
import { promptTokens, type Usage } from '../core/usage.ts';
import { CallTracker } from './call-tracker.ts';
import type { SessionUpdate, WithMeta } from './types.ts';

/** What the client can show beside the messages and tool calls that every client shows. */
export interface ClientDisplay {
  readonly notices: boolean;
  readonly compaction: boolean;
}

export interface UpdateEncoderOptions {
  /** The folder that relative paths start at. */
  readonly folder: string;
  readonly display: ClientDisplay;
  /** In tokens, if known. */
  readonly contextWindow: () => number | undefined;
  /** US dollars of the session so far, if known. */
  readonly cost: () => number | undefined;
}

/** The response that an agent or a subagent is writing. */
interface Scope {
  readonly path: readonly string[];
  /** Unique among scopes, and the beginning of the keys of all scopes below. */
  readonly key: string;
  messageId: string | undefined;
  /** The blocks that arrived as deltas. */
  readonly streamed: Set<number>;
}

type Severity = 'info' | 'warning' | 'error';

export class UpdateEncoder {
  readonly calls: CallTracker;
  readonly #options: UpdateEncoderOptions;
  readonly #scopes = new Map<string, Scope>();
  readonly #messageIds = new Set<string>();
  #compactions = 0;
  #used: number | undefined;

  constructor(options: UpdateEncoderOptions) {
    this.#options = options;
    this.calls = new CallTracker(options.folder);
  }

  push(event: AgentEvent, path: readonly string[] = []): SessionUpdate[] {
    const scope = this.#scope(path);
    switch (event.type) {
      case 'model-event':
        return this.#onModelEvent(event.event, scope);
      case 'tool-start':
        return this.calls.start(scope.key, event, metaOf(scope));
      case 'tool-output':
        this.calls.addOutput(scope.key, event.id, event.chunk);
        return [];
      case 'permission-request':
        return this.calls.suspend(scope.key, event.id);
      case 'tool-end':
        return this.calls.end(scope.key, event, event.result);
      case 'stream-restart':
        return this.calls.abandon(scope.key, 'The response was interrupted and starts over.', true);
      case 'retry-wait':
        return this.#tell(`Retrying in ${Math.ceil(event.delay / 1_000)} s`, event.error.message, scope);
      case 'context-trim':
        return this.#onContextTrim(event, scope);
      case 'notice':
        return this.#tell(event.detail, undefined, scope);
      case 'subagent-event':
        return this.push(event.event, [...path, event.id]);
      case 'turn-end':
        return this.#onTurnEnd(scope);
      case 'turn-start':
        return [];
    }
  }

  /** The live output that arrived since the last update. */
  flush(): SessionUpdate[] {
    return this.calls.flush();
  }

  /** A conversation that the editor has not seen, such as that of a loaded session. */
  replay(messages: readonly Message[]): SessionUpdate[] {
    return messages.flatMap(({ role, content }, index) =>
      content.flatMap((block) => this.#replayBlock(block, role, index)),
    );
  }

  /** A text for the user that is not part of the model's response. */
  tell(title: string, description?: string, severity: Severity = 'warning'): SessionUpdate[] {
    return this.#tell(title, description, this.#scope([]), severity);
  }

  #onModelEvent(event: StreamEvent, scope: Scope): SessionUpdate[] {
    switch (event.type) {
      case 'message-start':
        this.#begin(scope, event.id);
        return [];
      case 'text-delta':
        scope.streamed.add(event.index);
        return toChunk(scope, 'agent_message_chunk', event.text);
      case 'reasoning-delta':
        scope.streamed.add(event.index);
        return toChunk(scope, 'agent_thought_chunk', event.text);
      case 'tool-call-start':
        return this.calls.announce(scope.key, { id: event.id, name: event.name, input: {} }, metaOf(scope));
      case 'block-end':
        return this.#onBlockEnd(event, scope);
      case 'message-end':
        return scope.path.length === 0 ? this.#countUsage(event.usage) : [];
      case 'tool-call-delta':
      case 'notice':
        return [];
    }
  }

  #begin(scope: Scope, id: string): void {
    let messageId = id;
    for (let count = 2; this.#messageIds.has(messageId); count += 1) messageId = `${id}-${count}`;
    this.#messageIds.add(messageId);
    scope.messageId = messageId === '' ? undefined : messageId;
    scope.streamed.clear();
  }

  #onBlockEnd({ index, block }: BlockEnd, scope: Scope): SessionUpdate[] {
    if (block.type === 'tool-call') return this.calls.announce(scope.key, block, metaOf(scope));
    if (scope.streamed.has(index)) return [];
    scope.streamed.add(index);
    if (block.type === 'text') return toChunk(scope, 'agent_message_chunk', block.text);
    return block.type === 'reasoning' ? toChunk(scope, 'agent_thought_chunk', block.text) : [];
  }

  /** The context holds the prompt and the response. */
  #countUsage(usage: Usage): SessionUpdate[] {
    if (usage.missing === true) return [];
    this.#used = promptTokens(usage) + usage.output;
    return this.#usageUpdate();
  }

  #usageUpdate(): SessionUpdate[] {
    const size = this.#options.contextWindow();
    if (this.#used === undefined || size === undefined) return [];
    const amount = this.#options.cost();
    const cost = amount === undefined ? undefined : ({ amount, currency: 'USD' } as const);
    return [omitUndefined({ sessionUpdate: 'usage_update' as const, used: this.#used, size, cost })];
  }

  #onContextTrim({ how, exchanges, messages }: ContextTrim, scope: Scope): SessionUpdate[] {
    const what = how === 'summary' ? 'Summarised' : 'Removed';
    if (!this.#options.display.compaction) {
      return this.#tell(`${what} ${exchanges} exchanges (${messages} messages) to free context`, undefined, scope);
    }
    this.#compactions += 1;
    const compactionId = `compaction-${this.#compactions}`;
    return [{ sessionUpdate: 'compaction_update', compactionId, status: 'completed' }];
  }

  #onTurnEnd(scope: Scope): SessionUpdate[] {
    const ended = this.calls.abandon(scope.key, 'The call did not run: the turn ended.');
    if (scope.path.length > 0) this.#scopes.delete(scope.key);
    return scope.path.length > 0 ? ended : [...ended, ...this.#usageUpdate()];
  }

  /** A client without notices shows it as a thought. */
  #tell(title: string, description: string | undefined, scope: Scope, severity: Severity = 'warning'): SessionUpdate[] {
    if (this.#options.display.notices && title !== '') {
      return [omitUndefined({ ...metaOf(scope), sessionUpdate: 'notice' as const, severity, title, description })];
    }
    const text = [title, description].filter((part) => part !== undefined).join(': ');
    return toChunk({ ...scope, messageId: undefined }, 'agent_thought_chunk', `${text}\n`);
  }

  #replayBlock(block: Block, role: Message['role'], index: number): SessionUpdate[] {
    const scope = { ...this.#scope([]), messageId: `history-${index}` };
    const chunk = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
    switch (block.type) {
      case 'text':
        return toChunk(scope, chunk, block.text);
      case 'reasoning':
        return toChunk(scope, 'agent_thought_chunk', block.text);
      case 'image': {
        if (block.source.kind !== 'base64') return [];
        const { data, mediaType: mimeType } = block.source;
        return [{ sessionUpdate: chunk, content: { type: 'image', data, mimeType }, messageId: scope.messageId }];
      }
      case 'tool-call':
        return this.calls.start(scope.key, block, {});
      case 'tool-result':
        return this.calls.endById(scope.key, block);
      default:
        return [];
    }
  }

  #scope(path: readonly string[]): Scope {
    const key = path.map((id) => `/${id}`).join('');
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const scope: Scope = { path, key, messageId: undefined, streamed: new Set() };
    this.#scopes.set(key, scope);
    return scope;
  }
}

function toChunk(
  { path, messageId }: Pick<Scope, 'path' | 'messageId'>,
  kind: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate[] {
  if (text === '') return [];
  const sessionUpdate = path.length > 0 ? 'agent_thought_chunk' : kind;
  return [omitUndefined({ ...metaOf({ path }), sessionUpdate, content: { type: 'text', text } as const, messageId })];
}

/** Names the call that started the subagent. */
function metaOf({ path }: Pick<Scope, 'path'>): WithMeta {
  const parent = path.at(-1);
  return parent === undefined ? {} : { _meta: { 'simple-agents/parentToolCallId': parent } };
}
