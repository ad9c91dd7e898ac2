// The rules for reused connections, checked through the transport's interface over real sockets: unsolicited bytes never
// become a response, responses end where RFC 9112 says, and no request is sent twice.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readWhole } from '../../src/providers/body.ts';
import type { Transport, TransportRequest } from '../../src/transport/transport.ts';
import { failsWith } from '../support/fails-with.ts';
import { startSocketServer, type TestServer } from '../support/server.ts';
import { transportFor, transportNames } from '../support/transports.ts';

/** A client that requests `/NAME` and returns the status and the body, with a time-out for responses that never end. */
function clientOf(transport: Transport, { origin }: TestServer) {
  return async (name: string, method: TransportRequest['method'] = 'POST'): Promise<string> => {
    const response = await transport.send({ method, url: `${origin}/${name}`, headers: {} }, AbortSignal.timeout(2000));
    return `${response.status} ${Buffer.from(await readWhole(response.body)).toString()}`;
  };
}

interface Received {
  readonly socket: Socket;
  /** The requested name. */
  readonly name: string;
}

interface Server extends TestServer {
  readonly names: readonly string[];
}

/** Calls back for every request on any connection. */
async function serve(context: TestContext, onRequest: (received: Received) => void): Promise<Server> {
  const names: string[] = [];
  const server = await startSocketServer(context, (socket) => {
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString().matchAll(/^(?:GET|POST) \/(\S*) HTTP/gm)) {
        names.push(name);
        onRequest({ socket, name });
      }
    });
  });
  return { ...server, names };
}

const responseOf = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const lateBytes: Readonly<Record<string, string>> = {
  'a whole response': responseOf('stranger'),
  'two responses': responseOf('stranger') + responseOf('stranger'),
  'a response that goes on until the close': 'HTTP/1.1 200 OK\r\n\r\nstranger',
  'half a response': 'HTTP/1.1 200 OK\r\ncontent-length: 80\r\n\r\nstra',
  'half a head': 'HTTP/1.1 200 OK\r\ncontent-le',
  'one byte': 'H',
  'an empty line': '\r\n',
  'a last chunk': '0\r\n\r\n',
  'an interim response': 'HTTP/1.1 100 Continue\r\n\r\n',
  'a refusal': 'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  'something that is not HTTP': 'stranger',
};

/** Both clients skip an empty line before a response, as RFC 9112 (2.2) allows servers before a request. */
const harmless = 'an empty line';

