// Remote streams against real servers, on both wires: when they are committed, how they end, and what happens to the
// connection.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpServer, startSocketServer, type TestServer } from '../../test/support/server.ts';
import {
  type Script,
  answers,
  begin,
  close,
  comment,
  done,
  errorFrame,
  eventsOf,
  failsTested,
  finish,
  keepPinging,
  never,
  ping,
  providerFor,
  readAll,
  request,
  role,
  say,
  start,
  stop,
  streams,
  usage,
  write,
} from '../../test/support/upstream.ts';
import { until } from '../../test/support/until.ts';
import type { ModelStream } from '../core/provider.ts';
import { anthropicMessages } from '../wire/anthropic-messages/client.ts';
import type { RemoteOptions } from './remote.ts';

async function open(context: TestContext, script: Script): Promise<ModelStream> {
  const server = await startHttpServer(context, streams(script));
  return providerFor(context, server.origin).open(request, never);
}

async function bytesOf(stream: ModelStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.bytes ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a stream', () => {
  test('yields the wire’s events and its outcome (openai-chat)', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(role + say('Hel') + say('lo') + stop + usage + done)),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    assert.equal(stream.target, 'tested');
    assert.deepEqual(await eventsOf(stream), [
      { type: 'message-start', id: 'c1', model: 'm1' },
      { type: 'text-delta', index: 0, text: 'Hel' },
      { type: 'text-delta', index: 0, text: 'lo' },
      { type: 'block-end', index: 0, block: { type: 'text', text: 'Hello' } },
      { type: 'message-end', stopReason: 'end', providerStopReason: 'stop', usage: { input: 3, output: 2 } },
    ]);
    assert.deepEqual(await stream.ended, { type: 'complete', stopReason: 'end', usage: { input: 3, output: 2 } });
  });

  test('is committed by its first content, not before (anthropic-messages)', async (context) => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const server = await startHttpServer(
      context,
      streams(async (response) => {
        response.write(start + ping);
        await asked;
        response.end(begin + write('Hi') + close + finish);
      }),
    );
    let isOpen = false;
    const opening = providerFor(context, server.origin, { wire: anthropicMessages }).open(request, never);
    void opening.then(() => (isOpen = true));
    await sleep(50);
    assert.equal(isOpen, false);
    ask();
    const events = await eventsOf(await opening);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message-start', 'text-delta', 'block-end', 'message-end'],
    );
  });

  test('starts with what the wire could not express', async (context) => {
    const whole = start + begin + write('Hi') + close + finish;
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(whole)),
    );
    const provider = providerFor(context, server.origin, { wire: anthropicMessages });
    const [first, second] = await eventsOf(await provider.open({ ...request, seed: 1 }, never));
    assert.equal(first?.type === 'notice' && first.kind, 'loss');
    assert.equal(second?.type, 'message-start');
  });

  test('leaves a connection that the next call can reuse', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(say('Hi') + stop + done)),
    );
    const provider = providerFor(context, server.origin);
    for (let call = 0; call < 6; call++) {
      await eventsOf(await provider.open(request, never));
      await sleep(5);
    }
    assert.ok(server.connectionCount() <= 2, `${server.connectionCount()} connections`);
  });

  test('ends when it is complete, and an open connection is closed later', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('Hi') + stop + done)),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    assert.deepEqual(await readAll(stream), { words: 'Hi' });
    await server.allClosed();
  });

  test('answers several calls of next in their order', async (context) => {
    const server = await startHttpServer(
      context,
      streams(async (response) => {
        for (const part of [say('a'), say('b'), stop + done]) {
          response.write(part);
          await sleep(10);
        }
        response.end();
      }),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    const reader = stream[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 7 }, () => reader.next()));
    assert.deepEqual(
      results.map((result) => (result.done ? 'done' : result.value.type)),
      ['message-start', 'text-delta', 'text-delta', 'block-end', 'message-end', 'done', 'done'],
    );
  });

  test('may get a plain body as response', async (context) => {
    const body = { id: 'c1', model: 'm1', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
    const server = await startHttpServer(context, answers(200, JSON.stringify(body)));
    const stream = await providerFor(context, server.origin).open(request, never);
    assert.deepEqual([stream.bytes?.wire, stream.bytes?.form], ['openai-chat', 'body']);
    assert.deepEqual(await readAll(stream), { words: 'Hi' });
    assert.equal((await stream.ended).type, 'complete');
    assert.throws(() => stream[Symbol.asyncIterator](), /only once/);
    const again = await providerFor(context, server.origin).open(request, never);
    assert.equal(await bytesOf(again), JSON.stringify(body));
    assert.equal((await again.ended).type, 'complete');
  });

  test('may be left while it is a plain body', async (context) => {
    const body = { id: 'c1', model: 'm1', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] };
    const server = await startHttpServer(context, answers(200, JSON.stringify(body)));
    const provider = providerFor(context, server.origin);
    const left = await provider.open(request, never);
    for await (const event of left) if (event.type === 'text-delta') break;
    assert.equal((await left.ended).type, 'left');
    const controller = new AbortController();
    const aborted = await provider.open({ ...request, stream: false }, controller.signal);
    controller.abort('why');
    assert.equal((await readAll(aborted)).thrown, 'why');
    assert.deepEqual(await aborted.ended, {
      type: 'failed',
      error: 'why',
      usage: { input: 0, output: 0, missing: true },
    });
  });
});

