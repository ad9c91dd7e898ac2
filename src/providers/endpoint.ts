// Joins a provider's base URL and the path of its wire, tolerating the common ways to write a base URL.

import { SimpleAgentsError } from '../core/error.ts';

/**
 * Accepts trailing slashes, a base URL that already ends with the version of the path, and one that is already the
 * complete endpoint. The query is kept because some gateways need one. That of the path is added to it.
 */
export function endpointUrl(baseUrl: string, route: string): URL {
  const [path = '', query] = route.split('?', 2);
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SimpleAgentsError('configuration', 'the base URL must be a complete URL like https://host/v1', {
      field: 'baseUrl',
    });
  }
  const base = url.pathname.replace(/\/+$/, '');
  const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
  if (base.endsWith(path)) url.pathname = base;
  else if (version !== undefined && base.endsWith(version)) url.pathname = base + path.slice(version.length);
  else url.pathname = base + path;
  if (query !== undefined) url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url;
}
