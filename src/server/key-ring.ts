// The keys that open the server. It knows only their SHA-256, so the configuration holds no key, and the memory only those
// of connections that are open: what was found right is not hashed again for the next request of the same connection.
// A comparison takes the same time wherever two keys begin to differ.

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { SimpleAgentsError } from '../core/error.ts';
import { refuse } from './refusal.ts';

export class KeyRing {
  readonly #digests: readonly Buffer[];
  /** For the digest that is looked for: a new buffer for each costs as much as the hash. */
  readonly #presented = Buffer.alloc(32);
  /** What a connection has shown and was found right. */
  readonly #proved = new WeakMap<object, Shown>();

  /** In hex, 64 digits each. */
  constructor(digests: readonly string[] = []) {
    this.#digests = digests.map(parseDigest);
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0;
  }

  /**
   * Throws 401. Where two credentials are sent, both have to be right: which was meant is not ours to guess.
   * `connection`: over which they came, if what it shows may be remembered for as long as it is open.
   */
  check(headers: IncomingHttpHeaders, connection?: object): void {
    if (this.isEmpty) return;
    const shown = shownIn(headers);
    const proved = connection && this.#proved.get(connection);
    if (proved !== undefined && isSame(proved, shown)) return;
    this.#prove(headers);
    if (connection !== undefined) this.#proved.set(connection, shown);
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

  #prove(headers: IncomingHttpHeaders): void {
    const presented = credentialsOf(headers);
    if (presented.length === 0) {
      fail('a key is required: send it as "authorization: Bearer KEY" or as "x-api-key: KEY"');
    }
    for (const key of presented) if (!this.#knows(key)) fail('the key is not known here');
  }

  #knows(key: string): boolean {
    this.#presented.write(hash('sha256', key, 'hex'), 'hex');
    let isKnown = false;
    // Every one is compared, so that the time says nothing about which it was.
    for (const known of this.#digests) if (timingSafeEqual(known, this.#presented)) isKnown = true;
    return isKnown;
  }
}

/** The headers a credential may be in, as they came. */
interface Shown {
  readonly authorization: string;
  readonly apiKey: string;
}

function shownIn(headers: IncomingHttpHeaders): Shown {
  const { authorization = '', 'x-api-key': apiKey = '' } = headers;
  return { authorization, apiKey: String(apiKey) };
}

/** A proxy may bring several clients over one connection, so time tells nothing here either. */
function isSame(left: Shown, right: Shown): boolean {
  return isSameText(left.authorization, right.authorization) && isSameText(left.apiKey, right.apiKey);
}

function isSameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
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
