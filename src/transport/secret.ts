// Finds the credentials in a request and takes them out of texts that people or files will see.

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
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!secrets.some((secret) => buffer.includes(secret, 0, 'latin1'))) return bytes;
  // One character for each byte, so that whatever else is there stays as it is.
  return Buffer.from(redact(buffer.toString('latin1'), secrets), 'latin1');
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
