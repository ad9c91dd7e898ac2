// What a client reads in place of an image or of audio that the format of its responses cannot carry, so that nothing is
// lost without a word.

import type { AudioBlock, ImageBlock } from '../core/message.ts';

export function toMediaNote(block: ImageBlock | AudioBlock): string {
  if (block.type === 'audio') return block.transcript || omitted('audio');
  const { source } = block;
  if (source.kind === 'url') return `![image](${source.url})`;
  return omitted(source.kind === 'base64' ? source.mediaType : 'image');
}

function omitted(what: string): string {
  return `[${what} omitted: responses of this API cannot contain it]`;
}
