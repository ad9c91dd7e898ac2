// Recording and replaying real exchanges: what is stored, what is not, and the errors for missing recordings.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRequest, startHttpServer } from '../../../test/support/server.ts';
import { done, readAll, request as ask, say, stop, streams, usage } from '../../../test/support/upstream.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { openaiChat } from '../../wire/openai-chat/client.ts';
import { createRecordedTransport, type RecordedOptions } from './recorded.ts';
import { createRemoteProvider } from '../../providers/remote.ts';
import type { Transport, TransportRequest } from '../transport.ts';

const never = new AbortController().signal;
const apiKey = 'sk-very-secret-0123456789';

async function newFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'simple-agents-cassette-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function transportFor(context: TestContext, directory: string, mode: RecordedOptions['mode']): Transport {
  const transport = createRecordedTransport({ directory, mode });
  context.after(() => transport.close());
  return transport;
}

function post(origin: string, body: object, path = '/v1/x'): TransportRequest {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-team': 'mine' };
  return { method: 'POST', url: origin + path, headers, body: JSON.stringify(body) };
}

async function exchange(transport: Transport, request: TransportRequest): Promise<string> {
  const { body } = await transport.send(request, never);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Echoes the request and the number of requests so far. */
function echo(): RequestListener {
  let count = 0;
  return (incoming, response) => {
    void readRequest(incoming).then((body) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'a=b',
        'openai-organization': 'org',
      });
      response.end(`{"count":${++count},"asked":${body}}`);
    });
  };
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    if (/\.(json|sse)$|body$/.test(name)) files[name] = await readFile(join(folder, name), 'utf8');
  }
  return files;
}

function rejectsWith(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof SimpleAgentsError);
    assert.equal(error.kind, 'configuration');
    assert.match(error.message, message);
    return true;
  };
}

describe('a recorded provider', () => {
  test('replays the same stream without the network', async (context) => {
    const directory = await newFolder(context);
    const whole = say('Grüße') + stop + usage + done;
    const server = await startHttpServer(
      context,
      streams((response) => void response.end(whole)),
    );
    const providerWith = (transport: Transport) =>
      createRemoteProvider({ name: 'p', wire: openaiChat, baseUrl: server.origin, apiKey, transport });
    const recording = transportFor(context, directory, 'record');
    const first = await providerWith(recording).open(ask, never);
    assert.deepEqual(await readAll(first), { words: 'Grüße' });
    await recording.close();
    const again = await providerWith(transportFor(context, directory, 'replay')).open(ask, never);
    assert.deepEqual(await readAll(again), { words: 'Grüße' });
    assert.deepEqual(await again.ended, await first.ended);
    assert.equal(server.connectionCount(), 1);
    const [folder] = await readdir(directory);
    assert.match(folder ?? '', /^0001-[0-9a-f]{8}$/);
    assert.equal(await readFile(join(directory, folder ?? '', 'response.sse'), 'utf8'), whole);
  });
});

