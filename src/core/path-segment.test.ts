// Text in a URL path stays one segment, or is refused by the name of its field.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SimpleAgentsError } from './error.ts';
import { recodePath, recodePathSegment, toPathSegment } from './path-segment.ts';

const refusesField = (error: unknown): boolean =>
  error instanceof SimpleAgentsError && error.kind === 'bad-request' && error.message.startsWith('model: ');

test('names are encoded as one segment', () => {
  const names = {
    'gpt-5.4-mini': 'gpt-5.4-mini',
    'global.amazon.nova-2-lite-v1:0': 'global.amazon.nova-2-lite-v1%3A0',
    'arn:aws:bedrock:us-east-1:1:inference-profile/a.b':
      'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fa.b',
    'a?b#c&d=e;f': 'a%3Fb%23c%26d%3De%3Bf',
    '...': '...',
    '..a': '..a',
    '50% more': '50%25%20more',
    'größe': 'gr%C3%B6%C3%9Fe',
  };
  for (const [name, encoded] of Object.entries(names)) assert.equal(toPathSegment(name, 'model'), encoded);
});

test('names that a server could read as another path are refused', () => {
  const dots = ['', '.', '..', '/', '/a', 'a/', 'a//b', 'a/./b', 'a/../b', 'g/../../../v1/files'];
  const encoded = ['%2e%2e', '%2E.', 'a%2f..%2fb', '%252e%252e', '%5c', 'a%00'];
  const others = ['..\\', 'a\\b', 'a\nb', 'a\r\nhost: x', 'a\0', 'a\u007f', 'a\u0085', '\ud800'];
  for (const name of [...dots, ...encoded, ...others])
    assert.throws(() => toPathSegment(name, 'model'), refusesField, name);
});

test('a segment that a client has encoded is not encoded twice', () => {
  assert.equal(recodePathSegment('item%20one', 'model'), 'item%20one');
  assert.equal(recodePath('/v1/files/file-1/content', 'model'), '/v1/files/file-1/content');
  assert.equal(recodePath('/v1/files/ft:gpt;x', 'model'), '/v1/files/ft%3Agpt%3Bx');
  const refused = [
    '..',
    '%2e%2e',
    '%2E',
    '%252e%252e',
    '%2f',
    'a%2fb',
    '%5c',
    '%00',
    '%0d%0a',
    '%',
    '%zz',
    '%c0%ae',
    '',
  ];
  for (const segment of refused) assert.throws(() => recodePathSegment(segment, 'model'), refusesField, segment);
  for (const path of ['/v1//files', '/v1/files/', '/v1/files/../x', '/', ''])
    assert.throws(() => recodePath(path, 'model'), refusesField, path);
});
