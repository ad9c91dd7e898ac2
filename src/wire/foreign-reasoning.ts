// Reasoning of another wire, as a client receives it. A provider accepts its reasoning back only unchanged, and a client
// keeps one opaque string beside the text. So that string carries the whole block with its origin, and the next request
// restores it. Only a server seals and opens; a provider's own strings are never touched.

import { isRecord } from '../core/json.ts';
import type { Origin, ReasoningBlock } from '../core/message.ts';

const prefix = 'simple-agents:';

/** The block for a client of `wire`. Reasoning of the same wire, or of an unknown origin, is returned as it is. */
export function sealReasoning(block: ReasoningBlock, wire: string): ReasoningBlock {
  const { text, signature, redacted, origin } = block;
  if (signature === undefined && redacted === undefined) return block;
  if (origin === undefined || origin.wire === wire) return block;
  const sealed = seal(block, origin);
  return {
    type: 'reasoning',
    text,
    ...(redacted === undefined ? { signature: sealed } : { redacted: sealed }),
    origin,
  };
}

/** One string with the whole block. */
export function seal({ text, signature, redacted }: ReasoningBlock, origin: Origin): string {
  return prefix + JSON.stringify({ origin, text, signature, redacted });
}

/** The block in a sealed string; undefined for a string that is not sealed. */
export function openReasoning(sealed: string | undefined): ReasoningBlock | undefined {
  if (!sealed?.startsWith(prefix)) return undefined;
  try {
    return toBlock(JSON.parse(sealed.slice(prefix.length)));
  } catch {
    return undefined;
  }
}

function toBlock(value: unknown): ReasoningBlock | undefined {
  if (!isRecord(value) || !isOrigin(value['origin'])) return undefined;
  const { text, signature, redacted, origin } = value;
  return {
    type: 'reasoning',
    text: typeof text === 'string' ? text : '',
    ...(typeof signature === 'string' ? { signature } : {}),
    ...(typeof redacted === 'string' ? { redacted } : {}),
    origin,
  };
}

function isOrigin(value: unknown): value is Origin {
  if (!isRecord(value) || typeof value['wire'] !== 'string') return false;
  return value['provider'] === undefined || typeof value['provider'] === 'string';
}
