// Failures as text for a person and as JSON for a program.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryTerminal } from '../../test/support/memory-terminal.ts';
import { errorTable, SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import { reportFailure, type FailureFormat } from './failure.ts';

async function report(thrown: unknown, format: FailureFormat = 'text', env: Record<string, string> = {}) {
  const terminal = new MemoryTerminal({ env });
  const exitCode = await reportFailure(thrown, terminal, format);
  await new Promise(setImmediate);
  return { exitCode, out: terminal.out, err: terminal.err };
}

test('every kind has its exit code from the error table', async () => {
  for (const kind of Object.keys(errorTable) as ErrorKind[]) {
    const { exitCode } = await report(new SimpleAgentsError(kind, 'text'));
    assert.equal(exitCode, errorTable[kind].exitCode, kind);
  }
});

test('Ctrl-C is not a failure: 130, and nothing is printed', async () => {
  const abort = AbortSignal.abort().reason;
  assert.deepEqual(await report(abort, 'json'), { exitCode: 130, out: '', err: '' });
});

describe('to a person', () => {
  test('it is the message and what to do', async () => {
    const error = new SimpleAgentsError('rate-limit', 'Slow down.', {
      target: 'openai',
      retryAfterMs: 1500,
      requestId: 'req_1',
    });
    const { err, out } = await report(error);
    assert.equal(out, '');
    assert.equal(
      err,
      'simple-agents: openai: Slow down.\nWait before the next request, or send fewer requests.\nThe provider requests a delay of 2 s.\nRequest ID: req_1\n',
    );
  });

  test('a message that says what to do gets no extra advice', async () => {
    const { err } = await report(new SimpleAgentsError('configuration', 'a.toml:1: wrong'));
    assert.equal(err, 'simple-agents: a.toml:1: wrong\n');
  });

  test('several mistakes are listed on separate lines', async () => {
    const { err } = await report(new SimpleAgentsError('configuration', 'a.toml:1: wrong\na.toml:2: wrong'));
    assert.equal(err, 'simple-agents:\n  a.toml:1: wrong\n  a.toml:2: wrong\n');
  });

  test('an internal error is named as such, and shows its stack only on request', async () => {
    const defect = new TypeError('x is not a function');
    const { err, exitCode } = await report(defect);
    assert.equal(exitCode, 1);
    assert.equal(err, 'simple-agents: internal error: x is not a function\nThis is a bug; please report it.\n');
    assert.match((await report(defect, 'text', { SIMPLE_AGENTS_DEBUG: '1' })).err, /failure\.test\.ts/);
  });
});

describe('to a program', () => {
  const error = new SimpleAgentsError('auth', 'No.', { status: 401, target: 'openai' });
  const expected = { kind: 'auth', message: 'No.', advice: error.advice, exitCode: 3, target: 'openai', status: 401 };

  test('it is a JSON document', async () => {
    const { out, err } = await report(error, 'json');
    assert.deepEqual(JSON.parse(out), { error: expected });
    assert.equal(err, '');
  });

  test('it is the last line of a stream', async () => {
    const { out } = await report(error, 'json-lines');
    assert.deepEqual(JSON.parse(out), { type: 'error', error: expected });
    assert.equal(out.trimEnd().includes('\n'), false);
  });
});
