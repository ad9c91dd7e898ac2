// Where a wire is spoken: a provider's base URL and the wire's path, joined as people actually write them.

import { SimpleAgentsError } from '../core/error.ts';

/**
 * Tolerates trailing slashes, a base URL that already has the version the path begins with, and one that
 * already names the whole endpoint. The query is kept: some gateways want one.
 */
export function endpointUrl(baseUrl: string, path: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SimpleAgentsError('configuration', 'the base URL must be a full one, like https://host/v1', {
      field: 'baseUrl',
    });
  }
  const base = url.pathname.replace(/\/+$/, '');
  const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
  if (base.endsWith(path)) url.pathname = base;
  else if (version !== undefined && base.endsWith(version)) url.pathname = base + path.slice(version.length);
  else url.pathname = base + path;
  return url;
}
