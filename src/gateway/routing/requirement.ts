// What a request needs from a target, and whether a target supports it. Unknown capabilities are assumed to be supported;
// the target rejects the request otherwise.

import { isRecord } from '../../core/json.ts';
import type { Block, Message } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import type { Capabilities } from '../../providers/vendors.ts';

export type Requirement = 'images' | 'audio' | 'documents' | 'tools';

const requirementOf: Readonly<Partial<Record<Block['type'], Requirement>>> = {
  image: 'images',
  audio: 'audio',
  document: 'documents',
};

/** What of a request matters here. A call that is not a chat has no messages. */
export type Demanding = Partial<Pick<ChatRequest, 'messages' | 'tools'>>;

export function requirementsOf({ messages = [], tools = [] }: Demanding): ReadonlySet<Requirement> {
  const found = new Set<Requirement>(tools.length > 0 ? ['tools'] : []);
  for (const { content } of messages) collect(content, found);
  return found;
}

function collect(blocks: readonly Block[], found: Set<Requirement>): void {
  for (const block of blocks) {
    const needed = requirementOf[block.type];
    if (needed !== undefined) found.add(needed);
    if (block.type === 'tool-result') collect(block.content, found);
  }
}

export function canMeet(capabilities: Capabilities | undefined, requirements: ReadonlySet<Requirement>): boolean {
  if (capabilities === undefined) return true;
  for (const requirement of requirements) if (!capabilities[requirement]) return false;
  return true;
}

/** Few tokenizers have longer tokens. If one does, the target is skipped only if there is another. */
const mostCharactersPerToken = 6;

/** A lower bound for the number of tokens of the prompt. */
export function leastTokens({ messages = [] }: Demanding): number {
  let characters = 0;
  for (const message of messages) characters += lengthOf(message);
  return characters / mostCharactersPerToken;
}

function lengthOf({ content }: Pick<Message, 'content'>): number {
  let length = 0;
  for (const block of content) {
    if (block.type === 'tool-result') length += lengthOf(block);
    else if (isRecord(block) && typeof block['text'] === 'string') length += block['text'].length;
  }
  return length;
}
