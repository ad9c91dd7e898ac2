// A URL taken apart once, for it is asked again and again: the origin to connect to, the target to name in the request.

import { SimpleAgentsError } from '../../core/error.ts';
import type { TransportRequest } from '../transport.ts';
import { addressOf, proxyFor, type Address, type Proxy, type ProxySettings } from './proxy.ts';

/** What connections are kept for. */
export interface Origin {
  /** `https://host:port`: what errors may tell of a URL. */
  readonly name: string;
  /** As the header of that name has it. */
  readonly host: string;
  readonly address: Address;
  readonly proxy: Proxy | undefined;
  /** The proxy only carries bytes. Otherwise it is asked in the origin's stead. */
  readonly isTunnelled: boolean;
}

/** URLs that are remembered. */
const mostPlaces = 1000;

export class Places {
  readonly #proxy: ProxySettings;
  readonly #byUrl = new Map<string, Place>();
  readonly #origins = new Map<string, Origin>();

  constructor(proxy: ProxySettings = {}) {
    this.#proxy = proxy;
  }

  of(url: string): Place {
    const known = this.#byUrl.get(url);
    if (known !== undefined) return known;
    if (this.#byUrl.size === mostPlaces) {
      this.#byUrl.clear();
      this.#origins.clear();
    }
    const place = this.#toPlace(parseUrl(url));
    this.#byUrl.set(url, place);
    return place;
  }

  #toPlace(url: URL): Place {
    const origin = this.#origins.get(url.origin) ?? toOrigin(url, this.#proxy);
    this.#origins.set(url.origin, origin);
    const path = url.pathname + url.search;
    return new Place(origin, origin.proxy === undefined || origin.isTunnelled ? path : url.origin + path);
  }
}

export class Place {
  readonly origin: Origin;
  readonly target: string;
  /** Of calls with POST. */
  readonly #heads = new WeakMap<object, string>();

  constructor(origin: Origin, target: string) {
    this.origin = origin;
    this.target = target;
  }

  /** The head that was written for the same headers before. */
  knownHead({ method, headers }: TransportRequest): string | undefined {
    return method === 'POST' ? this.#heads.get(headers) : undefined;
  }

  /** Only headers that cannot change are known again. */
  remember({ method, headers }: TransportRequest, head: string): string {
    if (method === 'POST' && Object.isFrozen(headers)) this.#heads.set(headers, head);
    return head;
  }
}

function toOrigin(url: URL, settings: ProxySettings): Origin {
  const address = addressOf(url);
  const proxy = proxyFor(address, settings);
  return { name: url.origin, host: url.host, address, proxy, isTunnelled: proxy !== undefined && address.isSecure };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new SimpleAgentsError('configuration', 'the base URL must be a full one, like https://host/v1', {
    field: 'baseUrl',
  });
}