describe('a stream that fails', () => {
  test('by an error event: throws after the events before it, and `ended` is failed', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('Hel') + say('lo') + errorFrame)),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    const { words, thrown } = await readAll(stream);
    assert.equal(words, 'Hello');
    failsTested('upstream', /fell over/, { requestId: 'req_7' })(thrown);
    const outcome = await stream.ended;
    assert.equal(outcome.type === 'failed' && outcome.error, thrown);
    await server.allClosed();
  });

  for (const how of ['end', 'destroy'] as const) {
    test(`by a cut (${how}): throws after the events before it`, async (context) => {
      const server = await startHttpServer(
        context,
        streams((response) => {
          response.write(say('Hello'));
          setTimeout(() => response[how](), 20);
        }),
      );
      const stream = await providerFor(context, server.origin).open(request, never);
      const { words, thrown } = await readAll(stream);
      assert.equal(words, 'Hello');
      failsTested('network', how === 'end' ? /cut/ : /in the middle of the response/)(thrown);
      assert.equal((await stream.ended).type, 'failed');
    });
  }

  const afterStop: Readonly<Record<string, readonly [options: Partial<RemoteOptions>, whole: string]>> = {
    'openai-chat': [{}, say('Hi') + stop],
    'anthropic-messages': [{ wire: anthropicMessages }, start + begin + write('Hi') + close + finish],
  };
  for (const [name, [options, whole]] of Object.entries(afterStop)) {
    test(`after the stop reason is complete: reset (${name})`, async (context) => {
      const server = await startHttpServer(
        context,
        streams((response) => {
          response.write(whole);
          setTimeout(() => response.destroy(), 20);
        }),
      );
      const stream = await providerFor(context, server.origin, options).open(request, never);
      assert.deepEqual(await readAll(stream), { words: 'Hi' });
      assert.equal((await stream.ended).type, 'complete');
    });

    test(`after the stop reason is complete: silence (${name})`, async (context) => {
      const server = await startHttpServer(
        context,
        streams((response) => void response.write(whole)),
      );
      const provider = providerFor(context, server.origin, { ...options, timeouts: { idle: 30 } });
      const stream = await provider.open(request, never);
      assert.deepEqual(await readAll(stream), { words: 'Hi' });
      assert.equal((await stream.ended).type, 'complete');
      await server.allClosed();
    });
  }
});

