// Which settings need undici, and which work with `fetch`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { createTransport, openServerTransport, type TransportSettings } from './transport.ts';

/** `fetch` is the one that prefers streams. */
function usesFetch(settings: TransportSettings): boolean {
  return createTransport(settings).prefersStreams === true;
}

describe('the transport for the settings', () => {
  test('is fetch without connection settings', () => {
    assert.ok(usesFetch({}));
    const baseUrl = 'http://127.0.0.1:8000/v1';
    assert.ok(
      usesFetch({
        providers: [
          { name: 'a', type: 'a', baseUrl },
          { name: 'b', type: 'b' },
        ],
      }),
    );
    assert.ok(usesFetch({ proxy: {}, network: {}, timeouts: { firstToken: 5, idle: 5, total: 5 }, providers: [] }));
    assert.ok(usesFetch({ proxy: { httpProxy: '', httpsProxy: '', noProxy: '*' }, network: { http2: false } }));
  });

  const needing: Readonly<Record<string, TransportSettings>> = {
    'a proxy for http': { proxy: { httpProxy: 'http://proxy' } },
    'a proxy for https': { proxy: { httpsProxy: 'http://proxy', noProxy: '*' } },
    'a CA file': { network: { caFile: 'ca.pem' } },
    'a client certificate': { network: { clientCertFile: 'a.pem', clientKeyFile: 'b.pem' } },
    'a connection limit': { network: { maxConnections: 1 } },
    'HTTP/2': { network: { http2: true } },
    'a local address': { network: { localAddress: '127.0.0.1' } },
    'a keep-alive time': { network: { keepAlive: 1 } },
    'a port that fetch blocks': { providers: [{ name: 'a', type: 'a', baseUrl: 'http://127.0.0.1:6000/v1' }] },
    'a port below 1024': { providers: [{ name: 'a', type: 'a', baseUrl: 'http://127.0.0.1:9/v1' }] },
    'a connect timeout': { timeouts: { connect: 1 } },
    'a connect timeout of one provider': { providers: [{ name: 'a', type: 'a', timeouts: { connect: 1 } }] },
  };
  for (const [what, settings] of Object.entries(needing)) {
    test(`is undici with ${what}`, () => assert.equal(usesFetch(settings), false));
  }

  test('of a server is undici, which reads certificates immediately', async () => {
    const transport = await openServerTransport({});
    assert.equal(transport.prefersStreams, undefined);
    await transport.close();
    await assert.rejects(
      openServerTransport({ network: { caFile: '/nowhere/ca.pem' } }),
      failsWith('configuration', /ca_file under \[network\]: \/nowhere\/ca\.pem cannot be read/),
    );
  });
});
