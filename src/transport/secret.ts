// Finds the credentials in a request and takes them out of texts that people or files will see.

import { fromLatin1, toLatin1 } from '../core/bytes.ts';

const secretHeader = /auth|key|token|secret|cookie/i;

/** Shorter ones are placeholders for servers that want any key, such as "k", "any" or "ollama", and ordinary words. */
const shortestSecret = 8;

/** The credentials among the headers, without the scheme before them, longest first. */
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

/** Bytes in which there is no credential come back as they are. */
export function redactBytes(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (secrets.length === 0) return bytes;
  // One character for each byte, so that everything else stays as it is.
  const text = toLatin1(bytes);
  const redacted = redact(text, secrets);
  return redacted === text ? bytes : fromLatin1(redacted);
}

const shortestRemnant = 4;

/** Also for a text that was cut off, perhaps in the middle of a credential. */
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
