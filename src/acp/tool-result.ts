// How an editor shows the result of a tool call: text, images, and for a change of a file the diff with its context.

import { isRecord } from '../core/json.ts';
import type { Block, ToolResultBlock } from '../core/message.ts';
import { textOf } from '../core/message.ts';
import type { ToolCallContent, ToolCallLocation } from './types.ts';

export interface ResultDisplay {
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawOutput: unknown;
}

/** `details` is the CLI's structured result. A diff replaces the text that only confirms the change. */
export function describeToolResult(result: ToolResultBlock, details: unknown): ResultDisplay {
  const rawOutput = textOf(result.content);
  const change = result.isError === true ? undefined : describeChange(details);
  if (change !== undefined) return { ...change, rawOutput };
  const content = result.content.flatMap(toContent);
  return content.length === 0 ? { rawOutput } : { content, rawOutput };
}

function toContent(block: Block): ToolCallContent[] {
  if (block.type === 'text') {
    return block.text === '' ? [] : [{ type: 'content', content: { type: 'text', text: fence(block.text) } }];
  }
  if (block.type !== 'image' || block.source.kind !== 'base64') return [];
  const { data, mediaType } = block.source;
  return [{ type: 'content', content: { type: 'image', data, mimeType: mediaType } }];
}

/** Clients render text as Markdown. The fence is longer than any in the text. */
export function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text.replace(/\n$/, '')}\n${mark}`;
}

function describeChange(details: unknown): Omit<ResultDisplay, 'rawOutput'> | undefined {
  if (!isRecord(details)) return undefined;
  const { filePath: path, structuredPatch: hunks, type, content } = details;
  if (typeof path !== 'string') return undefined;
  if (type === 'create' && typeof content === 'string') {
    return { content: [{ type: 'diff', path, oldText: null, newText: content }], locations: [{ path }] };
  }
  if (!Array.isArray(hunks) || hunks.length === 0) return undefined;
  const valid = hunks.filter(isRecord);
  return {
    content: valid.map((hunk) => toDiff(path, hunk)),
    locations: valid.map(({ newStart }) => (isLine(newStart) ? { path, line: newStart } : { path })),
  };
}

function toDiff(path: string, hunk: Record<string, unknown>): ToolCallContent {
  const lines = Array.isArray(hunk['lines']) ? hunk['lines'].filter((line) => typeof line === 'string') : [];
  return { type: 'diff', path, oldText: withoutSign(lines, '+'), newText: withoutSign(lines, '-') };
}

/** The text without the lines of one side, and without remarks such as "\ No newline at end of file". */
function withoutSign(lines: readonly string[], sign: string): string {
  const kept = lines.filter((line) => !line.startsWith(sign) && !line.startsWith('\\'));
  return kept.map((line) => line.slice(1)).join('\n');
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