describe('a time-out', () => {
  test('before the connection', async (context) => {
    const server = await startSocketServer(context, () => undefined);
    const provider = providerFor(context, `https://127.0.0.1:${server.port}`, { timeouts: { connect: 30 } });
    await assert.rejects(
      provider.open(request, never),
      failsTested('timeout', /within 30 ms \(raise timeouts\.connect,/),
    );
  });

  test('before the response', async (context) => {
    const server = await startHttpServer(context, (incoming) => void incoming.resume());
    const provider = providerFor(context, server.origin, { timeouts: { firstToken: 30 } });
    await assert.rejects(
      provider.open(request, never),
      failsTested(
        'timeout',
        /^no response arrived from tested within 30 ms \(raise timeouts\.firstToken, .* first_token under/,
      ),
    );
    await server.allClosed();
  });

  test('before the first content, whatever else arrives', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => {
        response.write(start);
        keepPinging(response, ping);
      }),
    );
    const provider = providerFor(context, server.origin, { wire: anthropicMessages, timeouts: { firstToken: 60 } });
    await assert.rejects(provider.open(request, never), failsTested('timeout', /within 60 ms .*firstToken/));
    await server.allClosed();
  });

  const silences: Readonly<Record<string, readonly [options: Partial<RemoteOptions>, opening: string, sign: string]>> =
    {
      'without a sign': [{}, say('Hi'), ''],
      'with comments': [{}, say('Hi'), comment],
      'with pings': [{ wire: anthropicMessages }, start + begin + write('Hi'), ping],
    };
  for (const [name, [options, opening, sign]] of Object.entries(silences)) {
    const silent = streams((response) => {
      response.write(opening);
      if (sign !== '') keepPinging(response, sign);
    });
    const timeouts = { idle: 60 };

    test(`between two parts of content, ${name}`, async (context) => {
      const server = await startHttpServer(context, silent);
      const stream = await providerFor(context, server.origin, { ...options, timeouts }).open(request, never);
      const { words, thrown } = await readAll(stream);
      assert.equal(words, 'Hi');
      failsTested(
        'timeout',
        /stalled: no new content arrived from tested within 60 ms \(raise timeouts\.idle, /,
      )(thrown);
      const outcome = await stream.ended;
      assert.equal(outcome.type === 'failed' && outcome.error, thrown);
      await server.allClosed();
    });

    test(`between two parts of content as bytes, ${name}`, async (context) => {
      const server = await startHttpServer(context, silent);
      const { bytes } = await providerFor(context, server.origin, { ...options, timeouts }).open(request, never);
      await assert.rejects(
        async () => {
          for await (const piece of bytes ?? []) assert.ok(piece.length > 0);
        },
        failsTested('timeout', /stalled/),
      );
      await server.allClosed();
    });
  }

  test('does not count the time that a reader takes', async (context) => {
    let count = 0;
    const server = await startHttpServer(
      context,
      streams(async (response) => {
        for (let index = 0; index < 4; index++) {
          await until(() => count === index);
          response.write(say('x'));
        }
        response.end(stop + done);
      }),
    );
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = await providerFor(context, server.origin, { timeouts: { idle: 40 } }).open(request, never);
    for await (const event of stream) {
      if (event.type !== 'text-delta') continue;
      context.mock.timers.tick(100);
      count++;
    }
    assert.equal(count, 4);
    assert.equal((await stream.ended).type, 'complete');
  });

  test('of the total time, for a plain body', async (context) => {
    const server = await startHttpServer(context, (incoming) => void incoming.resume());
    const timeouts = { firstToken: 10, total: 50 };
    const opened = providerFor(context, server.origin, { timeouts }).open({ ...request, stream: false }, never);
    await assert.rejects(
      opened,
      failsTested('timeout', /no complete response arrived from tested within 50 ms \(raise timeouts\.total, /),
    );
    await server.allClosed();
    const own = providerFor(context, server.origin, { timeouts: { total: 10_000, plainTotal: 20 } });
    await assert.rejects(own.open({ ...request, stream: false }, never), failsTested('timeout', /within 20 ms/));
  });

  test('of the total time, for a body that stalls', async (context) => {
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    const provider = providerFor(context, server.origin, { timeouts: { total: 50 } });
    await assert.rejects(
      provider.open({ ...request, stream: false }, never),
      failsTested('timeout', /timeouts\.total/),
    );
    await server.allClosed();
  });

  test('of the total time, for an endless stream', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => keepPinging(response, say('x'))),
    );
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = await providerFor(context, server.origin, { timeouts: { total: 300 } }).open(request, never);
    const reading = readAll(stream);
    context.mock.timers.tick(300);
    const { words, thrown } = await reading;
    assert.ok(words.startsWith('x'));
    failsTested('timeout', /timeouts\.total/)(thrown);
    await server.allClosed();
  });

  test('of the total time ends a stream that is not read', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('x'))),
    );
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = await providerFor(context, server.origin, { timeouts: { total: 300 } }).open(request, never);
    context.mock.timers.tick(300);
    const outcome = await stream.ended;
    failsTested('timeout', /timeouts\.total/)(outcome.type === 'failed' && outcome.error);
    await server.allClosed();
  });

  test('of 0 means no limit', async (context) => {
    const server = await startHttpServer(
      context,
      streams(async (response) => {
        await sleep(20);
        response.write(say('a'));
        await sleep(20);
        response.end(say('b') + stop + done);
      }),
    );
    const timeouts = { firstToken: 0, idle: 0, total: 0 };
    const stream = await providerFor(context, server.origin, { timeouts }).open(request, never);
    assert.deepEqual(await readAll(stream), { words: 'ab' });
  });
});

