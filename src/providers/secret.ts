// Finds the credentials in a request and takes them out of texts that people or files will see.

const secretHeader = /auth|key|token|secret|cookie/i;

/** The credentials among the headers, without the scheme before them, longest first. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!secretHeader.test(name)) continue;
    const secret = value.replace(/^(bearer|basic|token)\s+/i, '').trim();
    if (secret !== '') secrets.push(secret);
  }
  return secrets.toSorted((left, right) => right.length - left.length);
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[key]'), text);
}
