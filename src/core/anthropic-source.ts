// Where an image or document is, as Anthropic's format writes it: for its wire, for session files, and for the lines of
// the claude CLI.

import { toStandardBase64 } from './base64.ts';
import type { JsonObject } from './json.ts';
import type { MediaSource } from './message.ts';

export function encodeAnthropicSource(
  source: MediaSource | { readonly kind: 'text'; readonly text: string },
): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', 'media_type': source.mediaType, data: toStandardBase64(source.data) };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return { type: 'file', 'file_id': source.id };
    case 'text':
      return { type: 'text', 'media_type': 'text/plain', data: source.text };
  }
}
