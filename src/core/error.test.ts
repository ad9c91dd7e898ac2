// The error table, and the classification of failures: every kind, and the precedence of status, type and code.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  abortExitCode,
  classifyFailure,
  errorTable,
  isAbort,
  SimpleAgentsError,
  toError,
  type ErrorKind,
  type FailureReport,
} from './error.ts';

describe('the error table', () => {
  const expected: Readonly<Record<ErrorKind, readonly [retryable: boolean, status: number, exitCode: number]>> = {
    'bad-request': [false, 400, 2],
    'context-overflow': [false, 400, 2],
    auth: [false, 401, 3],
    quota: [false, 429, 4],
    'not-found': [false, 404, 5],
    'rate-limit': [true, 429, 4],
    overloaded: [true, 503, 6],
    upstream: [true, 502, 6],
    network: [true, 502, 6],
    timeout: [true, 504, 6],
    'bad-response': [false, 502, 7],
    healing: [false, 422, 7],
    configuration: [false, 500, 2],
    internal: [false, 500, 1],
  };

  for (const [kind, [retryable, status, exitCode]] of Object.entries(expected)) {
    test(`${kind}: ${retryable ? 'retryable' : 'final'}, ${status}, exit ${exitCode}`, () => {
      const row = errorTable[kind as ErrorKind];
      assert.deepEqual([row.retryable, row.status, row.exitCode], [retryable, status, exitCode]);
      assert.match(row.advice, /\.$/);
      const error = new SimpleAgentsError(kind as ErrorKind, 'words');
      assert.equal(error.retryable, retryable);
      assert.equal(error.advice, row.advice);
    });
  }

  test('has a row for every kind, and no exit code that means Ctrl-C', () => {
    assert.deepEqual(Object.keys(errorTable).toSorted(), Object.keys(expected).toSorted());
    assert.equal(abortExitCode, 130);
    assert.ok(Object.values(errorTable).every(({ exitCode }) => exitCode !== abortExitCode && exitCode !== 0));
  });
});

describe('a failure is', () => {
  const cases: readonly (readonly [expected: ErrorKind, report: Omit<FailureReport, 'message'>])[] = [
    // By status alone.
    ['bad-request', { status: 400 }],
    ['auth', { status: 401 }],
    ['quota', { status: 402 }],
    ['auth', { status: 403 }],
    ['not-found', { status: 404 }],
    ['timeout', { status: 408 }],
    ['bad-request', { status: 409 }],
    ['bad-request', { status: 413 }],
    ['bad-request', { status: 422 }],
    ['rate-limit', { status: 429 }],
    ['upstream', { status: 500 }],
    ['upstream', { status: 502 }],
    ['overloaded', { status: 503 }],
    ['timeout', { status: 504 }],
    ['upstream', { status: 520 }],
    ['overloaded', { status: 529 }],
    ['bad-response', { status: 302 }],
    // Inside a stream there is no status, only the error of the wire.
    ['bad-request', { type: 'invalid_request_error' }],
    ['bad-request', { type: 'request_too_large' }],
    ['auth', { type: 'authentication_error' }],
    ['auth', { type: 'permission_error' }],
    ['quota', { type: 'billing_error' }],
    ['quota', { type: 'insufficient_quota' }],
    ['not-found', { type: 'not_found_error' }],
    ['rate-limit', { type: 'rate_limit_error' }],
    ['rate-limit', { type: 'rate_limit_exceeded' }],
    ['overloaded', { type: 'overloaded_error' }],
    ['upstream', { type: 'api_error' }],
    ['upstream', { type: 'server_error' }],
    ['timeout', { type: 'timeout_error' }],
    ['upstream', { type: 'something_new' }],
    ['upstream', {}],
    // A code takes precedence.
    ['context-overflow', { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' }],
    ['quota', { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' }],
    ['auth', { status: 400, code: 'invalid_api_key' }],
    ['not-found', { status: 400, code: 'model_not_found' }],
    ['rate-limit', { type: 'requests', code: 'rate_limit_exceeded' }],
    ['bad-request', { status: 400, code: 'invalid_value' }],
    // Waiting does not help with a spent quota, whatever the status.
    ['quota', { status: 429, type: 'insufficient_quota' }],
    ['quota', { status: 403, type: 'billing_error' }],
    // A server failure is retryable, whatever its type.
    ['upstream', { status: 500, type: 'invalid_request_error' }],
    ['upstream', { status: 502, type: 'authentication_error' }],
    ['overloaded', { status: 500, type: 'overloaded_error' }],
    // A rejected request is not.
    ['bad-request', { status: 400, type: 'overloaded_error' }],
    ['bad-request', { status: 422, type: 'api_error' }],
    ['not-found', { status: 400, type: 'not_found_error' }],
    // Names from outside may be inherited members of every object.
    ['bad-request', { status: 400, code: 'constructor', type: 'toString' }],
    ['upstream', { type: '__proto__' }],
  ];

  for (const [expected, report] of cases) {
    test(`${expected}: ${JSON.stringify(report)}`, () => {
      assert.equal(classifyFailure({ message: 'words', ...report }).kind, expected);
    });
  }

  test('kept with all its details', () => {
    const report = {
      message: 'Slow down',
      status: 429,
      retryAfterMs: 2000,
      target: 'openai',
      field: 'model',
      code: 'rate_limit_exceeded',
      requestId: 'req_1',
      cause: new Error('inner'),
    };
    const error = classifyFailure(report);
    assert.deepEqual({ ...report }, { ...pick(error, Object.keys(report)) });
    assert.equal(error.name, 'SimpleAgentsError');
    assert.ok(error instanceof Error);
  });
});

function pick(error: SimpleAgentsError, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, error[name as keyof SimpleAgentsError]]));
}

describe('an abort', () => {
  test('is recognised by the signal’s reason or by its name', () => {
    const controller = new AbortController();
    assert.equal(isAbort('enough', controller.signal), false);
    controller.abort('enough');
    assert.equal(isAbort('enough', controller.signal), true);
    assert.equal(isAbort('other', controller.signal), false);
    assert.equal(isAbort(new DOMException('stop', 'AbortError')), true);
    assert.equal(isAbort(new Error('AbortError')), false);
    assert.equal(isAbort(undefined), false);
  });
});

describe('anything thrown', () => {
  test('becomes a SimpleAgentsError, and one of ours is returned unchanged', () => {
    const ours = new SimpleAgentsError('timeout', 'late');
    assert.equal(toError(ours), ours);
    const thrown = new TypeError('broken');
    const wrapped = toError(thrown);
    assert.deepEqual([wrapped.kind, wrapped.message, wrapped.cause], ['internal', 'broken', thrown]);
    assert.equal(toError('words').message, 'words');
  });
});
