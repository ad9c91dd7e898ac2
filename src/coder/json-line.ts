// Writes a value as one line of JSON. A bigint, which a tool's schema may ask for, keeps all its digits. A value that JSON
// cannot represent becomes null instead of an exception.

interface RawJson {
  rawJSON(text: string): unknown;
}

export function toJsonLine(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? exact(part) : part)) ?? 'null';
}

function exact(number: bigint): unknown {
  return (JSON as unknown as RawJson).rawJSON(String(number));
}
