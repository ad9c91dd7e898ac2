// Tests the control protocol with two peers that send to each other, and the answers to permission requests.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import {
  ControlPeer,
  decodePermissionAnswer,
  encodePermissionAnswer,
  type ControlPeerOptions,
  type ControlReply,
} from './control.ts';
import { parseLine, type StreamJsonLine } from './line.ts';

/** Two peers that send to each other. Sending fails at the call with the number `failAt`. */
function pair(onRequest: ControlPeerOptions['onRequest'], failAt = 0) {
  const sent: StreamJsonLine[] = [];
  const peers: ControlPeer[] = [];
  let id = 0;
  const create = (other: number) =>
    new ControlPeer({
      send: (line) => {
        const parsed = parseLine(JSON.stringify(line));
        assert.ok(parsed.kind === 'line' && parsed.isKnown, JSON.stringify(line));
        sent.push(parsed.line);
        if (sent.length === failAt) throw new Error('EPIPE');
        queueMicrotask(() => assert.equal(peers[other]?.receive(parsed.line), true));
      },
      onRequest,
      createId: () => String((id += 1)),
    });
  const [host, agent] = [create(1), create(0)];
  peers.push(host, agent);
  return { host, agent, sent };
}

const hang = () => new Promise<ControlReply>(() => {});

describe('a control request', () => {
  test('gets the reply of the peer', async () => {
    const { host } = pair((request) => Promise.resolve({ kind: 'success', response: { echo: request.subtype } }));
    assert.deepEqual(await host.request({ subtype: 'interrupt' }), {
      kind: 'success',
      response: { echo: 'interrupt' },
    });
  });

  test('gets an error if the handler fails', async () => {
    const { host } = pair(() => Promise.reject(new Error('Unsupported control request: x')));
    assert.deepEqual(await host.request({ subtype: 'x' }), {
      kind: 'error',
      message: 'Unsupported control request: x',
    });
  });

  test('is cancelled by its signal, also for the peer, which then sends no reply', async () => {
    const signals: AbortSignal[] = [];
    const { agent, sent } = pair(async (_request, signal) => {
      signals.push(signal);
      await nextTurn();
      return { kind: 'success', response: {} };
    });
    const controller = new AbortController();
    const outcome = agent.request({ subtype: 'can_use_tool', tool_name: 'Bash', input: {} }, controller.signal);
    controller.abort();
    assert.deepEqual(await outcome, { kind: 'cancelled' });
    await nextTurn();
    await nextTurn();
    assert.equal(signals[0]?.aborted, true);
    assert.deepEqual(
      sent.map(({ type }) => type),
      ['control_request', 'control_cancel_request'],
    );
  });

  test('resolves when the peer is closed', async () => {
    const { host } = pair(hang);
    const outcome = host.request({ subtype: 'interrupt' });
    host.close();
    assert.deepEqual([await outcome, await host.request({ subtype: 'x' })], [{ kind: 'closed' }, { kind: 'closed' }]);
  });

  test('resolves when the writer fails, at any call', async () => {
    for (let failAt = 1; failAt <= 4; failAt += 1) {
      const { host, agent } = pair(() => Promise.resolve({ kind: 'success', response: {} }), failAt);
      const controller = new AbortController();
      const pending = [host.request({ subtype: 'a' }), agent.request({ subtype: 'b' }, controller.signal)];
      controller.abort();
      await nextTurn();
      host.close();
      agent.close();
      const kinds = (await Promise.all(pending)).map(({ kind }) => kind);
      assert.ok(
        kinds.every((kind) => ['success', 'cancelled', 'closed'].includes(kind)),
        kinds.join(),
      );
    }
  });

  test('other lines are not part of the protocol', () => {
    assert.equal(pair(hang).host.receive({ type: 'user', message: { content: 'hi' } }), false);
  });
});

describe('the answer to a permission request', () => {
  test('survives encoding', () => {
    const answers = [
      { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [{ type: 'setMode' }] },
      { behavior: 'deny', message: 'no', interrupt: true },
    ] as const;
    for (const answer of answers) assert.deepEqual(decodePermissionAnswer(encodePermissionAnswer(answer, {})), answer);
  });

  test('repeats the input if it was not changed', () => {
    const reply = encodePermissionAnswer({ behavior: 'allow' }, { command: 'ls' });
    assert.deepEqual(reply, { kind: 'success', response: { behavior: 'allow', updatedInput: { command: 'ls' } } });
  });

  test('denies unless the host explicitly allows', () => {
    const outcomes = [
      { kind: 'success', response: {} },
      { kind: 'success', response: { behavior: 'ALLOW' } },
      { kind: 'success', response: { behavior: true } },
      { kind: 'error', message: 'x' },
      { kind: 'cancelled' },
      { kind: 'closed' },
    ] as const;
    for (const outcome of outcomes) assert.equal(decodePermissionAnswer(outcome).behavior, 'deny');
  });
});
