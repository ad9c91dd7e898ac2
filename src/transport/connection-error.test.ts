// The failures that no server on this machine can bring about: names, certificates, lost networks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalShortage, toConnectionError, type Phase } from './connection-error.ts';

const rows: readonly (readonly [error: object, phase: Phase, expected: string])[] = [
  [{ code: 'ENOTFOUND' }, 'connecting', 'network: could not connect to https://host (no such host)'],
  [{ code: 'EAI_AGAIN' }, 'connecting', 'network: could not connect to https://host (the name could not be looked up)'],
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
    'network: lost the connection to https://host before an answer came (connection reset)',
  ],
  [
    { code: 'ECONNRESET' },
    'reading',
    'network: lost the connection to https://host in the middle of the answer (connection reset)',
  ],
  [
    { code: 'EMFILE', message: 'connect EMFILE 10.0.0.1:443' },
    'connecting',
    'overloaded: could not connect to https://host (this process has too many files open; raise its limit, ulimit -n)',
  ],
];

for (const [error, phase, expected] of rows) {
  test(`${JSON.stringify(error)} while ${phase}`, () => {
    const { kind, message } = toConnectionError(error, { origin: 'https://host', phase, connectTimeout: 1 });
    assert.equal(`${kind}: ${message}`, expected);
  });
}

function isShortage(code: string): boolean {
  const error = toConnectionError({ code }, { origin: 'https://host', phase: 'connecting', connectTimeout: 1 });
  return isLocalShortage(error);
}

test('what this machine lacks is told from what the other one does', () => {
  for (const code of ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM']) assert.ok(isShortage(code), code);
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', '']) assert.ok(!isShortage(code), code);
});
