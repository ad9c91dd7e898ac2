// Tests a JSON-RPC connection with itself as the peer, with damaged input, and with a writer that fails at every call.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { RpcConnection, type RpcConnectionOptions, type RpcOutcome } from './connection.ts';
import { rpcErrorCodes, type RpcReply } from './message.ts';

const encoder = new TextEncoder();
const cancelMethod = '$/cancel_request';

interface Peer {
  readonly connection: RpcConnection;
  readonly sent: Record<string, unknown>[];
  readonly faults: string[];
  readonly notified: unknown[];
  readonly receive: (line: string) => void;
}

const echo = (_method: string, params: unknown): Promise<RpcReply> =>
  Promise.resolve({ kind: 'result', value: params });

/** A connection whose messages are collected. */
function peer(options: Partial<RpcConnectionOptions> = {}): Peer {
  const sent: Record<string, unknown>[] = [];
  const faults: string[] = [];
  const notified: unknown[] = [];
  const connection = new RpcConnection({
    send: (line) => {
      assert.ok(line.endsWith('\n') && !line.slice(0, -1).includes('\n'), line);
      sent.push(JSON.parse(line) as Record<string, unknown>);
    },
    onRequest: echo,
    onNotification: (method, params) => notified.push([method, params]),
    onFault: (description) => faults.push(description),
    cancelMethod,
    ...options,
  });
  const receive = (line: string) => connection.receive(encoder.encode(`${line}\n`));
  return { connection, sent, faults, notified, receive };
}

/** Two connections that send to each other. `onSend` is called before each line. */
function pair(options: Partial<RpcConnectionOptions> = {}, onSend: () => void = () => {}) {
  const sides: RpcConnection[] = [];
  const sendTo = (side: number) => (line: string) => {
    onSend();
    queueMicrotask(() => sides[side]?.receive(encoder.encode(line)));
  };
  const rest = { onRequest: echo, onNotification: () => {}, cancelMethod, ...options };
  const left = new RpcConnection({ ...rest, send: sendTo(1) });
  const right = new RpcConnection({ ...rest, send: sendTo(0) });
  sides.push(left, right);
  return { left, right };
}

/** Rejects when the signal is aborted, and never resolves. */
const hang = (_method: string, _params: unknown, signal: AbortSignal): Promise<RpcReply> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

describe('a request', () => {
  test('returns the reply of the peer', async () => {
    const { left, right } = pair();
    assert.deepEqual(await left.request('a', { x: 1 }), { kind: 'result', value: { x: 1 } });
    assert.deepEqual(await right.request('a', undefined), { kind: 'result', value: null });
  });

  test('returns the error of a handler that throws, without a stack trace', async () => {
    const { left } = pair({ onRequest: () => Promise.reject(new Error('no such file')) });
    assert.deepEqual(await left.request('a', {}), {
      kind: 'error',
      error: { code: rpcErrorCodes.internalError, message: 'Internal error: no such file' },
    });
  });

  test('is cancelled by its signal; the peer is informed, and a late reply is ignored', async () => {
    const { connection, sent, faults, receive } = peer();
    const controller = new AbortController();
    const outcome = connection.request('slow', {}, controller.signal);
    controller.abort();
    assert.deepEqual(await outcome, { kind: 'cancelled' });
    assert.deepEqual(sent[1], { jsonrpc: '2.0', method: cancelMethod, params: { requestId: 0 } });
    receive('{"jsonrpc":"2.0","id":0,"result":1}');
    assert.deepEqual(faults, []);
    assert.deepEqual(await connection.request('later', {}, controller.signal), { kind: 'cancelled' });
  });

  test('resolves when the connection is closed, before and after', async () => {
    const { connection } = peer();
    const outcome = connection.request('slow', {});
    connection.close('The process exited.');
    assert.deepEqual(await outcome, { kind: 'closed', reason: 'The process exited.' });
    assert.deepEqual(await connection.request('a', {}), { kind: 'closed', reason: 'The process exited.' });
    assert.equal(connection.notify('a', {}), false);
  });

  test('that is too long or not JSON is an error and is not sent', async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const { connection, sent } = peer({ lineLimit: 100 });
    for (const params of [{ text: 'ü'.repeat(60) }, cyclic, { count: 1n }]) {
      assert.equal((await connection.request('a', params)).kind, 'error');
      assert.equal(connection.notify('a', params), false);
    }
    assert.deepEqual(sent, []);
  });
});