describe('an abort', () => {
  const reason = { not: 'even an error' };

  async function openAndAbort(context: TestContext, listener: RequestListener): Promise<TestServer> {
    const server = await startHttpServer(context, listener);
    const controller = new AbortController();
    const opened = providerFor(context, server.origin, { wire: anthropicMessages }).open(request, controller.signal);
    setTimeout(() => controller.abort(reason), 50);
    await assert.rejects(opened, (thrown) => thrown === reason);
    return server;
  }

  test('before the call sends nothing', async (context) => {
    const server = await startHttpServer(context, () => undefined);
    const opened = providerFor(context, server.origin).open(request, AbortSignal.abort(reason));
    await assert.rejects(opened, (thrown) => thrown === reason);
    assert.equal(server.connectionCount(), 0);
  });

  test('before the response closes the socket', async (context) => {
    const server = await openAndAbort(context, (incoming) => void incoming.resume());
    await server.allClosed();
  });

  test('before the first content closes the socket', async (context) => {
    const server = await openAndAbort(
      context,
      streams((response) => void response.write(start)),
    );
    await server.allClosed();
  });

  test('while an error response is read stays an abort', async (context) => {
    const server = await openAndAbort(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(500).write('half');
    });
    await server.allClosed();
  });

  for (const form of ['events', 'bytes'] as const) {
    test(`while a read of ${form} is pending rejects at once and closes the socket`, async (context) => {
      const server = await startHttpServer(
        context,
        streams((response) => void response.write(say('Hi'))),
      );
      const controller = new AbortController();
      const stream = await providerFor(context, server.origin).open(request, controller.signal);
      setTimeout(() => controller.abort(reason), 20);
      await assert.rejects(
        async () => {
          for await (const piece of form === 'events' ? stream : (stream.bytes ?? [])) assert.ok(piece);
        },
        (thrown) => thrown === reason,
      );
      const outcome = await stream.ended;
      assert.equal(outcome.type === 'failed' && outcome.error, reason);
      await server.allClosed();
    });
  }

  test('takes precedence over buffered events', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('a') + say('b') + say('c'))),
    );
    const controller = new AbortController();
    const stream = await providerFor(context, server.origin).open(request, controller.signal);
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    controller.abort(reason);
    await assert.rejects(reader.next(), (thrown) => thrown === reason);
    assert.deepEqual(await reader.next(), { done: true, value: undefined });
  });

  test('ends a stream that is not read', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('Hi'))),
    );
    const controller = new AbortController();
    const stream = await providerFor(context, server.origin).open(request, controller.signal);
    controller.abort(reason);
    const outcome = await stream.ended;
    assert.equal(outcome.type === 'failed' && outcome.error, reason);
    await server.allClosed();
  });

  test('after the end has no effect', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(say('Hi') + stop + done)),
    );
    const controller = new AbortController();
    const stream = await providerFor(context, server.origin).open(request, controller.signal);
    assert.deepEqual(await readAll(stream), { words: 'Hi' });
    controller.abort(reason);
    assert.equal((await stream.ended).type, 'complete');
  });
});

