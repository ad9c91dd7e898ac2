// Which key a request has, and whether that may be used for what is asked. Looks at headers only, so it is done before a
// body is read. Invariants: every failure is 401, 403 or 429, never a way in; a right key is answered at once, however
// many wrong ones came from its address; no key is written anywhere.

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

const missingKey = 'a key is required: send it as "authorization: Bearer KEY" or as "x-api-key: KEY"';

export class Authentication {
  keys: KeyRing;
  readonly #options: AuthenticationOptions;
  readonly #wrongKeys: WrongKeyCounter;

  constructor(keys: KeyRing, options: AuthenticationOptions) {
    this.keys = keys;
    this.#options = options;
    this.#wrongKeys = options.wrongKeys ?? new WrongKeyCounter();
  }

  /** The key of a request; nothing where there are no keys. Throws when it may not be used for this. */
  check(exchange: Exchange, scope: KeyScope): GatewayKey | undefined {
    const found = this.keys.check(exchange.request.headers);
    if (found === 'open') return undefined;
    if (found === 'missing') return this.#fail('missing', missingKey);
    if (found === 'wrong') return this.#refuseWrong(exchange);
    if (!found.scopes.includes(scope)) return this.#refuseScope(exchange, found, scope);
    return found;
  }

  #refuseWrong({ id, path, request }: Exchange): never {
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
    if (!isThrottled) return this.#fail('wrong', 'the key is not known here');
    this.#options.metrics.countAuthFailure('throttled');
    const seconds = String(Math.max(1, Math.ceil(rest / 1000)));
    return throwHttpError(429, `too many wrong keys from this address; try again in ${seconds} s`, {
      kind: 'rate-limit',
      close: true,
      headers: { 'retry-after': seconds, 'x-should-retry': 'false' },
    });
  }

  #refuseScope({ id, path }: Exchange, { name }: GatewayKey, scope: KeyScope): never {
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
