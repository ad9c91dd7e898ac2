// Values as JSON text: for programs exactly, for people with colours.

import { columnsOf, type Paint } from './terminal/terminal.ts';

interface RawJson {
  rawJSON(text: string): unknown;
}

/** A big integer is written with all its digits. */
export function toJsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(part)) : part),
    indent,
  );
  return text ?? 'null';
}

/** Indented JSON in which what fits on a line stands on one. `begun`: what stands on its first line already. */
export function layOutJson(value: unknown, width: number, indent = '', begun = indent): string {
  const line = spaced(toJsonText(value));
  // A comma may follow.
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

/** A space after each comma and colon, as people write. */
function spaced(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|([,:])/g, (part, text: string | undefined) => text ?? `${part} `);
}

/** Colours indented JSON: names, texts, numbers and words apart. */
export function paintJson(json: string, paint: Paint): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g, (part, text, colon) => {
    if (text === undefined) return paint('yellow', part);
    return colon === undefined ? paint('green', text as string) : `${paint('cyan', text as string)}${colon as string}`;
  });
}