for (const transportName of transportNames) {
  describe(`${transportName}: unsolicited bytes`, () => {
    for (const [kind, late] of Object.entries(lateBytes)) {
      test(`${kind} in the same write as the response`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(responseOf(name) + (name === 'first' ? late : ''));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        assert.equal(await ask('first'), '200 first');
        assert.equal(await ask('second'), '200 second');
        assert.equal(server.connectionCount(), 2);
      });

      test(`${kind} in a separate write, right after the response`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(responseOf(name));
          if (name === 'first') socket.write(late);
        });
        const ask = clientOf(transportFor(context, transportName), server);
        assert.equal(await ask('first'), '200 first');
        assert.equal(await ask('second'), '200 second');
        assert.equal(server.connectionCount(), 2);
      });

      test(`${kind}, arrived but not yet read when the next request begins`, async (context) => {
        let kept: Socket | undefined;
        const server = await serve(context, ({ socket, name }) => {
          kept ??= socket;
          socket.write(responseOf(name));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        assert.equal(await ask('first'), '200 first');
        await sleep(5);
        const { promise, resolve } = Promise.withResolvers<Promise<string>>();
        // Called in the turn in which the bytes arrive, so the client has had no chance to read them.
        kept?.write(late, () => resolve(ask('second')));
        assert.equal(await promise.then((second) => second), '200 second');
        if (kind !== harmless) assert.equal(server.connectionCount(), 2);
      });

      test(`${kind}, while the connection is idle`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(responseOf(name));
          if (name === 'first') setTimeout(() => socket.write(late), 5);
        });
        const ask = clientOf(transportFor(context, transportName), server);
        assert.equal(await ask('first'), '200 first');
        await sleep(30);
        assert.equal(await ask('second'), '200 second');
        if (kind !== harmless) assert.equal(server.connectionCount(), 2);
      });
    }

    test('never reach one of many concurrent requests', async (context) => {
      const server = await serve(context, ({ socket, name }) => {
        socket.write(responseOf(name));
        socket.write(responseOf('stranger'));
      });
      const ask = clientOf(transportFor(context, transportName), server);
      const users = Array.from({ length: 20 }, (_, user) => `user${user}`);
      for (let round = 0; round < 5; round++) {
        assert.deepEqual(
          await Promise.all(users.map((user) => ask(user))),
          users.map((user) => `200 ${user}`),
        );
      }
    });
  });

  describe(`${transportName}: a response without a body`, () => {
    const bodiless: Readonly<Record<string, string>> = {
      '204': 'HTTP/1.1 204 No Content\r\n\r\n',
      '204 with a length': 'HTTP/1.1 204 No Content\r\ncontent-length: 8\r\n\r\n',
      '204 with chunks': 'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n',
      '304': 'HTTP/1.1 304 Not Modified\r\n\r\n',
      '304 with a length': 'HTTP/1.1 304 Not Modified\r\ncontent-length: 8\r\n\r\n',
      '304 with chunks': 'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n',
      '200 of no length': 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    };
    for (const [kind, head] of Object.entries(bodiless)) {
      test(`${kind} ends with its head`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(name === 'first' ? head : responseOf(name));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        assert.equal(await ask('first'), `${kind.slice(0, 3)} `);
        assert.equal(await ask('second'), '200 second');
      });

      for (const [when, delay] of [
        ['at once', undefined],
        ['later', 5],
      ] as const) {
        test(`${kind}: a body that comes ${when} is not the next response`, async (context) => {
          const body = responseOf('stranger');
          const server = await serve(context, ({ socket, name }) => {
            if (name !== 'first') return void socket.write(responseOf(name));
            socket.write(head);
            if (delay === undefined) socket.write(body);
            else setTimeout(() => socket.write(body), delay);
          });
          const ask = clientOf(transportFor(context, transportName), server);
          assert.equal(await ask('first'), `${kind.slice(0, 3)} `);
          if (delay !== undefined) await sleep(30);
          assert.equal(await ask('second'), '200 second');
          assert.equal(server.connectionCount(), 2);
        });
      }
    }

    for (const kind of ['204 with a length', '204 with chunks', '304 with a length', '304 with chunks']) {
      test(`${kind} is the last one on its connection`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(name === 'first' ? (bodiless[kind] ?? '') : responseOf(name));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        await ask('first');
        assert.equal(await ask('second'), '200 second');
        assert.equal(server.connectionCount(), 2);
      });
    }
  });

  describe(`${transportName}: an interim response`, () => {
    const continues: Readonly<Record<string, string>> = {
      '100': 'HTTP/1.1 100 Continue\r\n\r\n',
      '100 with a length': 'HTTP/1.1 100 Continue\r\ncontent-length: 8\r\n\r\n',
    };
    const interims: Readonly<Record<string, string>> = {
      ...(transportName === 'undici' ? continues : {}),
      '102': 'HTTP/1.1 102 Processing\r\n\r\n',
      '103 with headers': 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      'several': 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
    };
    for (const [kind, interim] of Object.entries(interims)) {
      test(`${kind} is skipped`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(interim);
          setImmediate(() => socket.write(responseOf(name)));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        for (const name of ['first', 'second', 'third']) assert.equal(await ask(name), `200 ${name}`);
        assert.ok(server.connectionCount() <= 2);
      });
    }

    // The request expected no continuation. Node's `fetch` closes the connection: a failure before the response, never a
    // wrong response.
    for (const [kind, interim] of Object.entries(transportName === 'undici' ? {} : continues)) {
      test(`${kind} is rejected`, async (context) => {
        const server = await serve(context, ({ socket, name }) => {
          socket.write(interim);
          setImmediate(() => socket.write(responseOf(name)));
        });
        const ask = clientOf(transportFor(context, transportName), server);
        await assert.rejects(ask('first'), failsWith('network', /before a response arrived \(bad response\)/));
        assert.deepEqual(server.names, ['first']);
      });
    }
  });

  describe(`${transportName}: a request`, { concurrency: true }, () => {
    const closings: Readonly<Record<string, (socket: Socket) => void>> = {
      'is closed': (socket) => socket.end(),
      'is reset': (socket) => socket.resetAndDestroy(),
    };
    for (const [how, close] of Object.entries(closings)) {
      for (const method of ['GET', 'POST'] as const) {
        test(`${method} is sent once on a reused connection that ${how} by it`, async (context) => {
          const server = await serve(context, ({ socket, name }) => {
            if (name === 'first') socket.write(responseOf(name));
            else close(socket);
          });
          const ask = clientOf(transportFor(context, transportName), server);
          assert.equal(await ask('first', method), '200 first');
          // Long enough that the connection may have been closed meanwhile.
          await sleep(1100);
          await assert.rejects(ask('second', method), failsWith('network', /before a response arrived/));
          assert.deepEqual(server.names, ['first', 'second']);
        });

        test(`${method} is not sent on a connection that ${how}, unread, when it begins`, async (context) => {
          let kept: Socket | undefined;
          const server = await serve(context, ({ socket, name }) => {
            kept ??= socket;
            socket.write(responseOf(name));
          });
          const ask = clientOf(transportFor(context, transportName), server);
          assert.equal(await ask('first', method), '200 first');
          await sleep(5);
          assert.ok(kept !== undefined);
          const closed = new Promise((resolve) => kept?.once('finish', resolve).once('close', resolve));
          close(kept);
          await closed;
          assert.equal(await ask('second', method), '200 second');
          assert.deepEqual(server.names, ['first', 'second']);
        });
      }
    }

    test('that is aborted before it is sent does not affect the others', async (context) => {
      const server = await serve(context, ({ socket, name }) => socket.write(responseOf(name)));
      const transport = transportFor(context, transportName);
      const ask = clientOf(transport, server);
      await ask('first');
      const controller = new AbortController();
      const url = `${server.origin}/aborted`;
      const aborted = transport.send({ method: 'POST', url, headers: {} }, controller.signal);
      controller.abort('why');
      await assert.rejects(aborted, (reason) => reason === 'why');
      assert.equal(await ask('second'), '200 second');
      assert.deepEqual(server.names, ['first', 'second']);
    });

    test('fails if the transport is closed before it is sent', async (context) => {
      const server = await serve(context, ({ socket, name }) => socket.write(responseOf(name)));
      const transport = transportFor(context, transportName);
      const ask = clientOf(transport, server);
      await ask('first');
      const second = ask('second');
      await Promise.all([assert.rejects(second, failsWith('network', /the transport was closed/)), transport.close()]);
      assert.deepEqual(server.names, ['first']);
    });
  });
}
