// Finds the key of a request and checks its scope. Looks at headers only, before the body is read. Invariants:
//   1. Every failure ends in 401, 403 or 429.
//   2. A valid key is accepted at once, however many wrong keys came from the same address.
//   3. No key is logged.

import type { GatewayKey, KeyScope } from '../../core/gateway-key.ts';
import type { Exchange } from './exchange.ts';
import type { KeyRing } from './key-ring.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { throwHttpError } from './http-error.ts';
import { WrongKeyCounter } from './wrong-key-counter.ts';

export interface AuthenticationOptions {
  readonly metrics: Metrics;
  readonly logger: Logger | undefined;
  readonly wrongKeys?: WrongKeyCounter;
}

const missingKey =
  'a key is required: send it as "authorization: Bearer KEY", "x-api-key: KEY" or "x-goog-api-key: KEY"';

function keysInQuery({ wire: { keyParameter }, query }: Exchange): readonly string[] {
  return keyParameter === undefined ? [] : new URLSearchParams(query).getAll(keyParameter);
}

export class Authentication {
  keys: KeyRing;
  readonly #options: AuthenticationOptions;
  readonly #wrongKeys: WrongKeyCounter;

  constructor(keys: KeyRing, options: AuthenticationOptions) {
    this.keys = keys;
    this.#options = options;
    this.#wrongKeys = options.wrongKeys ?? new WrongKeyCounter();
  }

  /** Returns the key of a request; undefined when the server has no keys. Throws when the key lacks the scope. */
  check(exchange: Exchange, scope: KeyScope): GatewayKey | undefined {
    const found = this.keys.check(exchange.request.headers, keysInQuery(exchange));
    if (found === 'open') return undefined;
    if (found === 'missing') return this.#fail('missing', missingKey);
    if (found === 'wrong') return this.#rejectWrongKey(exchange);
    if (!found.scopes.includes(scope)) return this.#rejectScope(exchange, found, scope);
    return found;
  }

  #rejectWrongKey({ id, path, request }: Exchange): never {
    const address = request.socket.remoteAddress ?? 'unknown';
    const { count, isThrottled, isNews, rest } = this.#wrongKeys.count(address);
    if (isNews) {
      const record = {
        type: 'wrong-key',
        request: id,
        address,
        path: path.slice(0, 100),
        count,
        throttled: isThrottled,
      };
      this.#options.logger?.warn(record);
    }
    if (!isThrottled) return this.#fail('wrong', 'the key is not valid for this gateway');
    this.#options.metrics.countAuthFailure('throttled');
    const seconds = String(Math.max(1, Math.ceil(rest / 1000)));
    return throwHttpError(429, `too many wrong keys from this address; try again in ${seconds} s`, {
      kind: 'rate-limit',
      close: true,
      headers: { 'retry-after': seconds, 'x-should-retry': 'false' },
    });
  }

  #rejectScope({ id, path }: Exchange, { name }: GatewayKey, scope: KeyScope): never {
    this.#options.metrics.countAuthFailure('scope');
    this.#options.logger?.warn({ type: 'wrong-scope', request: id, key: name, scope, path: path.slice(0, 100) });
    return throwHttpError(403, `the key ${JSON.stringify(name)} does not have the scope "${scope}"`, {
      kind: 'auth',
      headers: { 'x-should-retry': 'false' },
    });
  }

  #fail(reason: 'missing' | 'wrong', message: string): never {
    this.#options.metrics.countAuthFailure(reason);
    return throwHttpError(401, message, {
      kind: 'auth',
      headers: { 'www-authenticate': 'Bearer', 'x-should-retry': 'false' },
    });
  }
}