describe('leaving the loop', () => {
  for (const form of ['events', 'bytes'] as const) {
    test(`of ${form} closes the socket, and \`ended\` is left`, async (context) => {
      const server = await startHttpServer(
        context,
        streams((response) => keepPinging(response, say('x'))),
      );
      const stream = await providerFor(context, server.origin).open(request, never);
      for await (const piece of form === 'events' ? stream : (stream.bytes ?? [])) if (piece) break;
      assert.equal((await stream.ended).type, 'left');
      await server.allClosed();
    });
  }

  test('ends a pending read', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(say('x'))),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await reader.next();
    const waiting = reader.next();
    await reader.return?.();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal((await stream.ended).type, 'left');
  });

  test('after the message has ended does not count as leaving', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(say('x') + stop + done)),
    );
    const stream = await providerFor(context, server.origin).open(request, never);
    for await (const event of stream) if (event.type === 'message-end') break;
    assert.equal((await stream.ended).type, 'complete');
  });
});

describe('the bytes', () => {
  const whole = role + comment + say('Grüße') + stop + usage + done;

  test('are the upstream’s own, from the first one', async (context) => {
    const stream = await open(context, async (response) => {
      for (const byte of Buffer.from(whole)) {
        response.write(Buffer.of(byte));
        if (byte === 10) await sleep(1);
      }
      response.end();
    });
    assert.equal(await bytesOf(stream), whole);
    assert.deepEqual(await stream.ended, { type: 'complete', stopReason: 'end', usage: { input: 3, output: 2 } });
  });

  test('end with the provider’s error, which is also in `ended`', async (context) => {
    const stream = await open(context, (response) => void response.write(say('Hi') + errorFrame));
    assert.equal(await bytesOf(stream), say('Hi') + errorFrame);
    const outcome = await stream.ended;
    failsTested('upstream', /fell over/)(outcome.type === 'failed' && outcome.error);
  });

  test('throw where they were cut off, because a reader cannot distinguish that from an end', async (context) => {
    const stream = await open(context, (response) => void response.end(say('Hi')));
    await assert.rejects(bytesOf(stream), failsTested('network', /cut/));
    const outcome = await stream.ended;
    failsTested('network', /cut/)(outcome.type === 'failed' && outcome.error);
  });

  test('throw when the connection fails', async (context) => {
    const stream = await open(context, (response) => {
      response.write(say('Hi'));
      setTimeout(() => response.destroy(), 20);
    });
    await assert.rejects(bytesOf(stream), failsTested('network', /in the middle of the response/));
    assert.equal((await stream.ended).type, 'failed');
  });

  test('are complete after the stop reason, even if the connection fails', async (context) => {
    const stream = await open(context, (response) => {
      response.write(say('Hi') + stop);
      setTimeout(() => response.destroy(), 20);
    });
    assert.equal(await bytesOf(stream), say('Hi') + stop);
    assert.equal((await stream.ended).type, 'complete');
  });

  test('or the events can be read, once, but not both', async (context) => {
    for (const first of ['events', 'bytes'] as const) {
      const stream = await open(context, (response) => void response.end(whole));
      const [read, other] = first === 'events' ? [stream, stream.bytes] : [stream.bytes, stream];
      read?.[Symbol.asyncIterator]();
      for (const again of [read, other]) {
        assert.throws(() => again?.[Symbol.asyncIterator](), /either as events or as bytes/);
      }
    }
  });
});
