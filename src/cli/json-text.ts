// Values as JSON text: for programs exactly, for people with colours.

import type { Paint } from './terminal.ts';

interface ExactJson {
  rawJSON(text: string): unknown;
}

/** A big integer is written with all its digits. */
export function toJsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === 'bigint' ? (JSON as unknown as ExactJson).rawJSON(String(part)) : part),
    indent,
  );
  return text ?? 'null';
}

/** Colours indented JSON: names, texts, numbers and words apart. */
export function paintJson(json: string, paint: Paint): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g, (part, text, colon) => {
    if (text === undefined) return paint('yellow', part);
    return colon === undefined ? paint('green', text as string) : `${paint('cyan', text as string)}${colon as string}`;
  });
}
