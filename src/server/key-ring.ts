// The keys that open the server. It has only their SHA-256, so the configuration holds no key, and memory holds only the
// keys of open connections: a key that was found right is not hashed again for the next request of its connection.
// Invariants:
//   1. A comparison takes the same time wherever two keys begin to differ, and every known key is compared.
//   2. Where two credentials are sent, both have to be the same right key.

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { SimpleAgentsError } from '../core/error.ts';
import { toGatewayKey, type GatewayKey } from '../core/gateway-key.ts';

/** `open`: there are no keys. `missing`: none was sent. */
export type KeyCheck = GatewayKey | 'open' | 'missing' | 'wrong';

interface KnownKey {
  readonly key: GatewayKey;
  readonly digest: Buffer;
}

export class KeyRing {
  readonly #known: readonly KnownKey[];
  /** For the digest that is compared: a new buffer for each costs as much as the hash. */
  readonly #presented = Buffer.alloc(32);
  /** What a connection has shown and was found right. */
  readonly #proved = new WeakMap<object, { readonly shown: Shown; readonly key: GatewayKey }>();

  /** A key may be given by its hash alone. */
  constructor(keys: readonly (string | GatewayKey)[] = []) {
    this.#known = keys.map(toGatewayKey).map((key) => ({ key, digest: parseDigest(key) }));
  }

  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** `connection`: what it shows may be remembered for as long as it is open. */
  check(headers: IncomingHttpHeaders, connection?: object): KeyCheck {
    if (this.isEmpty) return 'open';
    const shown = shownIn(headers);
    const proved = connection && this.#proved.get(connection);
    if (proved !== undefined && isSame(proved.shown, shown)) return proved.key;
    const key = this.#find(headers);
    if (typeof key === 'object' && connection !== undefined) this.#proved.set(connection, { shown, key });
    return key;
  }

  #find(headers: IncomingHttpHeaders): GatewayKey | 'missing' | 'wrong' {
    const presented = credentialsOf(headers);
    if (presented.length === 0) return 'missing';
    const [first, ...others] = presented.map((credential) => this.#keyOf(credential));
    return first === undefined || others.some((key) => key !== first) ? 'wrong' : first;
  }

  #keyOf(credential: string): GatewayKey | undefined {
    this.#presented.write(hash('sha256', credential, 'hex'), 'hex');
    let found: GatewayKey | undefined;
    for (const { key, digest } of this.#known) if (timingSafeEqual(digest, this.#presented)) found = key;
    return found;
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

/** In constant time as well: a proxy may bring several clients over one connection. */
function isSame(left: Shown, right: Shown): boolean {
  return isSameText(left.authorization, right.authorization) && isSameText(left.apiKey, right.apiKey);
}

function isSameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}

function parseDigest({ hash: digest }: GatewayKey): Buffer {
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
