// Turns the result of an MCP tool into what the model receives. A server may send anything, so the size is bounded and
// content that the model cannot read becomes a line that says so.

import { excerpt } from '../agent/excerpt.ts';
import type { ToolAnswer, ToolAnswerPart } from '../agent/tool.ts';
import { isRecord } from '../core/json.ts';
import { text } from '../core/message.ts';

/** All text of a result, in bytes. Longer text loses its middle. */
export const textLimit = 100 * 1024;
/** Base64 characters of one image or document. Providers refuse more. */
const mediaLimit = 7 * 1024 * 1024;
const mostMedia = 20;
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A result as the server sent it. */
export interface McpResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

export function toToolAnswer(result: McpResult): ToolAnswer {
  const blocks = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const parts = [...blocks.map(toPart), ...structuredPart(result.structuredContent, blocks)];
  const content = bound(parts);
  return result.isError === true ? { content, isError: true } : { content };
}

function toPart(block: Record<string, unknown>): ToolAnswerPart {
  switch (block['type']) {
    case 'text':
      return text(textOf(block['text']));
    case 'image':
      return mediaPart(block['data'], textOf(block['mimeType']), 'image');
    case 'resource':
      return resourcePart(isRecord(block['resource']) ? block['resource'] : {});
    case 'resource_link':
      return text(describeLink(block));
    default:
      return leftOut(`${textOf(block['type']) || 'unknown'} content ${textOf(block['mimeType'])}`.trim());
  }
}

function resourcePart(resource: Record<string, unknown>): ToolAnswerPart {
  const uri = textOf(resource['uri']);
  const type = textOf(resource['mimeType']);
  if (typeof resource['text'] === 'string') return text(`Resource ${uri}:\n${resource['text']}`);
  return mediaPart(resource['blob'], type, `resource ${uri}`);
}

function mediaPart(data: unknown, mediaType: string, what: string): ToolAnswerPart {
  if (typeof data !== 'string' || data === '') return leftOut(`${what} without data`);
  const size = `${mediaType || 'of unknown type'}, ${Math.ceil((data.length * 3) / 4)} bytes`;
  const source = { kind: 'base64', mediaType, data } as const;
  if (data.length > mediaLimit) return leftOut(`${what} (${size}): too large`);
  if (imageTypes.has(mediaType)) return { type: 'image', source };
  if (mediaType === 'application/pdf') return { type: 'document', source };
  return leftOut(`${what} (${size}): the model cannot read it`);
}

function describeLink(block: Record<string, unknown>): string {
  const [name, uri, description] = ['name', 'uri', 'description'].map((key) => textOf(block[key]));
  return `Resource ${name} <${uri}>${description === '' ? '' : `: ${description}`}`;
}

/** Servers should repeat structured content as text; it is added where they do not. */
function structuredPart(value: unknown, blocks: readonly Record<string, unknown>[]): ToolAnswerPart[] {
  if (value === undefined) return [];
  const json = JSON.stringify(value);
  return blocks.some((block) => sameJson(block['text'], json)) ? [] : [text(json)];
}

function sameJson(written: unknown, json: string): boolean {
  if (typeof written !== 'string' || Math.abs(written.length - json.length) > json.length) return false;
  try {
    return JSON.stringify(JSON.parse(written)) === json;
  } catch {
    return false;
  }
}

function bound(parts: readonly ToolAnswerPart[]): ToolAnswerPart[] {
  const kept: ToolAnswerPart[] = [];
  let room = textLimit;
  let media = 0;
  for (const [index, part] of parts.entries()) {
    if (room <= 0) return [...kept, leftOut(`${parts.length - index} more blocks: the result is too large`)];
    if (part.type !== 'text') media += 1;
    const fitting = part.type === 'text' || media <= mostMedia ? part : leftOut(`${part.type}: too many`);
    const shown = fitting.type === 'text' ? text(excerpt(fitting.text, room, describeCut)) : fitting;
    // An empty block counts as well, so that a list of them ends.
    room -= shown.type === 'text' ? Math.max(16, shown.text.length) : 16;
    kept.push(shown);
  }
  return kept;
}

function describeCut(total: number): string {
  return `\n... (shortened; ${total} bytes in total) ...\n`;
}

function leftOut(what: string): ToolAnswerPart {
  return text(`[left out: ${what.slice(0, 300)}]`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
