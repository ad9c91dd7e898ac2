// The signatures of thinking in Google's Gemini wire. The field has bytes: clients with types refuse a whole response
// with anything but base64, and those for Go and Java one in the URL-safe alphabet or without padding. A client sends them
// back in either alphabet.

import { fromBase64, isStandardBase64, toBase64, toStandardBase64 } from '../../core/base64.ts';
import type { ReasoningBlock } from '../../core/message.ts';
import { openReasoning, seal } from '../foreign-reasoning.ts';
import type { JsonField } from '../json-field.ts';
import { wireName } from './types.ts';

/** What the API accepts in place of a signature, as its documentation spells it. */
export const placeholder = 'skip_thought_signature_validator';
const placeholders = [placeholder, 'context_engineering_is_the_way_to_go'];

/** Reasoning of another wire is sealed, and so is a signature of this one that is not base64. */
export function encodeSignature(block: ReasoningBlock): string | undefined {
  const { signature, redacted, origin = { wire: wireName } } = block;
  if (signature === undefined && redacted === undefined) return undefined;
  const isOwn = signature !== undefined && origin.wire === wireName && isStandardBase64(signature);
  return isOwn ? signature : toBase64(seal(block, origin));
}

export interface DecodedSignature {
  readonly signature: string;
  /** The reasoning that was sealed in it. */
  readonly sealed?: ReasoningBlock | undefined;
}

export function decodeSignature(field: JsonField): DecodedSignature {
  const sent = field.string();
  if (placeholders.includes(sent)) return { signature: sent };
  const signature = toStandardBase64(sent);
  if (isStandardBase64(signature)) return { signature, sealed: openReasoning(fromBase64(signature)) };
  // Conversations from before signatures were base64.
  return { signature, sealed: openReasoning(sent) ?? field.fail('must be base64') };
}
