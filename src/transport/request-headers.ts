// What both transports check before anything is sent: the URL, and headers that could turn one request into two (names
// that are not tokens, values with control characters) or that describe the connection, which is the transport's business.

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

/** Without user and password, which never belong to a request line. */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SimpleAgentsError('configuration', 'the base URL must be a full one, like https://host/v1', {
      field: 'baseUrl',
    });
  }
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}

/** The headers with their names in lower case. `origin` is for the message. */
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
  return new SimpleAgentsError('configuration', `the request to ${origin} cannot be sent: ${why}`);
}