describe('a recording', () => {
  test('has no key, no cookie and no header that is not on the allow-list', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const request = post(server.origin, { say: apiKey }, `/v1/x?version=2&api_key=${apiKey}`);
    await exchange(transportFor(context, directory, 'record'), request);
    const [folder = ''] = await readdir(directory);
    const files = await filesOf(directory);
    assert.deepEqual(JSON.parse(files[join(folder, 'request.json')] ?? ''), {
      method: 'POST',
      path: '/v1/x?version=2',
      headers: { 'content-type': 'application/json' },
      body: { say: '[key]' },
    });
    assert.deepEqual(JSON.parse(files[join(folder, 'response.meta.json')] ?? ''), {
      status: 200,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(files[join(folder, 'response.body.json')], '{"count":1,"asked":{"say":"[key]"}}');
    assert.equal(JSON.stringify(files).includes(apiKey), false);
  });

  test('is found whatever the order of members and the API key', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const recorded = post(server.origin, { a: 1, b: { c: [2], d: apiKey } });
    const answer = await exchange(transportFor(context, directory, 'record'), recorded);
    const replaying = transportFor(context, directory, 'replay');
    const other = { ...post('http://elsewhere.invalid', { b: { d: 'sk-other', c: [2] }, a: 1 }) };
    const request = { ...other, headers: { authorization: 'Bearer sk-other' } };
    assert.equal(await exchange(replaying, request), answer.replace(apiKey, '[key]'));
  });

  test('of a repeated request is replayed in order, and then no more', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const recording = transportFor(context, directory, 'record');
    const request = post(server.origin, { a: 1 });
    const answers = [await exchange(recording, request), await exchange(recording, request)];
    const replaying = transportFor(context, directory, 'replay');
    assert.deepEqual([await exchange(replaying, request), await exchange(replaying, request)], answers);
    await assert.rejects(
      exchange(replaying, request),
      /all 2 recordings of this POST \/v1\/x in .* have been replayed/,
    );
  });

  test('is replaced when it is recorded again', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const [request, other] = [post(server.origin, { a: 1 }), post(server.origin, { a: 2 })];
    for (const each of [request, other]) await exchange(transportFor(context, directory, 'record'), each);
    const latest = await exchange(transportFor(context, directory, 'record'), request);
    assert.equal((await readdir(directory)).length, 2);
    assert.equal(await exchange(transportFor(context, directory, 'replay'), request), latest);
  });

  test('is made only if it is missing, with mode auto', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const [request, other] = [post(server.origin, { a: 1 }), post(server.origin, { a: 2 })];
    const answer = await exchange(transportFor(context, directory, 'auto'), request);
    const transport = transportFor(context, directory, 'auto');
    assert.equal(await exchange(transport, request), answer);
    assert.match(await exchange(transport, other), /"count":2/);
    assert.match(await exchange(transport, request), /"count":3/);
    assert.equal((await readdir(directory)).length, 3);
  });

  test('can be made concurrently', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const requests = Array.from({ length: 8 }, (_, index) => post(server.origin, { index }));
    const transport = transportFor(context, directory, 'record');
    await Promise.all(requests.map((request) => exchange(transport, request)));
    const numbers = (await readdir(directory)).map((name) => name.slice(0, 4)).toSorted();
    assert.deepEqual(numbers, ['0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008']);
  });

  test('is not made of a response that is cut off, left or aborted', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('half');
      if (incoming.url === '/cut') setTimeout(() => response.destroy(), 20);
    });
    const transport = transportFor(context, directory, 'record');
    await assert.rejects(exchange(transport, post(server.origin, {}, '/cut')), /in the middle of the response/);
    const left = await transport.send(post(server.origin, {}), never);
    for await (const chunk of left.body) if (chunk.length > 0) break;
    const controller = new AbortController();
    await transport.send(post(server.origin, {}), controller.signal);
    controller.abort();
    await server.allClosed();
    await sleep(20);
    assert.deepEqual(await readdir(directory), []);
  });

  test('of an error response is replayed as one', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(429, { 'retry-after': '7' }).end();
    });
    const request = post(server.origin, {});
    await exchange(transportFor(context, directory, 'record'), request);
    const { status, headers } = await transportFor(context, directory, 'replay').send(request, never);
    assert.equal(status, 429);
    assert.equal(headers['retry-after'], '7');
  });
});

test('a folder that is not writable is reported before anything is sent', async (context) => {
  const file = join(await newFolder(context), 'file');
  await writeFile(file, '');
  const server = await startHttpServer(context, echo());
  const sent = transportFor(context, join(file, 'folder'), 'record').send(post(server.origin, {}), never);
  await assert.rejects(sent, rejectsWith(/^cannot record to .*file/));
  assert.equal(server.connectionCount(), 0);
});

describe('a missing recording', () => {
  test('is reported with the folder and how to record', async (context) => {
    const directory = await newFolder(context);
    const sent = transportFor(context, join(directory, 'none'), 'replay').send(post('http://127.0.0.1:9', {}), never);
    await assert.rejects(
      sent,
      rejectsWith(/none has no recording of this POST \/v1\/x or of any other request; record it with mode/),
    );
  });

  test('is reported with the closest recording', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const recording = transportFor(context, directory, 'record');
    await exchange(recording, post(server.origin, { model: 'a', messages: [{ text: 'Hello' }] }));
    await exchange(recording, post(server.origin, { model: 'b', messages: [] }));
    const request = post(server.origin, { model: 'a', messages: [{ text: 'Bye' }] });
    const sent = transportFor(context, directory, 'replay').send(request, never);
    await assert.rejects(sent, rejectsWith(/closest, 0001-[0-9a-f]{8}, differs at body\.messages\[0\]\.text\)/));
  });

  test('differs from a broken one', async (context) => {
    const directory = await newFolder(context);
    const server = await startHttpServer(context, echo());
    const request = post(server.origin, {});
    await exchange(transportFor(context, directory, 'record'), request);
    const [folder = ''] = await readdir(directory);
    await rm(join(directory, folder, 'response.body.json'));
    const sent = transportFor(context, directory, 'replay').send(request, never);
    await assert.rejects(
      sent,
      rejectsWith(/response\.body\.json is broken: .*; delete its folder and record it again/),
    );
    await writeFile(join(directory, folder, 'request.json'), '{');
    const other = transportFor(context, directory, 'replay').send(request, never);
    await assert.rejects(other, rejectsWith(/request\.json is broken/));
  });

  test('is not searched after an abort', async (context) => {
    const directory = await newFolder(context);
    const sent = transportFor(context, directory, 'replay').send(
      post('http://127.0.0.1:9', {}),
      AbortSignal.abort('why'),
    );
    await assert.rejects(sent, (reason) => reason === 'why');
  });
});
