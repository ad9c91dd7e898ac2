// Events as they arrive at a client: complete, in order, chunked where the client supports it, at the client's pace.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { EventSender } from './event-sender.ts';

const everyByte = Uint8Array.from({ length: 256 }, (_, value) => value);
const long = new Uint8Array(20_000).fill(0xe9);

type Answer = (sender: EventSender) => void | Promise<void>;

const writeTwo: Answer = (sender) => {
  sender.write('a');
  sender.writeBytes(everyByte);
  sender.end();
};

function senderFor(response: ServerResponse): EventSender {
  return new EventSender({ response, toHead: (headers) => Object.entries(headers).flat() });
}

/** The responses to the requests, which are sent one after the other over one connection. */
async function receive(answer: Answer, requests: readonly string[]): Promise<string[]> {
  const server = createServer((_request, response) => void answer(senderFor(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  const answers: string[] = [];
  for (const request of requests) {
    const ended = Promise.withResolvers<void>();
    socket.once('close', ended.resolve);
    const look = (): void => void (text.endsWith('0\r\n\r\n') && ended.resolve());
    socket.on('data', look);
    socket.write(request);
    await ended.promise;
    socket.off('data', look);
    answers.push(text);
    text = '';
  }
  socket.destroy();
  server.close();
  await once(server, 'close');
  return answers;
}

const modern = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

/** Decodes a chunked body. */
function bodyOf(answer: string): string {
  let body = '';
  let rest = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, end), 16);
    assert.equal(rest.slice(end + 2 + size, end + 4 + size), '\r\n');
    if (size === 0) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 4 + size);
  }
}

const latin1 = (data: string | Uint8Array): string => Buffer.from(data as string).toString('latin1');

describe('writes', () => {
  test('of text and bytes of any length arrive complete, and the connection serves the next request', async () => {
    const pieces = ['data: 1\n\n', 'data: é 東 🦊\n\n', everyByte, long, 'x'.repeat(20_000)];
    const answers = await receive(
      async (sender) => {
        for (const piece of pieces) {
          if (typeof piece === 'string') sender.write(piece);
          else sender.writeBytes(piece);
          await sender.drained();
        }
        sender.end();
      },
      [modern, modern],
    );
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/);
      assert.ok(bodyOf(answer) === pieces.map(latin1).join(''));
    }
  });

  test('in one tick all arrive, also together with the end', async () => {
    const [answer = ''] = await receive(writeTwo, [modern]);
    assert.equal(bodyOf(answer), `a${latin1(everyByte)}`);
  });

  test('are not chunked for a client of HTTP/1.0', async () => {
    const [answer = ''] = await receive(writeTwo, ['GET / HTTP/1.0\r\n\r\n']);
    assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4), `a${latin1(everyByte)}`);
  });
});

test('a client that reads nothing fills the sender, and its disconnect ends the wait', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(modern);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const sender = senderFor(response);
  while (!sender.isFull) {
    sender.writeBytes(long);
    await new Promise(setImmediate);
  }
  const drained = sender.drained();
  socket.destroy();
  await drained;
  server.close();
  await once(server, 'close');
});
