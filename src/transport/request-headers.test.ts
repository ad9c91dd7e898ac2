// Requests as they go over the wire, and those that would be two.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/fails-with.ts';
import type { TransportRequest } from '../transport.ts';
import { Places } from './place.ts';
import { encodeRequest } from './request-text.ts';

const url = 'http://host:8080/v1/a?b=c';

function encode(request: Partial<TransportRequest>, places = new Places()): string[] {
  const full = { method: 'POST', url, headers: {}, ...request } as const;
  const { text, encoding } = encodeRequest(places.of(full.url), full);
  return Buffer.from(text, encoding).toString('latin1').split('\r\n');
}

describe('a request', () => {
  test('has a line, headers, and the length of its body in bytes', () => {
    assert.deepEqual(encode({ headers: { 'X-Mine': 'yes', 'accept-encoding': 'identity' }, body: '{}' }), [
      'POST /v1/a?b=c HTTP/1.1',
      'host: host:8080',
      'connection: keep-alive',
      'accept-encoding: identity',
      'x-mine: yes',
      'content-length: 2',
      '',
      '{}',
    ]);
  });

  test('says that its body is empty, unless it is one of those that have none', () => {
    assert.ok(encode({}).includes('content-length: 0'));
    assert.ok(encode({ body: '' }).includes('content-length: 0'));
    assert.doesNotMatch(encode({ method: 'GET' }).join(' '), /content-length/);
  });

  for (const header of ['plain', 'gr\u00fcn']) {
    for (const body of ['plain', 'gr\u00fcn', '\u4f60\u597d', '\ud83d\ude00', '\ud800']) {
      test(`keeps header "${header}" in Latin-1 and body ${JSON.stringify(body)} in UTF-8`, () => {
        const lines = encode({ headers: { a: header }, body });
        assert.ok(lines.includes(`a: ${header}`));
        assert.equal(Buffer.from(lines.at(-1) ?? '', 'latin1').toString(), Buffer.from(body).toString());
        assert.ok(lines.includes(`content-length: ${Buffer.byteLength(body)}`));
      });
    }
  }

  test('names the whole URL to a proxy, which gets its password, and only then', () => {
    const places = new Places({ httpProxy: 'http://me:secret@proxy' });
    const lines = encode({}, places);
    assert.equal(lines[0], 'POST http://host:8080/v1/a?b=c HTTP/1.1');
    assert.ok(lines.includes(`proxy-authorization: Basic ${btoa('me:secret')}`));
    assert.doesNotMatch(encode({ url: 'https://host/v1' }, places).join(' '), /proxy-authorization|https:/);
  });

  test('is written anew when its headers have changed', () => {
    const places = new Places();
    const headers: Record<string, string> = { a: '1' };
    assert.ok(encode({ headers }, places).includes('a: 1'));
    headers['a'] = '2';
    assert.ok(encode({ headers }, places).includes('a: 2'));
    const frozen = Object.freeze({ a: '3' });
    for (const body of ['', 'x']) assert.ok(encode({ headers: frozen, body }, places).includes('a: 3'));
    assert.equal(encode({ headers: frozen, url: 'http://host/other' }, places)[0], 'POST /other HTTP/1.1');
    assert.equal(encode({ headers: frozen, method: 'GET' }, places)[0], 'GET /v1/a?b=c HTTP/1.1');
  });
});

describe('refused before anything is sent', () => {
  const headers: Readonly<Record<string, Record<string, string>>> = {
    'a line end': { a: 'b\r\nc: d' },
    'a line feed': { a: 'b\n' },
    'a carriage return': { a: '\rb' },
    'NUL': { a: 'b\0' },
    'a character that is not Latin-1': { a: '\u4f60' },
    'a line end in a name': { 'a\r\nb': 'c' },
    'a blank in a name': { 'a b': 'c' },
    'a colon in a name': { 'a:b': 'c' },
    'no name': { '': 'c' },
    'a length': { 'Content-Length': '5' },
    'a transfer encoding': { 'transfer-encoding': 'chunked' },
    'an upgrade': { upgrade: 'h2c' },
    'an expectation': { expect: '100-continue' },
    'another use of the connection': { connection: 'upgrade' },
  };
  for (const [name, wrong] of Object.entries(headers)) {
    test(name, () => {
      assert.throws(
        () => encode({ headers: wrong }),
        failsWith('configuration', /cannot be sent: invalid (header name "|[-\w]+ header)/),
      );
    });
  }
});
