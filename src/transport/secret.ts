// Finds the credentials in a request and redacts them in text that is shown or stored.

import { fromLatin1, toLatin1 } from '../core/bytes.ts';
import type { JsonObject } from '../core/json.ts';

const secretHeader = /auth|key|token|secret|cookie/i;

/** Shorter values are placeholders for servers that accept any key, such as "k", "any" or "ollama". */
const shortestSecret = 8;

/** The credentials in the headers, without their scheme, longest first. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!secretHeader.test(name)) continue;
    const secret = value.replace(/^(bearer|basic|token)\s+/i, '').trim();
    if (secret.length >= shortestSecret) secrets.push(secret);
  }
  return secrets.toSorted((left, right) => right.length - left.length);
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[key]'), text);
}

/** The document with credentials redacted in its strings; undefined if one is elsewhere, such as in a name. */
export function redactJson(body: JsonObject, secrets: readonly string[]): JsonObject | undefined {
  const text = JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'string' ? redactExcerpt(value, secrets) : value,
  );
  return redact(text, secrets) === text ? (JSON.parse(text) as JsonObject) : undefined;
}

/** Returns the same array if it contains no credential. */
export function redactBytes(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (secrets.length === 0) return bytes;
  // Latin-1 has one character for each byte, so all other bytes stay unchanged.
  const text = toLatin1(bytes);
  const redacted = redact(text, secrets);
  return redacted === text ? bytes : fromLatin1(redacted);
}

const shortestRemnant = 4;

/** Like `redact`, but also handles text that was cut off in the middle of a credential. */
export function redactExcerpt(text: string, secrets: readonly string[]): string {
  const redacted = redact(text, secrets);
  const end = redacted.endsWith('…') ? '…' : '';
  const body = redacted.slice(0, redacted.length - end.length);
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= shortestRemnant; length--) {
      if (body.endsWith(secret.slice(0, length))) return `${body.slice(0, -length)}[key]${end}`;
    }
  }
  return redacted;
}
