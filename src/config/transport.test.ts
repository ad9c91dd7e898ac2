// Which settings need undici, and which are served by `fetch`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { createTransport, openServerTransport, type TransportSettings } from './transport.ts';

/** `fetch` is the one that prefers streams. */
function usesFetch(settings: TransportSettings): boolean {
  return createTransport(settings).prefersStreams === true;
}

describe('the transport of the settings', () => {
  test('is fetch where nothing is said of connections', () => {
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
    'own authorities': { network: { caFile: 'ca.pem' } },
    'a client certificate': { network: { clientCertFile: 'a.pem', clientKeyFile: 'b.pem' } },
    'a limit of connections': { network: { maxConnections: 1 } },
    'HTTP/2': { network: { http2: true } },
    'an address to connect from': { network: { localAddress: '127.0.0.1' } },
    'how long connections are kept': { network: { keepAlive: 1 } },
    'a port that fetch does not use': { providers: [{ name: 'a', type: 'a', baseUrl: 'http://127.0.0.1:6000/v1' }] },
    'a port of the system': { providers: [{ name: 'a', type: 'a', baseUrl: 'http://127.0.0.1:9/v1' }] },
    'a time-out for connecting': { timeouts: { connect: 1 } },
    'a time-out of one provider for connecting': { providers: [{ name: 'a', type: 'a', timeouts: { connect: 1 } }] },
  };
  for (const [what, settings] of Object.entries(needing)) {
    test(`is undici with ${what}`, () => assert.equal(usesFetch(settings), false));
  }

  test('of a server is undici, whose certificates are read at once', async () => {
    const transport = await openServerTransport({});
    assert.equal(transport.prefersStreams, undefined);
    await transport.close();
    await assert.rejects(
      openServerTransport({ network: { caFile: '/nowhere/ca.pem' } }),
      failsWith('configuration', /ca_file under \[network\]: \/nowhere\/ca\.pem cannot be read/),
    );
  });
});
