// Ends a reply where the request says it must end: at the first stop sequence, or when its tokens are used up.

import type { ChatRequest } from '../../core/request.ts';
import type { Reply, ReplyBlock } from './reply.ts';
import { charactersPerToken } from '../../core/token-estimate.ts';

export function limitReply(reply: Reply, request: ChatRequest): Reply {
  return cutAtLength(cutAtStop(reply, request.stop ?? []), request.maxTokens);
}

/** Reasoning and tool arguments may hold the sequence; only what is said ends the answer. */
function cutAtStop(reply: Reply, stop: readonly string[]): Reply {
  for (const [index, block] of reply.blocks.entries()) {
    if (block.type !== 'text') continue;
    const found = stop
      .map((sequence) => ({ sequence, at: sequence === '' ? -1 : block.text.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .toSorted((left, right) => left.at - right.at)[0];
    if (found === undefined) continue;
    const last = { ...block, text: block.text.slice(0, found.at) };
    const blocks = [...reply.blocks.slice(0, index), last];
    return { ...reply, blocks, stopReason: 'stop-sequence', stopSequence: found.sequence };
  }
  return reply;
}

function cutAtLength(reply: Reply, maxTokens: number | undefined): Reply {
  if (maxTokens === undefined) return reply;
  let left = maxTokens * charactersPerToken;
  const blocks: ReplyBlock[] = [];
  for (const block of reply.blocks) {
    const words = wordsOf(block);
    if (words.length <= left) {
      blocks.push(block);
      left -= words.length;
      continue;
    }
    if (left > 0) blocks.push(withWords(block, wholeCharacters(words, left)));
    const { stopSequence: _unreached, ...rest } = reply;
    return { ...rest, blocks, stopReason: 'length' };
  }
  return reply;
}

function wordsOf(block: ReplyBlock): string {
  return block.type === 'tool-call' ? block.json : block.text;
}

function withWords(block: ReplyBlock, words: string): ReplyBlock {
  return block.type === 'tool-call' ? { ...block, json: words } : { ...block, text: words };
}

/** Never half a surrogate pair. */
function wholeCharacters(words: string, length: number): string {
  const cut = words.slice(0, length);
  return /[\uD800-\uDBFF]$/u.test(cut) ? cut.slice(0, -1) : cut;
}
