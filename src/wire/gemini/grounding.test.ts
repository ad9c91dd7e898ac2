// The sources of a text: their positions in characters, and metadata that does not fit.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toCitations } from './grounding.ts';

const web = { uri: 'https://example.com/a', title: 'a' };
const chunks = [{ web }, { retrievedContext: { uri: 'gs://b/c' } }, {}];

function cited(text: string, segment: object, indices: readonly number[] = [0]): unknown {
  const supports = [{ segment, groundingChunkIndices: indices }];
  return toCitations({ groundingChunks: chunks, groundingSupports: supports }, text)?.map(
    ({ url, start_index: start, end_index: end }) => [url, start, end],
  );
}

test('positions are those of characters, not of bytes', () => {
  assert.deepEqual(cited('Ja. Nein.', { endIndex: 3 }), [[web.uri, 0, 3]]);
  // Two bytes, three bytes, and four bytes with two UTF-16 units.
  assert.deepEqual(cited('é€😀x', { startIndex: 2, endIndex: 5 }), [[web.uri, 1, 2]]);
  assert.deepEqual(cited('é€😀x', { startIndex: 9, endIndex: 10, text: 'x' }), [[web.uri, 4, 5]]);
  assert.deepEqual(cited('abc', { startIndex: 2, endIndex: 99 }), [[web.uri, 2, 3]]);
});

test('the words of a segment decide if its positions are those of another part', () => {
  assert.deepEqual(cited('One. Two.', { startIndex: 0, endIndex: 4, text: 'Two.' }), [[web.uri, 5, 9]]);
  assert.deepEqual(cited('One. Two.', { endIndex: 4, text: 'Three.' }), undefined);
});

test('a source of another kind has a citation, one without an address has none', () => {
  assert.deepEqual(cited('abc', { endIndex: 3 }, [1, 2, 7]), [['gs://b/c', 0, 3]]);
  assert.deepEqual(toCitations({ groundingChunks: chunks, groundingSupports: [] }, 'abc'), undefined);
  const supports = [null, 3, {}, { segment: null, groundingChunkIndices: 0 }, { groundingChunkIndices: [null, 'a'] }];
  for (const wrong of [undefined, {}, { groundingChunks: 1 }, { groundingChunks: [null], groundingSupports: supports }])
    assert.equal(toCitations(wrong as never, 'abc'), undefined);
});

test('a citation has the form of OpenAI', () => {
  const supports = [{ segment: { endIndex: 3 }, groundingChunkIndices: [0] }];
  assert.deepEqual(toCitations({ groundingChunks: chunks, groundingSupports: supports }, 'abc'), [
    { type: 'url_citation', url: web.uri, title: 'a', start_index: 0, end_index: 3 },
  ]);
});
