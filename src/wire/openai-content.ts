// What the request formats of OpenAI's two wires share: files as data URLs, prompt-cache breakpoints, and the names of
// response formats.

import { toStandardBase64 } from '../core/base64.ts';
import { isRecord, omitUndefined, type JsonObject } from '../core/json.ts';
import type { CacheMarker, ImageBlock, MediaSource } from '../core/message.ts';
import type { JsonField } from './json-field.ts';

const dataUrl = /^data:([^;,]+);base64,(.*)$/s;

interface Base64Source {
  readonly kind: 'base64';
  readonly mediaType: string;
  readonly data: string;
}

/** An image is a URL of any scheme; one with `data:` must be in base64. */
export function decodeImageUrl(field: JsonField): Base64Source | { readonly kind: 'url'; readonly url: string } {
  const url = field.string();
  if (!url.startsWith('data:')) return { kind: 'url', url };
  return parseDataUrl(url) ?? field.fail('must be a URL or data:TYPE;base64,DATA');
}

export function decodeFileData(field: JsonField): Base64Source {
  return parseDataUrl(field.string()) ?? field.fail('must be data:TYPE;base64,DATA');
}

function parseDataUrl(url: string): Base64Source | undefined {
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { kind: 'base64', mediaType, data };
}

/** An image that a model made, in the form of OpenRouter. `undefined` if the provider sent no address. */
export function toImageBlock(url: string | undefined): ImageBlock | undefined {
  if (!url) return undefined;
  return { type: 'image', source: parseDataUrl(url) ?? { kind: 'url', url } };
}

export function encodeImageUrl(source: MediaSource): string | undefined {
  if (source.kind === 'file') return undefined;
  return source.kind === 'url' ? source.url : encodeDataUrl(source);
}

export function encodeDataUrl({ mediaType, data }: Base64Source): string {
  return `data:${mediaType};base64,${toStandardBase64(data)}`;
}

export function decodeMarker(marker: JsonField): CacheMarker {
  const ttl = marker.optionalMember('ttl', (value) => value.string());
  return ttl === undefined ? {} : { ttl };
}

/** Time-to-live values of other wires are dropped; the marker stays. */
export function encodeBreakpoint({ ttl }: CacheMarker): JsonObject {
  const known = ttl === '30m' || ttl === '12h' ? ttl : undefined;
  return { prompt_cache_breakpoint: omitUndefined({ mode: 'explicit', ttl: known }) };
}

export const formatTypes = ['text', 'json_object', 'json_schema'] as const;

/** A value that is not valid counts as known, so that its reader rejects it. */
export function isKnownFormat(value: unknown): boolean {
  return !isRecord(value) || typeof value['type'] !== 'string' || formatTypes.some((known) => known === value['type']);
}
