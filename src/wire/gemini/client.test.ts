// Errors, counting and lists of the Gemini wire. The cassettes cover its streams.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { classifyFailure } from '../../core/error.ts';
import { gemini } from './client.ts';
import { geminiServer } from './server.ts';

const type = 'type.googleapis.com/google.rpc.';

function failureOf(status: number, error: object): ReturnType<typeof classifyFailure> {
  return classifyFailure({ ...gemini.decodeError({ error }), status });
}

describe('an error', () => {
  test('has the kind of its status, its reason or its message', () => {
    const kinds = [
      failureOf(400, { message: 'bad', status: 'INVALID_ARGUMENT' }),
      failureOf(400, { message: 'key', details: [{ '@type': `${type}ErrorInfo`, reason: 'API_KEY_INVALID' }] }),
      failureOf(400, { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' }),
      failureOf(403, { message: 'no', status: 'PERMISSION_DENIED' }),
      failureOf(429, { message: 'slow', status: 'RESOURCE_EXHAUSTED' }),
      failureOf(429, {
        message: 'quota',
        details: [{ '@type': `${type}QuotaFailure`, violations: [{ quotaId: 'RequestsPerDayPerProject' }] }],
      }),
      failureOf(503, { message: 'full', status: 'UNAVAILABLE' }),
      failureOf(200, { message: 'late', status: 'DEADLINE_EXCEEDED' }),
    ].map(({ kind }) => kind);
    const expected = [
      'bad-request',
      'auth',
      'context-overflow',
      'auth',
      'rate-limit',
      'quota',
      'overloaded',
      'timeout',
    ];
    assert.deepEqual(kinds, expected);
  });

  test('says how long to wait, also in a list', () => {
    const error = { message: 'slow', details: [{ '@type': `${type}RetryInfo`, retryDelay: '34.07s' }] };
    assert.equal(gemini.decodeError([{ error }]).retryAfterMs, 34_070);
  });

  test('of ours reads back as the same kind', () => {
    for (const kind of [
      'context-overflow',
      'auth',
      'quota',
      'not-found',
      'rate-limit',
      'overloaded',
      'timeout',
    ] as const) {
      const { body, status } = geminiServer.encodeError(classifyFailureOf(kind));
      assert.equal(classifyFailure({ ...gemini.decodeError(body), status }).kind, kind);
    }
  });
});

function classifyFailureOf(kind: string): ReturnType<typeof classifyFailure> {
  return Object.assign(classifyFailure({ message: kind }), { kind });
}

test('a prompt is counted as a whole request, or by its members', () => {
  const request = {
    model: 'gemini-3-pro',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  } as const;
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  assert.deepEqual(gemini.counting?.encode(request), {
    path: '/models/gemini-3-pro:countTokens',
    body: { generateContentRequest: { model: 'models/gemini-3-pro', contents } },
  });
  assert.deepEqual(gemini.counting?.encode(request, { quirks: { flatCount: true } }).body, { contents });
  assert.equal(gemini.counting?.decode({ totalTokens: 3 }), 3);
});

test('the list of models has names without their collection', () => {
  assert.deepEqual(gemini.listing?.decode({ models: [{ name: 'models/gemini-3-pro' }, 3] }), [
    'gemini-3-pro',
    undefined,
  ]);
});
