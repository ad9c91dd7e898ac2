// An image that a model made, as an item of the OpenAI Responses wire: the result of its tool for images. The item has the
// bytes but not their type.

import type { JsonObject } from '../../core/json.ts';
import type { ImageBlock } from '../../core/message.ts';
import { membersFor } from '../response-extra.ts';
import { wireName } from './types.ts';

const type = 'image_generation_call';

/** `undefined` for an image that is not there as bytes. */
export function encodeImageItem(id: string, { source, extra }: ImageBlock): JsonObject | undefined {
  if (source.kind !== 'base64') return undefined;
  const own = membersFor(extra, wireName) as JsonObject;
  return { id, type, status: 'completed', ...own, result: source.data };
}

/** `undefined` for an item of another type, and for one without an image. */
export function decodeImageItem(item: object): ImageBlock | undefined {
  const { type: given, result, ...members } = item as { type?: unknown; result?: unknown };
  if (given !== type || typeof result !== 'string' || result === '') return undefined;
  const source = { kind: 'base64', mediaType: mediaTypeOf(result), data: result } as const;
  return { type: 'image', source, extra: { wire: wireName, members } };
}

/** In base64. */
const firstBytes: Readonly<Record<string, string>> = {
  iVBOR: 'image/png',
  '/9j/': 'image/jpeg',
  UklGR: 'image/webp',
  R0lGOD: 'image/gif',
};

/** PNG is what the tool makes unless a request says otherwise. */
function mediaTypeOf(base64: string): string {
  return Object.entries(firstBytes).find(([first]) => base64.startsWith(first))?.[1] ?? 'image/png';
}
