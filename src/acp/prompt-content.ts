// The content of an ACP prompt as blocks of a message. A link becomes a mention; an embedded resource becomes a mention
// where it stands and its text in a <context> block at the end. Other types would be sent to the API as they are and
// rejected there, so they are errors here.

import { isRecord } from '../core/json.ts';
import { text, type Block } from '../core/message.ts';

export type PromptContent =
  | { readonly kind: 'content'; readonly blocks: readonly Block[]; readonly warnings: readonly string[] }
  | { readonly kind: 'error'; readonly message: string };

interface Part {
  readonly blocks?: readonly Block[];
  /** Placed after all other blocks. */
  readonly context?: Block;
  readonly warning?: string;
  readonly error?: string;
}

export function toPromptContent(prompt: unknown): PromptContent {
  if (!Array.isArray(prompt)) return { kind: 'error', message: 'prompt: must be a list of content blocks' };
  if (prompt.length === 0) return { kind: 'error', message: 'prompt: must not be empty' };
  const parts = prompt.map(toPart);
  const failed = parts.findIndex(({ error }) => error !== undefined);
  if (failed !== -1) return { kind: 'error', message: `prompt[${failed}]${parts[failed]?.error}` };
  return {
    kind: 'content',
    blocks: [...parts.flatMap(({ blocks = [] }) => blocks), ...parts.flatMap(({ context }) => context ?? [])],
    warnings: parts.flatMap(({ warning }, index) => (warning === undefined ? [] : [`prompt[${index}]${warning}`])),
  };
}

function toPart(block: unknown): Part {
  if (!isRecord(block)) return { error: ': must be an object' };
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? { blocks: [text(block['text'])] } : missing('text', block['text']);
    case 'image':
      return toImage(block);
    case 'resource_link':
      if (typeof block['uri'] !== 'string') return missing('uri', block['uri']);
      return { blocks: [mention(block['uri'], block['name'])] };
    case 'resource':
      return toResource(block['resource']);
    case 'audio':
      return { error: ': audio is not supported; send text, an image, a link or a resource' };
    default:
      return typeof block['type'] === 'string'
        ? { error: `.type: unknown: ${block['type']}` }
        : missing('type', block['type']);
  }
}

function toImage({ data, mimeType, uri }: Record<string, unknown>): Part {
  if (typeof data !== 'string') return missing('data', data);
  if (typeof mimeType !== 'string') return missing('mimeType', mimeType);
  const isLink = data === '' && typeof uri === 'string' && /^https?:/.test(uri);
  if (isLink) return { blocks: [{ type: 'image', source: { kind: 'url', url: uri } }] };
  return { blocks: [{ type: 'image', source: { kind: 'base64', mediaType: mimeType, data } }] };
}

function toResource(resource: unknown): Part {
  if (!isRecord(resource)) return missing('resource', resource);
  const { uri, text: content, blob, mimeType } = resource;
  if (typeof uri !== 'string') return missing('resource.uri', uri);
  if (typeof content === 'string') return { blocks: [mention(uri)], context: text(toContext(uri, content)) };
  if (typeof blob !== 'string') return missing('resource.text', content);
  return toBlob(uri, blob, typeof mimeType === 'string' ? mimeType : '');
}

function toBlob(uri: string, data: string, mediaType: string): Part {
  const source = { kind: 'base64', mediaType, data } as const;
  if (mediaType.startsWith('image/')) return { blocks: [mention(uri), { type: 'image', source }] };
  if (mediaType === 'application/pdf') return { blocks: [mention(uri), { type: 'document', source }] };
  const warning = `.resource: content of type ${mediaType || 'unknown'} is not sent, only its address`;
  return { blocks: [mention(uri)], warning };
}

function mention(uri: string, name?: unknown): Block {
  const path = uri.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const label = typeof name === 'string' && name !== '' ? name : path.slice(path.lastIndexOf('/') + 1);
  return text(`[@${label || uri}](${uri})`);
}

function toContext(uri: string, content: string): string {
  const reference = uri.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `\n<context ref="${reference}">\n${content}\n</context>`;
}

function missing(member: string, value: unknown): Part {
  return { error: `.${member}: ${value === undefined ? 'is missing' : 'has the wrong type'}` };
}
