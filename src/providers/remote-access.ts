// Where a provider is and what it needs to admit a request: the URL of a route, the headers with the key, and the secrets
// that must not appear in errors.

import { toBase64 } from '../core/base64.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { version } from '../core/version.ts';
import { secretsIn } from '../transport/secret.ts';
import type { RequestSigner } from './auth/request-signer.ts';
import { endpointUrl } from './endpoint.ts';

export interface AccessOptions {
  /** The provider's name in errors and in a stream's `target`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly auth?: Auth;
  /** Without one, no auth header is sent. */
  readonly apiKey?: string;
  /** Adds a cloud credential to each request. */
  readonly signer?: RequestSigner;
  readonly headers?: Readonly<Record<string, string>>;
}

const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** The header for the key: `authorization: Bearer …`, one that contains only the key, or none. */
export type Auth = 'bearer' | 'none' | (typeof keyHeaders)[number];

export interface RemoteAccess {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** `contentType`: `undefined` for a request without a body, or with a body of any type. */
export function toRemoteAccess(options: AccessOptions, path: string, contentType: string | undefined): RemoteAccess {
  const headers = headersOf(options, endpointUrl(options.baseUrl, path));
  const content = contentType === undefined ? {} : { 'content-type': contentType };
  return { url: routeUrl(options, path).href, headers: { ...content, ...headers }, secrets: secretsIn(headers) };
}

/** Without the credentials in the base URL, which are sent in a header. */
export function routeUrl({ baseUrl }: Pick<AccessOptions, 'baseUrl'>, path: string): URL {
  const url = endpointUrl(baseUrl, path);
  url.username = '';
  url.password = '';
  return url;
}

function headersOf(
  { name, auth = 'bearer', apiKey = '', headers = {} }: AccessOptions,
  url: URL,
): Record<string, string> {
  const result: Record<string, string> = {
    'user-agent': `simple-agents/${version}`,
  };
  if (url.username !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    result['authorization'] = `Basic ${toBase64(credentials)}`;
  }
  if (apiKey !== '' && auth === 'bearer') result['authorization'] = `Bearer ${apiKey}`;
  if (apiKey !== '' && keyHeaders.some((known) => known === auth)) result[auth] = apiKey;
  for (const [header, value] of Object.entries(headers)) result[header.toLowerCase()] = value;
  for (const [header, value] of Object.entries(result)) {
    // Checked here because the transport does not know the provider's name. Usually a key was copied with its line end.
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) {
      throw new SimpleAgentsError(
        'configuration',
        `the header ${header} of ${name} contains characters that are not allowed in a header`,
      );
    }
  }
  return result;
}
