// The codec of embeddings: requests and responses in both directions, vectors as base64, and what is rejected.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { SimpleAgentsError } from '../../core/error.ts';
import { decodeEmbeddings, encodeEmbeddingRequest } from './client.ts';
import { decodeEmbeddingRequest, encodeEmbeddings, maxInputs } from './server.ts';
import { decodeVector, encodeVector } from './vector-base64.ts';

const response = (vectors: readonly (readonly number[])[]) => ({
  target: 'here',
  ended: Promise.resolve({ type: 'left', usage: { input: 3, output: 0 } } as const),
  model: 'm',
  vectors,
  usage: { input: 3, output: 0 },
});

const inputsOf = (input: unknown) => decodeEmbeddingRequest({ model: 'm', input }).request.inputs;
const entry = (index: number | undefined, embedding: unknown) => ({ object: 'embedding', index, embedding });

describe('vectors as base64', () => {
  test('decode to the same 32-bit numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (vector) => {
        assert.deepEqual(decodeVector(encodeVector(vector)), vector);
      }),
    );
  });

  test('match the encoding of other languages', () => {
    assert.equal(encodeVector([1, -0.5, 0]), Buffer.from(Float32Array.of(1, -0.5, 0).buffer).toString('base64'));
  });

  test('that are cut off or not base64 decode to nothing', () => {
    assert.equal(decodeVector(Buffer.from([1, 2, 3]).toString('base64')), undefined);
    assert.equal(decodeVector('%%%'), undefined);
  });
});

describe('an embedding request', () => {
  test('survives encoding and decoding', () => {
    const request = {
      model: 'm',
      inputs: ['a', 'b'],
      dimensions: 8,
      user: 'u',
      fields: { x: 1 },
      stream: false,
    } as const;
    assert.deepEqual(decodeEmbeddingRequest(encodeEmbeddingRequest(request)).request, request);
    const compact = encodeEmbeddingRequest(request, { base64: true });
    assert.equal(compact['encoding_format'], 'base64');
    assert.equal(decodeEmbeddingRequest(compact).format, 'base64');
  });

  test('accepts a text, a list of texts, tokens and lists of tokens', () => {
    assert.deepEqual(inputsOf('a'), ['a']);
    assert.deepEqual(inputsOf(['a', 'b']), ['a', 'b']);
    assert.deepEqual(inputsOf([1, 2]), [[1, 2]]);
    assert.deepEqual(inputsOf([[1, 2], [3]]), [[1, 2], [3]]);
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
    ['no input', {}, 'input', /required/],
    ['null', { input: null }, 'input', /required/],
    ['an empty list', { input: [] }, 'input', /empty array/],
    ['an empty text', { input: '' }, 'input', /empty string/],
    ['an empty text in a list', { input: ['a', ''] }, 'input.1', /empty string/],
    ['a list with null', { input: ['a', null] }, 'input.1', /required|string/],
    ['an object', { input: { text: 'a' } }, 'input', /string/],
    ['a negative token', { input: [[1, -2]] }, 'input.0.1', /token/],
    ['a fraction as token', { input: [1.5] }, 'input.0', /integer/],
    ['an empty list of tokens', { input: [[1], []] }, 'input.1', /empty/],
    ['a lone surrogate', { input: 'a\uD800' }, 'input', /surrogate/],
    ['too many inputs', { input: Array(maxInputs + 1).fill('a') }, 'input', /2048/],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'dimensions', /at least 1/],
    ['half a dimension', { input: 'a', dimensions: 1.5 }, 'dimensions', /integer/],
    ['an unknown format', { input: 'a', encoding_format: 'hex' }, 'encoding_format', /"float", "base64"/],
    ['a number as model', { input: 'a', model: 4 }, 'model', /string/],
  ];
  for (const [name, body, field, problem] of wrong) {
    test(`with ${name} is rejected, naming the field`, () => {
      assert.throws(
        () => decodeEmbeddingRequest({ model: 'm', ...body }),
        (error) => error instanceof SimpleAgentsError && error.field === field && problem.test(error.message),
      );
    });
  }
});

describe('an embedding response', () => {
  test('survives encoding and decoding in both formats', () => {
    for (const format of ['float', 'base64'] as const) {
      const body = encodeEmbeddings(
        response([
          [0.5, 1],
          [2, -4],
        ]),
        format,
      );
      const { vectors, usage, model } = decodeEmbeddings(JSON.parse(JSON.stringify(body)), 2);
      assert.deepEqual(vectors, [
        [0.5, 1],
        [2, -4],
      ]);
      assert.deepEqual({ usage, model }, { usage: { input: 3, output: 0 }, model: 'm' });
    }
  });

  test('is ordered by index', () => {
    const { vectors } = decodeEmbeddings({ data: [entry(1, [2]), entry(0, [1])] }, 2);
    assert.deepEqual(vectors, [[1], [2]]);
  });

  test('without indexes keeps its order, and without usage has none', () => {
    const { vectors, usage } = decodeEmbeddings({ data: [entry(undefined, [2]), entry(undefined, [1])] }, 2);
    assert.deepEqual(vectors, [[2], [1]]);
    assert.equal(usage.missing, true);
  });

  const broken: readonly (readonly [string, unknown, RegExp])[] = [
    ['no list', {}, /no list/],
    ['null', null, /no list/],
    ['too few vectors', { data: [entry(0, [1])] }, /1 embeddings for 2/],
    ['an index twice', { data: [entry(0, [1]), entry(0, [1])] }, /index 0/],
    ['an index out of range', { data: [entry(0, [1]), entry(7, [1])] }, /index 7/],
    ['an empty vector', { data: [entry(0, [1]), entry(1, [])] }, /embedding 1/],
    ['a text in a vector', { data: [entry(0, ['x']), entry(1, [1])] }, /embedding 0/],
    ['vectors of different lengths', { data: [entry(0, [1]), entry(1, [1, 2])] }, /embedding 1 has 2 numbers/],
    ['NaN in base64', { data: [entry(0, [1]), entry(1, encodeVector([Number.NaN]))] }, /finite/],
    ['cut base64', { data: [entry(0, [1]), entry(1, 'AAA')] }, /embedding 1/],
  ];
  for (const [name, body, problem] of broken) {
    test(`with ${name} is a bad response`, () => {
      assert.throws(
        () => decodeEmbeddings(body, 2),
        (error) => error instanceof SimpleAgentsError && error.kind === 'bad-response' && problem.test(error.message),
      );
    });
  }
});
