// Makes a loaded conversation valid, for example a session that broke off or a hand-written list. Without it, providers
// would reject every request because of a tool call that has no result. Valid content is kept.

import {
  text,
  type Block,
  type Message,
  type Role,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../core/message.ts';
import { CallIds } from './call-id.ts';
import { isBlank, placeholders, toResult, toHistoryContent } from './history.ts';
import { toErrorAnswer } from './tool.ts';

export interface Repaired {
  readonly messages: readonly Message[];
  /** Descriptions of what was repaired; empty if the conversation was valid. */
  readonly problems: readonly string[];
}

export function repairHistory(messages: readonly Message[]): Repaired {
  const repair = new Repair();
  for (const message of joinTurns(messages)) repair.take(message);
  return repair.finish(messages);
}

/** Merges consecutive messages of one role and puts system messages first. */
function joinTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = messages.filter(({ role }) => role === 'system');
  let role: Role | undefined;
  let content: Block[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role !== role) turns.push({ role: (role = message.role), content: (content = []) });
    for (const block of message.content) content.push(block);
  }
  return turns;
}

class Repair {
  readonly #messages: Message[] = [];
  /** The content of the last message. */
  #content: Block[] = [];
  readonly #problems = new Set<string>();
  readonly #ids = new CallIds();
  /** Calls of the last response, by their original id. */
  #open = new Map<string, ToolCallBlock>();

  take(message: Message): void {
    if (message.role === 'system') this.#messages.push(message);
    else if (message.role === 'user') this.#takeUser(message.content);
    else this.#takeAssistant(message.content);
  }

  finish(original: readonly Message[]): Repaired {
    if (this.#open.size > 0) this.#takeUser([]);
    const isShortened = this.#problems.size === 0 && this.#messages.length !== original.length;
    if (isShortened) this.#problems.add('messages were empty or did not alternate');
    return { messages: this.#messages, problems: [...this.#problems] };
  }

  #takeUser(content: readonly Block[]): void {
    const found = new Map<string, ToolResultBlock>();
    for (const block of content) {
      if (block.type === 'tool-result' && !found.has(block.callId)) found.set(block.callId, block);
    }
    const results = [...this.#open].map(([id, call]) => {
      const result = found.get(id);
      if (result !== undefined) return toResult(call.id, result);
      this.#problems.add('a tool call had no result');
      return toResult(call.id, toErrorAnswer(placeholders.noResult));
    });
    this.#open = new Map();
    const rest = content.filter((block) => isUserContent(block) && !isBlank(block));
    const received = content.filter(({ type }) => type === 'tool-result').length;
    if (received > results.length) this.#problems.add('a tool result had no call');
    this.#push('user', [...results, ...rest]);
  }

  #takeAssistant(content: readonly Block[]): void {
    const open = new Map<string, ToolCallBlock>();
    const blocks: Block[] = [];
    for (const block of content) {
      if (block.type === 'tool-result') continue;
      if (block.type !== 'tool-call') {
        blocks.push(block);
        continue;
      }
      if (open.has(block.id)) {
        this.#problems.add('a tool call appeared twice');
        continue;
      }
      const call = { ...block, id: this.#ids.take(block.id) };
      if (call.id !== block.id) this.#problems.add('two tool calls had the same id');
      open.set(block.id, call);
      blocks.push(call);
    }
    this.#push('assistant', toHistoryContent(blocks));
    this.#open = open;
  }

  #push(role: 'user' | 'assistant', content: readonly Block[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (role === 'assistant' && last?.role !== 'user' && last?.role !== 'assistant') {
      this.#problems.add('the first message was not a user message');
      this.#messages.push({ role: 'user', content: [text('[The conversation so far]')] });
    }
    // Of the same role, the message between the two was empty.
    if (last?.role !== role) this.#messages.push({ role, content: (this.#content = []) });
    for (const block of content) this.#content.push(block);
  }
}

function isUserContent({ type }: Block): boolean {
  return type !== 'tool-call' && type !== 'tool-result' && type !== 'reasoning';
}
