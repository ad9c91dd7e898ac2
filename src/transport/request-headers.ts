// The checks that both transports make before they send a request: the URL, and headers. Header names that are not tokens
// and values with control characters could split one request into two. Headers that describe the connection belong to
// the transport.

import { SimpleAgentsError } from '../core/error.ts';

const connectionHeaders = new Set([
  'content-length',
  'expect',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const illegalName = /[^\w!#$%&'*+.^`|~-]|^$/;
const illegalValue = /[^\t -~\u0080-\u00ff]/;

/** Removes user and password, which must not be sent in a request line. */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SimpleAgentsError('configuration', 'the base URL must be a complete URL like https://host/v1', {
      field: 'baseUrl',
    });
  }
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}

/** The headers with names in lower case. `origin` is used in the error message. */
export function checkHeaders(headers: Readonly<Record<string, string>>, origin: string): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [key, value] of Object.entries(headers)) {
    const name = key.toLowerCase();
    if (illegalName.test(name)) throw cannotSend(origin, `invalid header name ${JSON.stringify(name)}`);
    if (isIllegal(name, value)) throw cannotSend(origin, `invalid ${name} header`);
    checked[name] = value;
  }
  return checked;
}

function isIllegal(name: string, value: string): boolean {
  if (name === 'connection') return !/^(?:close|keep-alive)$/i.test(value);
  return connectionHeaders.has(name) || illegalValue.test(value);
}

function cannotSend(origin: string, why: string): SimpleAgentsError {
  return new SimpleAgentsError('configuration', `the request to ${origin} cannot be sent: ${why}`, {
    addresses: [origin],
  });
}
