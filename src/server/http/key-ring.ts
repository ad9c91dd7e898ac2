// The keys of the server, stored as SHA-256 hashes: neither the configuration nor the memory contains a key.
// Invariants:
//   1. Comparison takes constant time, and every known key is compared.
//   2. If two credentials are sent, both must be the same valid key.
//   3. An empty text is never a key: its hash is refused as that of a key, and it is not compared.

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { SimpleAgentsError } from '../../core/error.ts';
import { emptyKeyProblem, isHashOfNothing, toGatewayKey, type GatewayKey } from '../../core/gateway-key.ts';

/** `open`: the server has no keys. `missing`: the request has no key. */
export type KeyCheck = GatewayKey | 'open' | 'missing' | 'wrong';

interface KnownKey {
  readonly key: GatewayKey;
  readonly digest: Buffer;
}

export class KeyRing {
  readonly #known: readonly KnownKey[];
  /** The keys that may call models, by their hash. */
  readonly #callers: ReadonlyMap<string, GatewayKey>;

  /** Throws `configuration` for a hash that is not SHA-256 or is that of an empty text. */
  constructor(keys: readonly (string | GatewayKey)[] = []) {
    this.#known = keys.map(toGatewayKey).map((key) => ({ key, digest: parseDigest(key) }));
    const callers = this.#known.filter(({ key }) => key.scopes.includes('call'));
    this.#callers = new Map(callers.map(({ key, digest }) => [digest.toString('hex'), key]));
  }

  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** The number of keys that may call models. */
  get callers(): number {
    return this.#callers.size;
  }

  /** Whether other keys use the providers' accounts as well, and this one may not use what is stored there. */
  sharesAccount({ hash: own }: GatewayKey): boolean {
    const current = this.#callers.get(own.toLowerCase());
    const isAlone = this.#callers.size === (current === undefined ? 0 : 1);
    return !isAlone && current?.scopes.includes('account') !== true;
  }

  /** `inQuery`: the credentials in the URL, for wires that have them there. */
  check(headers: IncomingHttpHeaders, inQuery: readonly string[] = []): KeyCheck {
    if (this.isEmpty) return 'open';
    const presented = [...credentialsOf(headers), ...inQuery];
    if (presented.length === 0) return 'missing';
    const [first, ...others] = presented.map((credential) => this.#keyOf(credential));
    return first === undefined || others.some((key) => key !== first) ? 'wrong' : first;
  }

  #keyOf(credential: string): GatewayKey | undefined {
    if (credential === '') return undefined;
    const presented = hash('sha256', credential, 'buffer');
    let found: GatewayKey | undefined;
    for (const { key, digest } of this.#known) if (timingSafeEqual(digest, presented)) found = key;
    return found;
  }
}

function parseDigest({ name, hash: digest }: GatewayKey): Buffer {
  if (isHashOfNothing(digest)) {
    const message = `keys: the hash of ${JSON.stringify(name)} ${emptyKeyProblem}`;
    throw new SimpleAgentsError('configuration', message, { field: 'keys' });
  }
  if (/^[0-9a-f]{64}$/i.test(digest)) return Buffer.from(digest, 'hex');
  throw new SimpleAgentsError('configuration', 'keys: each must be the SHA-256 hash of a key, 64 hexadecimal digits', {
    field: 'keys',
  });
}

/** An empty text, which is a wrong key, stands for a malformed header. */
function credentialsOf(headers: IncomingHttpHeaders): string[] {
  const { authorization } = headers;
  const found: string[] = [];
  if (authorization !== undefined) found.push(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
  for (const name of ['x-api-key', 'x-goog-api-key']) {
    const apiKey = headers[name];
    if (typeof apiKey === 'string') found.push(apiKey);
  }
  return found;
}
