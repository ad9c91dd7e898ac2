// Images from files and URLs; the media type comes from the bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { loadImage, mediaTypeOf } from './image.ts';

const folder = temporaryFolder();
const heads = {
  'image/png': '\x89PNG\r\n\x1a\n....',
  'image/jpeg': '\xff\xd8\xff\xe0......',
  'image/gif': 'GIF89a......',
  'image/webp': 'RIFF....WEBP',
};

for (const [type, head] of Object.entries(heads)) {
  test(`${type} is recognised by its first bytes`, async () => {
    const bytes = Buffer.from(head, 'latin1');
    folder.write('picture.txt', bytes);
    const data = bytes.toString('base64');
    assert.deepEqual(await loadImage('picture.txt', folder.path), {
      type: 'image',
      source: { kind: 'base64', mediaType: type, data },
    });
    for (let length = 0; length < 3; length++) assert.equal(mediaTypeOf(bytes.subarray(0, length)), undefined);
  });
}

test('a URL is left to the provider', async () => {
  const url = 'https://example.com/cat.png';
  assert.deepEqual(await loadImage(url, '/'), { type: 'image', source: { kind: 'url', url } });
});

test('a file that is not an image is rejected by name', async () => {
  folder.write('notes.png', 'just words');
  await assert.rejects(loadImage('notes.png', folder.path), {
    kind: 'bad-request',
    message: '--image notes.png: is not a PNG, JPEG, GIF or WebP image; convert it first',
  });
  await assert.rejects(loadImage('none.png', folder.path), { message: '--image none.png: file not found' });
  await assert.rejects(loadImage('.', folder.path), { message: '--image .: is a directory, not an image' });
});
