// Failures that a local server cannot cause: name resolution, certificates, lost networks, wrapped as undici and `fetch`
// wrap them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localShortage, SimpleAgentsError } from '../core/error.ts';
import { toConnectionError, type FailedConnection } from './connection-error.ts';

const rows: readonly (readonly [error: object, phase: FailedConnection['phase'], expected: string])[] = [
  [{ code: 'ENOTFOUND' }, 'connecting', 'network: could not connect to https://host (no such host)'],
  [
    { code: 'EAI_AGAIN' },
    'connecting',
    'network: could not connect to https://host (the host name could not be resolved)',
  ],
  [
    { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
    'connecting',
    'network: could not connect to https://host (certificate has expired)',
  ],
  [
    { code: 'ECONNREFUSED', address: '10.0.0.1', port: 3128 },
    'connecting',
    'network: could not connect to https://host (connection refused by 10.0.0.1:3128)',
  ],
  [{ code: 'ETIMEDOUT', message: 'timed out' }, 'connecting', 'timeout: could not connect to https://host (timed out)'],
  [
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: '0A00010B:SSL routines:…' },
    'connecting',
    'network: could not connect to https://host (TLS failed; does the server speak https?)',
  ],
  [
    { code: 'ECONNRESET' },
    'waiting',
    'network: lost the connection to https://host before a response arrived (connection reset)',
  ],
  [
    { code: 'ECONNRESET' },
    'reading',
    'network: lost the connection to https://host in the middle of the response (connection reset)',
  ],
  [
    { code: 'EMFILE', message: 'connect EMFILE 10.0.0.1:443' },
    'connecting',
    'overloaded: could not connect to https://host (this process has too many files open; raise its limit, ulimit -n)',
  ],
  [
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
    'requesting',
    'network: could not connect to https://host (self-signed certificate; trust its issuer with ca_file under [network])',
  ],
  [
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    }),
    'requesting',
    'network: could not connect to https://host (no such host)',
  ],
  [
    new TypeError('fetch failed', {
      cause: Object.assign(
        new AggregateError([
          Object.assign(new Error('a'), { code: 'ECONNREFUSED', syscall: 'connect', address: '::1', port: 443 }),
        ]),
        { code: 'ECONNREFUSED' },
      ),
    }),
    'requesting',
    'network: could not connect to https://host (connection refused by ::1:443)',
  ],
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
    'requesting',
    'network: lost the connection to https://host before a response arrived (closed by the server)',
  ],
  [
    new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
    'reading',
    'network: lost the connection to https://host in the middle of the response (closed by the server)',
  ],
  [
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
    }),
    'requesting',
    'timeout: no connection to https://host within 1 ms (raise timeouts.connect, in the configuration file connect under [timeouts])',
  ],
  [
    { code: 'UND_ERR_HEADERS_TIMEOUT', message: 'Headers Timeout Error' },
    'waiting',
    'timeout: lost the connection to https://host before a response arrived (Headers Timeout Error)',
  ],
  [
    {
      code: 'UND_ERR_PRX_CONN',
      message: 'Proxy Connection failed',
      cause: { code: 'UND_ERR_SOCKET', message: 'other side closed' },
    },
    'connecting',
    'network: could not connect to https://host (closed by the server)',
  ],
  [
    new TypeError('fetch failed', { cause: new Error('bad port') }),
    'requesting',
    'network: could not connect to https://host (fetch does not connect to this port; set connect under [timeouts] to use undici)',
  ],
  [
    new TypeError('error sending request for url (https://host/v1?key=hunter2): tcp connect error'),
    'requesting',
    'network: lost the connection to https://host before a response arrived (error sending request for url (https://host): tcp connect error)',
  ],
  [{ code: 'ECONNREFUSED' }, 'requesting', 'network: could not connect to https://host (connection refused)'],
  [
    { name: 'HTTPParserError', message: 'Expected HTTP/' },
    'waiting',
    'bad-response: https://host sent a malformed HTTP response (Expected HTTP/)',
  ],
];

for (const [error, phase, expected] of rows) {
  test(`${expected} (${phase})`, () => {
    const { kind, message } = toConnectionError(error, { origin: 'https://host', phase, connectTimeout: 1 });
    assert.equal(`${kind}: ${message}`, expected);
  });
}

function isShortage(code: string): boolean {
  const error = toConnectionError({ code }, { origin: 'https://host', phase: 'connecting', connectTimeout: 1 });
  return error.code === localShortage;
}

test('a shortage on this machine is distinguished from a failure of the server', () => {
  for (const code of ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM']) assert.ok(isShortage(code), code);
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', '']) assert.ok(!isShortage(code), code);
});

test('a SimpleAgentsError is returned unchanged, and anything else becomes one', () => {
  const ours = new SimpleAgentsError('bad-response', 'too large');
  assert.equal(toConnectionError(ours, { origin: 'https://host', phase: 'reading' }), ours);
  for (const odd of ['a text', undefined, null, 7]) {
    assert.equal(toConnectionError(odd, { origin: 'https://host', phase: 'reading' }).kind, 'network');
  }
});
