// Ends a reply where the request demands it: at the first stop sequence, or at the token limit.

import type { ChatRequest } from '../../core/request.ts';
import type { Reply, ReplyBlock } from './reply.ts';
import { charactersPerToken } from '../../core/token-estimate.ts';

export function limitReply(reply: Reply, request: ChatRequest): Reply {
  return cutAtLength(cutAtStop(reply, request.stop ?? []), request.maxTokens);
}

/** Only text is searched for stop sequences, not reasoning and tool arguments. */
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
    const content = contentOf(block);
    if (content.length <= left) {
      blocks.push(block);
      left -= content.length;
      continue;
    }
    if (left > 0) blocks.push(withContent(block, cutText(content, left)));
    const { stopSequence: _unreached, ...rest } = reply;
    return { ...rest, blocks, stopReason: 'length' };
  }
  return reply;
}

function contentOf(block: ReplyBlock): string {
  return block.type === 'tool-call' ? block.json : block.text;
}

function withContent(block: ReplyBlock, content: string): ReplyBlock {
  return block.type === 'tool-call' ? { ...block, json: content } : { ...block, text: content };
}

/** Never cuts inside a surrogate pair. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/u.test(cut) ? cut.slice(0, -1) : cut;
}
