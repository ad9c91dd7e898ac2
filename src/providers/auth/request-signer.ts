// Adds a cloud credential to a request: a signature or a bearer token. Credentials are cached and loaded ahead of their
// end. A call that is refused because its credential was replaced meanwhile is sent once more with the new one.

import { omitUndefined } from '../../core/json.ts';
import type { TransportRequest, TransportResponse } from '../../transport/transport.ts';
import { loadAwsCredentials } from './aws-credentials.ts';
import { loadAwsRegion, throwNoRegion } from './aws-region.ts';
import { CredentialCache } from './credential-cache.ts';
import type { CredentialHost, Expiring } from './credential-host.ts';
import { loadEntraToken } from './entra-credentials.ts';
import { loadGoogleToken, type AccessToken } from './google-credentials.ts';
import { signRequest } from './signature-v4.ts';

export interface RequestSigner {
  /** The headers to send instead of those of the request. */
  sign(request: TransportRequest): Promise<Readonly<Record<string, string>>>;
  /** After a refusal: whether a new signature may be accepted. */
  renew(response: Pick<TransportResponse, 'status' | 'headers'>): Promise<boolean>;
}

/** How a vendor authenticates calls that have no API key. */
export type CloudAuth = 'aws' | 'google' | 'entra';

export interface SignerOptions {
  /** For `aws`. */
  readonly profile?: string;
  /** For `aws`. Defaults to the environment, else the profile. */
  readonly region?: string;
}

export function createSigner(auth: CloudAuth, host: CredentialHost, options: SignerOptions = {}): RequestSigner {
  if (auth === 'google') return tokenSigner(() => loadGoogleToken(host), host);
  if (auth === 'entra') return tokenSigner(() => loadEntraToken(host), host);
  return awsSigner(host, options);
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** Remembers the credential of the last signature, to replace that one and no newer one. */
class LastUsed<T extends Expiring> {
  readonly #cache: CredentialCache<T>;
  #used: T | undefined;

  constructor(load: () => Promise<T>, host: CredentialHost) {
    this.#cache = new CredentialCache(load, { now: () => host.now() });
  }

  async get(): Promise<T> {
    this.#used = await this.#cache.get();
    return this.#used;
  }

  async replace(): Promise<boolean> {
    return this.#used !== undefined && this.#cache.replace(this.#used);
  }
}

function tokenSigner(load: () => Promise<AccessToken>, host: CredentialHost): RequestSigner {
  const tokens = new LastUsed(load, host);
  return {
    async sign({ headers }) {
      const { token } = await tokens.get();
      return { ...headers, authorization: `Bearer ${token}` };
    },
    renew: async ({ status }) => isRefusal(status) && (await tokens.replace()),
  };
}

/** A signature is valid for five minutes around the server's date. */
const mostSkew = 240_000;

function awsSigner(host: CredentialHost, { profile, region: configured }: SignerOptions): RequestSigner {
  let region = configured;
  /** How far the server's clock is ahead of ours. */
  let skew = 0;
  const regionOf = async (): Promise<string> => {
    region ??= await loadAwsRegion(host, profile);
    return region ?? throwNoRegion();
  };
  const keys = new LastUsed(
    async () => loadAwsCredentials(host, omitUndefined({ profile, region: await regionOf() })),
    host,
  );
  return {
    async sign(request) {
      const credentials = await keys.get();
      const date = new Date(host.now() + skew);
      const signed = await signRequest(request, { credentials, region: await regionOf(), service: 'bedrock', date });
      // The transport sets it.
      const { host: _host, ...headers } = signed;
      return headers;
    },
    async renew({ status, headers }) {
      if (!isRefusal(status)) return false;
      const difference = Date.parse(headers['date'] ?? '') - host.now();
      if (Math.abs(difference - skew) > mostSkew) {
        skew = difference;
        return true;
      }
      return keys.replace();
    },
  };
}
