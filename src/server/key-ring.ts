// The keys that open the server. It knows only their SHA-256, so neither the configuration nor the memory holds a key,
// and a comparison takes the same time wherever two keys begin to differ.

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { SimpleAgentsError } from '../core/error.ts';
import { refuse } from './refusal.ts';

export class KeyRing {
  readonly #digests: readonly Buffer[];
  /** For the digest that is looked for: a new buffer for each costs as much as the hash. */
  readonly #presented = Buffer.alloc(32);

  /** In hex, 64 digits each. */
  constructor(digests: readonly string[] = []) {
    this.#digests = digests.map(parseDigest);
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /** Throws 401. Where two credentials are sent, both have to be right: which was meant is not ours to guess. */
  check(headers: IncomingHttpHeaders): void {
    if (this.isEmpty) return;
    const presented = credentialsOf(headers);
    if (presented.length === 0) {
      fail('a key is required: send it as "authorization: Bearer KEY" or as "x-api-key: KEY"');
    }
    for (const key of presented) if (!this.#knows(key)) fail('the key is not known here');
  }

  /** A name for whoever holds the key, which tells nothing of the key. Throws 401. */
  identify(headers: IncomingHttpHeaders): string {
    this.check(headers);
    const [key] = credentialsOf(headers);
    return this.isEmpty || key === undefined ? 'local' : `key-${hash('sha256', key, 'hex').slice(0, 12)}`;
  }

  isOpenTo(headers: IncomingHttpHeaders): boolean {
    return this.isEmpty || credentialsOf(headers).some((key) => this.#knows(key));
  }

  #knows(key: string): boolean {
    this.#presented.write(hash('sha256', key, 'hex'), 'hex');
    let isKnown = false;
    // Every one is compared, so that the time says nothing about which it was.
    for (const known of this.#digests) if (timingSafeEqual(known, this.#presented)) isKnown = true;
    return isKnown;
  }
}

function parseDigest(digest: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(digest)) return Buffer.from(digest, 'hex');
  throw new SimpleAgentsError('configuration', 'keys: each must be the SHA-256 of a key, 64 hexadecimal digits', {
    field: 'keys',
  });
}

/** A header that is there but unreadable counts as a wrong key. */
function credentialsOf(headers: IncomingHttpHeaders): string[] {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  const found: string[] = [];
  if (authorization !== undefined) found.push(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
  if (typeof apiKey === 'string') found.push(apiKey);
  return found;
}

function fail(message: string): never {
  return refuse(401, message, { kind: 'auth', headers: { 'www-authenticate': 'Bearer', 'x-should-retry': 'false' } });
}
