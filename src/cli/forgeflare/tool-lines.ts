// One-line descriptions of tool calls and results. Text from a model or a tool is made safe for the screen, even if the
// output is not a terminal, because logs are read in one.

import { isRecord } from '../../core/json.ts';
import { textOf, type ToolResultBlock } from '../../core/message.ts';
import { describeTime } from '../response-writer.ts';
import type { Paint } from '../terminal/terminal.ts';
import { toVisibleText } from './visible-text.ts';

/** Arguments that describe a call best, most important first. */
const telling = ['command', 'file_path', 'pattern', 'path', 'description', 'prompt'];
const longestSummary = 120;
const longestError = 200;

/** `Read src/index.ts` */
export function describeCall(name: string, input: unknown): string {
  const argument = isRecord(input) ? telling.map((key) => input[key]).find((value) => typeof value === 'string') : '';
  const agent = isRecord(input) && typeof input['subagent_type'] === 'string' ? `${input['subagent_type']}: ` : '';
  return `${toSafeLine(name)} ${cut(toSafeLine(`${agent}${argument ?? ''}`), longestSummary)}`.trimEnd();
}

const editors: ReadonlySet<string> = new Set(['Edit', 'Write']);

/** Whether the output of the tool is a diff. */
export function isFileChange(name: string): boolean {
  return editors.has(name);
}

/** Whether the line of a call shows the complete command: short, on one line, without hidden characters. */
export function isWhole(command: string): boolean {
  return command.length < longestSummary && !/[\n\t]| {2}/.test(command) && toVisibleText(command) === command;
}

/** `1.4 KB in 12 ms`, or the error. */
export function describeResult(result: ToolResultBlock, duration: number): string {
  const time = describeTime(duration);
  if (result.isError !== true) return `${describeSize(sizeOf(result))} in ${time}`;
  const message = cut(toSafeLine(textOf(result.content)), longestError);
  return `error after ${time}: ${message}`;
}

function sizeOf({ content }: ToolResultBlock): number {
  let bytes = 0;
  for (const part of content) {
    if (part.type === 'text') bytes += Buffer.byteLength(part.text);
    else bytes += Buffer.byteLength(JSON.stringify(part.type === 'opaque' ? part.data : part.source));
  }
  return bytes;
}

export function describeSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Paints a line of a diff. */
export function paintDiffLine(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line);
  if (line.startsWith('-')) return paint('red', line);
  return paint('dim', line);
}

/** One line without characters that move the cursor or change the text direction. */
export function toSafeLine(text: string): string {
  return toSafeText(text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ↵ '));
}

/** Keeps line breaks and tabs. */
export function toSafeText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control characters
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, pictureOf);
}

function pictureOf(control: string): string {
  if (control === '\r') return '';
  const code = control.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}

export function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
