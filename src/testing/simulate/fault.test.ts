// Every fault, in both wires, checked to the byte over a raw socket.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { createSimulateServer, type SimulateServer } from './server.ts';

/** What arrived on the socket: the headers, and the body without transfer coding. */
interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The sizes of the body's chunks; one for a plain body. */
  readonly chunks: readonly number[];
  /** Whether the body ended properly. */
  readonly isWhole: boolean;
  readonly isReset: boolean;
}

const paths = { anthropic: '/v1/messages', openai: '/v1/chat/completions' } as const;
type Wire = keyof typeof paths;

describe('faults over HTTP', () => {
  let server: SimulateServer;
  before(async () => {
    server = await createSimulateServer();
  });
  after(() => server.close());

  async function openSocket(wire: Wire, headers: Readonly<Record<string, string>>, more: object = {}): Promise<Socket> {
    const body = JSON.stringify({
      model: 'simulated',
      messages: [{ role: 'user', content: 'Count to 5' }],
      ...(wire === 'anthropic' ? { max_tokens: 100 } : {}),
      ...more,
    });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const lines = Object.entries({
      host: 'localhost',
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
      'x-api-key': 'key',
      authorization: 'Bearer key',
      'anthropic-version': '2023-06-01',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${paths[wire]} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    return socket;
  }

  async function ask(wire: Wire, fault: object, more: object = { stream: true }): Promise<RawResponse> {
    const socket = await openSocket(wire, { 'x-simulate-fault': JSON.stringify(fault) }, more);
    const chunks: Buffer[] = [];
    let isReset = false;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => (isReset = true));
    await new Promise((resolve) => socket.once('close', resolve));
    return parseResponse(Buffer.concat(chunks), isReset);
  }

  for (const wire of ['anthropic', 'openai'] as const) {
    describe(wire, () => {
      const closing = wire === 'anthropic' ? 'message_stop' : '[DONE]';
      const plainText = async (more: object): Promise<Buffer> => (await ask(wire, {}, more)).body;

      test('without a fault nothing fails, and the same request gets the same bytes', async () => {
        const response = await ask(wire, {});
        assert.equal(response.status, 200);
        assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
        assert.ok(response.isWhole);
        assert.ok(response.body.includes(closing));
        assert.deepEqual((await ask(wire, {})).body, response.body);
      });

      test('status with Retry-After, in the wire’s format, with a custom error type', async () => {
        const response = await ask(wire, {
          status: 529,
          retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT',
          errorType: 'odd_error',
        });
        assert.equal(response.status, 529);
        assert.equal(response.headers['retry-after'], 'Wed, 21 Oct 2026 07:28:00 GMT');
        const { error } = JSON.parse(response.body.toString()) as { error: { type: string; message: string } };
        assert.equal(error.type, 'odd_error');
      });

      for (const stream of [true, false]) {
        const kind = stream ? 'a stream' : 'a plain body';

        test(`cutAtByte cuts ${kind} after exactly that many bytes`, async () => {
          const whole = await plainText({ stream });
          for (const cutAtByte of [0, 1, 7, 100, whole.length]) {
            const response = await ask(wire, { cutAtByte }, { stream });
            assert.equal(response.status, 200);
            assert.deepEqual(response.body, whole.subarray(0, cutAtByte));
            // A plain body is complete after its last byte, whatever happens to the connection then.
            assert.equal(response.isWhole, !stream && cutAtByte === whole.length);
          }
          assert.ok((await ask(wire, { cutAtByte: whole.length + 1 }, { stream })).isWhole);
        });

        test(`endAtByte ends ${kind} properly and too early`, async () => {
          const whole = await plainText({ stream });
          for (const endAtByte of [0, 33]) {
            const response = await ask(wire, { endAtByte }, { stream });
            assert.deepEqual(response.body, whole.subarray(0, endAtByte));
            assert.ok(response.isWhole);
          }
        });

        test(`chunkSize sends ${kind} in small writes`, async () => {
          const response = await ask(wire, { chunkSize: 5 }, { stream });
          assert.deepEqual(response.body, await plainText({ stream }));
          assert.ok(response.isWhole);
          if (stream) assert.ok(response.chunks.every((size) => size <= 5));
        });

        test(`gzip compresses ${kind}, and a cut counts the compressed bytes`, async () => {
          const response = await ask(wire, { gzip: true }, { stream });
          assert.equal(response.headers['content-encoding'], 'gzip');
          assert.deepEqual(gunzipSync(response.body), await plainText({ stream }));
          assert.equal((await ask(wire, { gzip: true, cutAtByte: 12 }, { stream })).body.length, 12);
        });

        test(`contentType and garbage replace ${kind}`, async () => {
          const response = await ask(wire, { contentType: 'text/html', garbage: 64 }, { stream });
          assert.equal(response.headers['content-type'], 'text/html');
          assert.equal(response.body.length, 64);
          assert.equal((await ask(wire, { garbage: true }, { stream })).body.length, 512);
        });
      }

      test('reset drops the connection before any byte', async () => {
        const response = await ask(wire, { reset: true });
        assert.ok(response.isReset);
        assert.equal(response.status, 0);
      });

      test('stalls wait before the headers, before the body and at a byte', async () => {
        for (const fault of [
          { stallBeforeMs: 30 },
          { stallBeforeBodyMs: 30 },
          { stallAtByte: 50, stallMs: 30 },
          { slow: 10 },
        ]) {
          const start = performance.now();
          const response = await ask(wire, fault);
          assert.ok(performance.now() - start >= 25);
          assert.deepEqual(response.body, await plainText({ stream: true }));
        }
      });

      test('a stall may send pings, between events and never inside one', async () => {
        const response = await ask(wire, { stallAtByte: 10, stallMs: 50, pingEveryMs: 10 });
        const frames = response.body.toString().split('\n\n').slice(0, -1);
        const pings = frames.filter((frame) => frame.includes('ping'));
        assert.ok(pings.length >= 2);
        const rest = frames
          .filter((frame) => !frame.includes('ping'))
          .map((frame) => `${frame}\n\n`)
          .join('');
        assert.equal(rest, (await plainText({ stream: true })).toString());
        assert.ok(frames.indexOf(pings[0]!) > 0);
      });

      test('an endless stall lasts until the client disconnects, and the server keeps working', async () => {
        const socket = await openSocket(wire, { 'x-simulate-stall-at': '20' }, { stream: true });
        let length = 0;
        socket.on('data', (chunk: Buffer) => (length += chunk.length));
        await once(socket, 'data');
        socket.destroy();
        await once(socket, 'close');
        assert.ok(length > 0);
        assert.ok((await ask(wire, {})).isWhole);
      });

      test('errorAfterEvents inserts an error event in the wire’s format', async () => {
        for (const errorAfterEvents of [0, 1, 3]) {
          const response = await ask(wire, { errorAfterEvents, errorType: 'api_error', message: 'Ouch' });
          const frames = response.body.toString().split('\n\n').slice(0, -1);
          assert.equal(frames.length, errorAfterEvents + 1);
          const error = JSON.parse(frames.at(-1)!.replace(/^.*data: /su, '')) as {
            error: { type: string; message: string };
          };
          assert.equal(error.error.type, 'api_error');
          assert.equal(error.error.message, 'Ouch');
          assert.ok(response.isWhole);
        }
        assert.equal((await ask(wire, { errorAfterEvents: 2 }, {})).status, 529);
      });

      test('malformedSse, omitDone and omitUsage', async () => {
        const malformed = await ask(wire, { malformedSse: true });
        const lines = malformed.body.toString().match(/^data: \{.*$/gmu) ?? [];
        assert.equal(lines.filter((line) => !isJson(line.slice(6))).length, 1);
        assert.ok(!(await ask(wire, { omitDone: true })).body.includes(closing));
        const counted = { stream: true, ...(wire === 'openai' ? { stream_options: { include_usage: true } } : {}) };
        assert.ok((await ask(wire, {}, counted)).body.includes('"usage"'));
        assert.ok(!(await ask(wire, { omitUsage: true }, counted)).body.includes('"usage"'));
        assert.ok(!(await ask(wire, { omitUsage: true }, {})).body.includes('"usage"'));
      });

      test('damage breaks a JSON response', async () => {
        const schema = {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          additionalProperties: false,
        };
        const format =
          wire === 'anthropic'
            ? { output_config: { format: { type: 'json_schema', schema } } }
            : { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } };
        const response = await ask(wire, { damage: 'unclosed-fence' }, format);
        assert.ok(response.body.includes('```json'));
      });

      test('an unknown fault is a 400 that names it and the nearest valid one', async () => {
        const response = await ask(wire, { cutAtBite: 1 });
        assert.equal(response.status, 400);
        assert.match(response.body.toString(), /unknown name `cutAtBite`; did you mean `cutAtByte`\?/u);
      });
    });
  }

  test('a fault may come in single headers', async () => {
    const socket = await openSocket('openai', { 'x-simulate-status': '429', 'x-simulate-retry-after': '2' });
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 429 /u);
    assert.match(chunk.toString(), /retry-after: 2/iu);
    socket.destroy();
  });

  test('a fault may come from the script, and the header takes precedence', async () => {
    server.playScript({
      replies: [
        { text: 'a scripted reply', fault: { cutAtByte: 5 } },
        { text: 'second', fault: { status: 503 } },
      ],
    });
    assert.equal((await ask('anthropic', {})).body.length, 5);
    assert.equal((await ask('anthropic', { status: 404 })).status, 404);
    assert.equal((await ask('anthropic', {})).status, 503);
    server.playScript(undefined);
  });

  test('closing the server ends every connection', async () => {
    const other = await createSimulateServer({ firstTokenDelayMs: 60_000 });
    const answer = fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: '{"model":"m","messages":[{"role":"user","content":"x"}]}',
    });
    const failed = assert.rejects(answer);
    while (other.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    await failed;
  });
});

function parseResponse(bytes: Buffer, isReset: boolean): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return { status: 0, headers: {}, body: Buffer.alloc(0), chunks: [], isWhole: false, isReset };
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  if (headers['transfer-encoding'] === 'chunked') return { status, headers, isReset, ...dechunk(rest) };
  return {
    status,
    headers,
    body: rest,
    chunks: [rest.length],
    isWhole: rest.length === Number(headers['content-length']),
    isReset,
  };
}

function dechunk(bytes: Buffer): Pick<RawResponse, 'body' | 'chunks' | 'isWhole'> {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    const finished = size === 0;
    if (finished || Number.isNaN(size)) {
      return { body: Buffer.concat(parts), chunks: parts.map(({ length }) => length), isWhole: finished };
    }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
