// Formats JSON for people: laid out and coloured.

import { toJsonText } from '../heal/report/json-text.ts';
import { columnsOf, type Paint } from './terminal/terminal.ts';

/** Indents JSON, but keeps a value on one line if it fits. `begun` is the text before the value on its first line. */
export function layOutJson(value: unknown, width: number, indent = '', begun = indent): string {
  const line = spaced(toJsonText(value));
  // Plus one column for a comma that may follow.
  const fits = columnsOf(begun) + columnsOf(line) + 1 <= width;
  if (typeof value !== 'object' || value === null || fits) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, part]) => {
    const start = isList ? inner : `${inner}${JSON.stringify(key)}: `;
    return start + layOutJson(part, width, inner, start);
  });
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** Adds a space after each comma and colon. */
function spaced(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|([,:])/g, (part, text: string | undefined) => text ?? `${part} `);
}

/** Colours indented JSON: keys, strings, and other literals. */
export function paintJson(json: string, paint: Paint): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g, (part, text, colon) => {
    if (text === undefined) return paint('yellow', part);
    return colon === undefined ? paint('green', text as string) : `${paint('cyan', text as string)}${colon as string}`;
  });
}