describe('a request of the peer', () => {
  test('is cancelled with -32800 when its handler stops', async () => {
    const { sent, receive } = peer({ onRequest: hang });
    receive('{"jsonrpc":"2.0","id":"x","method":"slow"}');
    receive(`{"jsonrpc":"2.0","method":"${cancelMethod}","params":{"requestId":"y"}}`);
    receive(`{"jsonrpc":"2.0","method":"${cancelMethod}","params":{"requestId":"x"}}`);
    await nextTurn();
    assert.deepEqual(sent, [
      {
        jsonrpc: '2.0',
        id: 'x',
        error: { code: rpcErrorCodes.requestCancelled, message: 'The request was cancelled.' },
      },
    ]);
  });

  test('may not use an id that is still running', async () => {
    const { sent, receive } = peer({ onRequest: hang });
    receive('{"jsonrpc":"2.0","id":1,"method":"slow"}');
    receive('{"jsonrpc":"2.0","id":1,"method":"slow"}');
    await nextTurn();
    assert.equal(sent.length, 1);
    assert.equal((sent[0]?.['error'] as { code: number } | undefined)?.code, rpcErrorCodes.invalidRequest);
  });

  test('gets an error if its reply is too long or not JSON', async () => {
    const values = [{ text: 'x'.repeat(5000) }, 1n];
    const { sent, receive } = peer({
      lineLimit: 1000,
      onRequest: () => Promise.resolve({ kind: 'result', value: values.shift() }),
    });
    for (const id of [1, 2]) receive(`{"jsonrpc":"2.0","id":${id},"method":"a"}`);
    await nextTurn();
    assert.deepEqual(
      sent.map(({ id, error }) => [id, (error as { code: number }).code]),
      [1, 2].map((id) => [id, rpcErrorCodes.internalError]),
    );
  });

  test('gets no reply after the connection is closed', async () => {
    const { connection, sent, receive } = peer({ onRequest: hang });
    receive('{"jsonrpc":"2.0","id":1,"method":"slow"}');
    connection.close('done');
    await nextTurn();
    assert.deepEqual(sent, []);
  });
});

describe('invalid input', () => {
  const { parseError, invalidRequest } = rpcErrorCodes;
  const cases: readonly (readonly [line: string, code: number | undefined, id: unknown])[] = [
    ['{', parseError, null],
    ['{"jsonrpc":"2.0","id":1,"method":"a"} {}', parseError, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"a"}]', invalidRequest, null],
    ['[]', invalidRequest, null],
    ['1', invalidRequest, null],
    ['null', invalidRequest, null],
    ['{}', invalidRequest, null],
    ['{"jsonrpc":"1.0","id":7,"method":"a"}', invalidRequest, 7],
    ['{"jsonrpc":"2.0","id":{},"method":"a"}', invalidRequest, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"a"}', invalidRequest, null],
    ['{"jsonrpc":"2.0","id":7,"method":1}', invalidRequest, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"a","params":1}', invalidRequest, 7],
    ['{"jsonrpc":"2.0","id":7}', invalidRequest, 7],
    ['{"jsonrpc":"2.0","id":7,"result":1,"error":{}}', invalidRequest, 7],
    ['{"jsonrpc":"2.0","id":99,"result":1}', undefined, undefined],
    ['{"jsonrpc":"2.0","id":"a","error":"broken"}', undefined, undefined],
    ['x'.repeat(2000), invalidRequest, null],
  ];
  for (const [line, code, id] of cases) {
    test(`${line.slice(0, 60)}: one fault, and the connection goes on`, async () => {
      const { sent, faults, receive } = peer({ lineLimit: 1000 });
      receive(line);
      receive('{"jsonrpc":"2.0","id":8,"method":"a","params":{}}');
      await nextTurn();
      assert.equal(faults.length, 1, faults.join('\n'));
      const errors = sent.slice(0, -1).map((message) => [message['id'], (message['error'] as { code: number }).code]);
      assert.deepEqual(errors, code === undefined ? [] : [[id, code]]);
      assert.deepEqual(sent.at(-1), { jsonrpc: '2.0', id: 8, result: {} });
    });
  }

  test('blank lines are ignored, and a last line without LF is handled', () => {
    const { connection, sent, faults, notified } = peer();
    connection.receive(encoder.encode('\n  \r\n{"jsonrpc":"2.0","method":"last"}'));
    connection.end('end of input');
    assert.deepEqual([sent, faults, notified], [[], [], [['last', undefined]]]);
  });

  test('a notification handler that throws is a fault', () => {
    const { faults, receive } = peer({
      onNotification: () => {
        throw new Error('broken');
      },
    });
    receive('{"jsonrpc":"2.0","method":"a"}');
    assert.deepEqual(faults, ['a failed: broken']);
  });
});

/** Several requests in both directions, one of them nested and one cancelled. */
async function scenario(failAt: number): Promise<{ outcomes: RpcOutcome[]; sends: number }> {
  let sends = 0;
  const { left, right } = pair({}, () => {
    sends += 1;
    if (sends === failAt) throw new Error('EPIPE');
  });
  const controller = new AbortController();
  const pending = [left.request('a', {}), right.request('b', {}), left.request('c', {}, controller.signal)];
  controller.abort();
  left.notify('d', {});
  await nextTurn();
  left.close('the test ends');
  right.close('the test ends');
  return { outcomes: await Promise.all(pending), sends };
}

describe('a writer that fails', () => {
  test('at any call leaves no request without an outcome', async () => {
    const { sends } = await scenario(0);
    assert.ok(sends >= 6, String(sends));
    for (let failAt = 1; failAt <= sends; failAt += 1) {
      const { outcomes } = await scenario(failAt);
      const known = outcomes.every(({ kind }) => kind === 'result' || kind === 'cancelled' || kind === 'closed');
      assert.ok(known && outcomes.length === 3, JSON.stringify(outcomes));
    }
  });
});
