// The errors of Amazon's services: the name in a header, in the body, or in neither.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { classifyFailure } from '../core/error.ts';
import { decodeAwsError } from './aws-error.ts';

const rows: readonly (readonly [status: number, name: string, kind: string])[] = [
  [400, 'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/', 'bad-request'],
  [403, 'AccessDeniedException', 'auth'],
  [403, 'UnrecognizedClientException', 'auth'],
  [400, 'ExpiredTokenException', 'auth'],
  [404, 'ResourceNotFoundException', 'not-found'],
  [400, 'ServiceQuotaExceededException', 'quota'],
  [408, 'ModelTimeoutException', 'timeout'],
  [424, 'ModelErrorException', 'upstream'],
  [429, 'ThrottlingException', 'rate-limit'],
  [429, 'ModelNotReadyException', 'rate-limit'],
  [500, 'InternalServerException', 'upstream'],
  [503, 'ServiceUnavailableException', 'overloaded'],
  [418, 'SomethingNewException', 'bad-request'],
];

for (const [status, name, kind] of rows) {
  test(`${status} ${name} is ${kind}`, () => {
    const byHeader = decodeAwsError({ message: 'no' }, { 'x-amzn-errortype': name });
    const byBody = decodeAwsError({ __type: `com.amazon.coral.service#${name}`, Message: 'no' });
    for (const report of [byHeader, byBody]) {
      const error = classifyFailure({ ...report, status });
      assert.deepEqual([error.kind, error.message, error.code], [kind, 'no', name.replace(/:.*/, '')]);
    }
  });
}

test('a prompt that is too long is known by its text', () => {
  for (const message of [
    'Input is too long for requested model.',
    'prompt is too long: 200001 tokens > 200000 maximum',
  ]) {
    const report = decodeAwsError({ message }, { 'x-amzn-errortype': 'ValidationException' });
    assert.equal(classifyFailure({ ...report, status: 400 }).kind, 'context-overflow');
  }
});

test('an error without a name or a message is still one', () => {
  assert.equal(classifyFailure({ ...decodeAwsError('text'), status: 500 }).kind, 'upstream');
});
