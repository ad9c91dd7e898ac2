// Malformed requests over raw sockets: rejected or closed before routing, and the model is never
// called.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';

import { requestForms, requestOf } from '../support/attacks/request-forms.ts';
import { openSocket, startBoth } from '../support/gateway-server.ts';

/** Longer than the server takes to respond. */
const quiet = 300;

/** The bytes that arrive until the server closes or stops sending. The client's side stays open. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const socket = await openSocket(url);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    socket.setTimeout(quiet, () => socket.destroy());
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(bytes, 'latin1');
  await closed;
  return received;
}

function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Ends connections that wait for more bytes. */
const short = { requestTimeout: 400 };

describe('malformed requests', () => {
  test('a well-formed request gets a response, so the others are rejected for their form', async (context) => {
    const { url, upstream } = await startBoth(context);
    const received = await answerTo(url, requestOf({ headers: ['Content-Length: 64', 'Connection: close'] }));
    assert.deepEqual(statusesOf(received), [200], received);
    assert.equal(upstream.requests.length, 1);
  });

  test(`${Object.keys(requestForms).length} forms are rejected, and no model is called`, async (context) => {
    const { url, upstream } = await startBoth(context, undefined, short);
    assert.ok(Object.keys(requestForms).length >= 80);
    const failures: string[] = [];
    await Promise.all(
      Object.entries(requestForms).map(async ([name, bytes]) => {
        const statuses = statusesOf(await answerTo(url, bytes));
        if (statuses.some((status) => status < 400 || status >= 500)) failures.push(`${name}: ${statuses.join(', ')}`);
      }),
    );
    assert.deepEqual(failures, []);
    assert.deepEqual(upstream.requests, []);
  });

  test('a pipelined call is rejected, and the first one gets its response', async (context) => {
    const { url, upstream } = await startBoth(context, undefined, short);
    const received = await answerTo(url, requestOf().repeat(3));
    assert.deepEqual(statusesOf(received).slice(0, 2), [200, 400]);
    assert.match(received, /pipelined POST requests are not supported/);
    assert.equal(upstream.requests.length, 1);
  });

  test('a call after another on the same connection gets its response', async (context) => {
    const { url, upstream } = await startBoth(context);
    const socket = await openSocket(url);
    for (let count = 1; count <= 3; count++) {
      socket.write(requestOf());
      const [data] = (await once(socket, 'data')) as [Buffer];
      assert.deepEqual(statusesOf(data.toString()), [200]);
      assert.equal(upstream.requests.length, count);
    }
    socket.destroy();
  });

  test('a request to a proxy is rejected, and the connection is closed', async (context) => {
    const { url } = await startBoth(context);
    for (const name of Object.keys(requestForms).filter((form) => form.startsWith('absolute form'))) {
      const received = await answerTo(url, requestForms[name] ?? '');
      assert.deepEqual(statusesOf(received), [400], name);
      assert.match(received, /connection: close[^]*(?:this server is not a proxy|malformed HTTP request)/i);
    }
  });

  test('an offer to upgrade to HTTP/2 is ignored', async (context) => {
    const { url, upstream } = await startBoth(context);
    const headers = [
      'Content-Length: 64',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAA',
    ];
    assert.deepEqual(statusesOf(await answerTo(url, requestOf({ headers }))), [200]);
    assert.equal(upstream.requests.length, 1);
  });
});
