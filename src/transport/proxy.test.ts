// Which URLs use a proxy, and how the URL of a proxy is parsed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { proxyFor, type ProxySettings } from './proxy.ts';

const httpProxy = 'http://proxy.example:3128';

function proxyOf(url: string, settings: ProxySettings) {
  return proxyFor(new URL(url), settings);
}

function authorizationOf(proxy: string): string | undefined {
  return proxyOf('http://host', { httpProxy: proxy })?.authorization;
}

describe('a proxy', () => {
  test('applies to its protocol; the one for http also to https', () => {
    const httpsProxy = 'https://[::1]';
    assert.deepEqual(proxyOf('http://host', { httpProxy, httpsProxy }), { origin: 'http://proxy.example:3128' });
    assert.deepEqual(proxyOf('https://host', { httpProxy, httpsProxy }), { origin: 'https://[::1]' });
    assert.deepEqual(proxyOf('https://host', { httpProxy }), { origin: 'http://proxy.example:3128' });
    assert.equal(proxyOf('http://host', { httpsProxy }), undefined);
    assert.equal(proxyOf('http://host', { httpProxy: '', httpsProxy: '' }), undefined);
  });

  test('gets the user and password of its URL, which are removed from the URL', () => {
    assert.deepEqual(proxyOf('http://host', { httpProxy: 'http://me:secret@proxy:1/path' }), {
      origin: 'http://proxy:1',
      authorization: `Basic ${btoa('me:secret')}`,
    });
    assert.equal(authorizationOf('http://me:pass%20word@host'), `Basic ${btoa('me:pass word')}`);
    assert.equal(authorizationOf('http://me:gr%C3%BCn@host'), `Basic ${Buffer.from('me:grün').toString('base64')}`);
    assert.equal(authorizationOf('http://me@host'), `Basic ${btoa('me:')}`);
    assert.equal(authorizationOf(httpProxy), undefined);
  });

  test('that is not a URL is a configuration error, also if it is for other URLs', () => {
    for (const wrong of ['proxy hunter2', 'socks5://hunter2@host', 'host:80', 'http://%zz:hunter2@host']) {
      for (const settings of [{ httpProxy: wrong }, { httpsProxy: wrong }, { httpProxy: wrong, noProxy: '*' }]) {
        assert.throws(
          () => proxyOf('http://host', settings),
          (error: Error) => {
            assert.doesNotMatch(error.message, /hunter2/);
            return failsWith('configuration', /must be a URL like http:\/\/host:port/)(error);
          },
        );
      }
    }
  });
});

test('a host that no_proxy lists is reached without the proxy', () => {
  const noProxy = 'example.com, 10.0.0.0/8, [::1]:8080';
  for (const url of ['https://api.example.com', 'http://10.1.2.3', 'http://[::1]:8080']) {
    assert.equal(proxyOf(url, { httpProxy, noProxy }), undefined, url);
  }
  for (const url of ['https://example.org', 'http://11.1.2.3', 'http://[::1]:8081']) {
    assert.deepEqual(proxyOf(url, { httpProxy, noProxy }), { origin: httpProxy }, url);
  }
});
