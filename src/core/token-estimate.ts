// Estimates token counts without a tokenizer: four characters are one token; an image, an audio clip or a file is 256. The
// simulated model uses the same estimate for counting, limits and usage, so that they agree.

import type { Block } from './message.ts';
import type { ChatRequest } from './request.ts';

export const charactersPerToken = 4;
const tokensPerAttachment = 256;
/** The overhead of a message beside its content. */
const tokensPerMessage = 3;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export function estimateRequestTokens(request: ChatRequest): number {
  let tokens = request.tools === undefined ? 0 : estimateTokens(JSON.stringify(request.tools));
  for (const { content } of request.messages) {
    tokens += tokensPerMessage;
    for (const block of content) tokens += estimateBlock(block);
  }
  return tokens;
}

function estimateBlock(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(block.text);
    case 'tool-call':
      return estimateTokens(block.name + (block.raw ?? JSON.stringify(block.input)));
    case 'tool-result':
      return block.content.reduce((sum, part) => sum + estimateBlock(part), 0);
    case 'opaque':
      return estimateTokens(JSON.stringify(block.data));
    case 'document':
      return block.source.kind === 'text' ? estimateTokens(block.source.text) : tokensPerAttachment;
    case 'image':
    case 'audio':
      return tokensPerAttachment;
  }
}
