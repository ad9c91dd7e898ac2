// Images and audio that a model made, on wires that have no form for them: what a client reads in their place in a
// response, and what a provider gets of the conversation that follows.

import type { AudioBlock, Block, ImageBlock, Message } from '../core/message.ts';
import type { Losses } from './loss.ts';

/** For providers that accept images of the user only. */
export function withoutMadeImages({ role, content }: Message, losses: Losses): readonly Block[] {
  const images = role === 'assistant' ? content.filter(({ type }) => type === 'image') : [];
  if (images.length === 0) return content;
  losses.omit('an image in a message of the assistant');
  return content.filter(({ type }) => type !== 'image');
}

export function toMediaNote(block: ImageBlock | AudioBlock): string {
  if (block.type === 'audio') return block.transcript || omitted('audio');
  const { source } = block;
  if (source.kind === 'url') return `![image](${source.url})`;
  return omitted(source.kind === 'base64' ? source.mediaType : 'image');
}

function omitted(what: string): string {
  return `[${what} omitted: responses of this API cannot contain it]`;
}
