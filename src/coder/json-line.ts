// A value as one line of JSON. A big integer, which a tool's schema may ask for, is written with all its digits; a value
// that JSON cannot hold at all becomes null rather than an exception.

interface RawJson {
  rawJSON(text: string): unknown;
}

export function toJsonLine(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? exact(part) : part)) ?? 'null';
}

function exact(number: bigint): unknown {
  return (JSON as unknown as RawJson).rawJSON(String(number));
}
