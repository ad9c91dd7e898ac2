// NO_PROXY in its common forms.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isProxyBypassed } from './no-proxy.ts';

function isBypassed(noProxy: string, url: string): boolean {
  const { protocol, hostname, port } = new URL(url);
  return isProxyBypassed({ hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }, noProxy);
}

type Case = readonly [noProxy: string, url: string, isBypassed: boolean];

const cases: Readonly<Record<string, readonly Case[]>> = {
  'an empty list': [
    ['', 'http://host', false],
    [' , ,', 'http://host', false],
  ],
  'everything': [
    ['*', 'http://host', true],
    ['*', 'https://10.1.2.3', true],
    ['*', 'https://[::1]', true],
    ['other, *', 'https://host', true],
    ['*:80', 'http://host', true],
    ['*:80', 'https://host', false],
  ],
  'a name': [
    ['host', 'http://host', true],
    ['HOST', 'http://host', true],
    ['Example.COM', 'https://API.example.com', true],
    ['host', 'http://sub.host', true],
    ['example.com', 'https://a.b.example.com', true],
    ['host', 'http://myhost', false],
    ['example.com', 'https://badexample.com', false],
    ['example.com', 'https://example.com.evil.org', false],
    ['api.example.com', 'https://example.com', false],
    ['localhost', 'http://localhost:4000', true],
    ['localhost', 'http://127.0.0.1', false],
    ['bücher.example', 'https://xn--bcher-kva.example', true],
    ['xn--bcher-kva.example', 'https://bücher.example', true],
    ['my_host', 'http://my_host', true],
  ],
  'a name with a dot at the end': [
    ['host', 'http://host.', true],
    ['host.', 'http://host', true],
    ['example.com.', 'https://api.example.com', true],
    ['.example.com.', 'https://api.example.com.', true],
  ],
  'a name with a dot before it': [
    ['.host', 'http://host', true],
    ['.host', 'http://sub.host', true],
    ['.example.com', 'https://badexample.com', false],
  ],
  'a name with a wildcard before it': [
    ['*.host', 'http://sub.host', true],
    ['*.host', 'http://a.b.host', true],
    ['*.host', 'http://host', false],
    ['*.Example.com', 'https://badexample.com', false],
  ],
  'a port': [
    ['host:8080', 'http://host:8080', true],
    ['host:8080', 'http://sub.host:8080', true],
    ['host:8080', 'http://host', false],
    ['host:443', 'https://host', true],
    ['host:443', 'http://host', false],
    ['.host:8080', 'http://sub.host:8080', true],
    ['*.host:8080', 'http://sub.host:8081', false],
    ['10.0.0.1:8080', 'http://10.0.0.1:8080', true],
    ['10.0.0.1:8080', 'http://10.0.0.1', false],
    ['host:http', 'http://host', false],
  ],
  'several entries': [
    ['a b\tc,d', 'http://c', true],
    ['a , b , c', 'http://b', true],
    ['a,,b', 'http://b', true],
    ['a\nb', 'http://b', true],
    ['a,b', 'http://c', false],
  ],
  'an IPv4 address': [
    ['127.0.0.1', 'http://127.0.0.1:8080', true],
    ['127.0.0.1', 'http://127.1', true],
    ['127.0.0.1', 'http://127.0.0.10', false],
    ['0.0.1', 'http://127.0.0.1', false],
    ['.0.0.1', 'http://127.0.0.1', false],
    ['10.0.0.1', 'http://x.10.0.0.1.example', false],
  ],
  'an IPv6 address': [
    ['::1', 'http://[::1]:80', true],
    ['[::1]', 'http://[::1]:80', true],
    ['[::1]:80', 'http://[::1]', true],
    ['[::1]:81', 'http://[::1]', false],
    ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
    ['FD00:0::00AB', 'http://[fd00::ab]', true],
    ['fe80::1%eth0', 'http://[fe80::1]', true],
    ['::1', 'http://[::2]', false],
    ['::1', 'http://127.0.0.1', false],
  ],
  'an IPv4 address written as IPv6': [
    ['10.0.0.1', 'http://[::ffff:10.0.0.1]', true],
    ['::ffff:10.0.0.1', 'http://10.0.0.1', true],
    ['::FFFF:0a00:0001', 'http://10.0.0.1', true],
    ['::ffff:10.0.0.1', 'http://10.0.0.2', false],
  ],
  'an IPv4 network': [
    ['10.0.0.0/8', 'http://10.200.3.4', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.1.2.3/8', 'http://10.200.3.4', true],
    ['192.168.1.128/25', 'http://192.168.1.129', true],
    ['192.168.1.128/25', 'http://192.168.1.127', false],
    ['10.0.0.1/32', 'http://10.0.0.1', true],
    ['10.0.0.1/32', 'http://10.0.0.2', false],
    ['0.0.0.0/0', 'http://8.8.8.8', true],
    ['0.0.0.0/0', 'http://[2001:db8::1]', false],
    ['0.0.0.0/0', 'http://host', false],
    ['10.0.0.0/8', 'http://[::ffff:10.1.1.1]', true],
    ['10.0.0.0/33', 'http://10.0.0.0', false],
    ['10.0.0/8', 'http://10.0.0.1', false],
    ['10.0.0.0/', 'http://10.0.0.0', false],
    ['10.0.0.0/x', 'http://10.0.0.0', false],
    ['example.com/24', 'http://example.com', false],
  ],
  'an IPv6 network': [
    ['fd00::/8', 'http://[fdab::1]', true],
    ['FD00::/8', 'http://[fdab::1]', true],
    ['[fd00::]/8', 'http://[fdab::1]', true],
    ['[fd00::/8]', 'http://[fdab::1]', true],
    ['fd00::/8', 'http://[fe00::1]', false],
    ['2001:db8::/33', 'http://[2001:db8:7fff::1]', true],
    ['2001:db8::/33', 'http://[2001:db8:8000::1]', false],
    ['::1/128', 'http://[::1]', true],
    ['::/0', 'http://[2001:db8::1]', true],
    ['::/0', 'http://10.0.0.1', false],
    ['::ffff:10.0.0.0/104', 'http://10.1.2.3', true],
    ['::ffff:10.0.0.0/104', 'http://11.1.2.3', false],
    ['::ffff:0.0.0.0/95', 'http://11.1.2.3', false],
    ['fd00::/129', 'http://[fd00::1]', false],
  ],
};

for (const [form, list] of Object.entries(cases)) {
  describe(`NO_PROXY with ${form}`, () => {
    for (const [noProxy, url, expected] of list) {
      test(`"${noProxy}" ${expected ? 'exempts' : 'does not exempt'} ${url}`, () => {
        assert.equal(isBypassed(noProxy, url), expected);
      });
    }
  });
}

test('any text in NO_PROXY is accepted without an error', () => {
  for (const odd of [
    '[',
    ']',
    '[]',
    ':',
    '::',
    ':80',
    '/',
    '/8',
    '*.',
    '.',
    '..',
    '%',
    '[::1',
    '::1]',
    'a/b/c',
    'http://a',
    '\u0000',
    '[x]:1',
  ]) {
    assert.equal(isBypassed(odd, 'http://host.example:8080'), false, odd);
    assert.equal(isBypassed(odd, 'http://10.0.0.1'), false, odd);
  }
});
