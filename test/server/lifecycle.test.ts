// The gateway's server from start to shutdown, in process and as a process: draining, signals, reloading, logs.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';

import { defaultsOf } from '../../src/config/schema/validate.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { defaultServerSettings } from '../../src/server/settings.ts';
import { startCli, type CliProcess } from '../support/cli-process.ts';
import { ask, openSocket, startBoth, startSimulated } from '../support/gateway-server.ts';
import { readRequest, startHttpServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const chat = '/v1/chat/completions';
const words = Array.from({ length: 10 }, (_, index) => `word${index}`).join(' ');
const slowly = (slow: number) => parseScript({ replies: [{ times: 9, text: words, fault: { slow } }] });
const streamed = ask('openai/m', 'go', { stream: true });

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url + chat, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a shutdown', () => {
  test('lets streams in progress finish, and accepts no others', async (context) => {
    const gateway = await startBoth(context, slowly(20));
    const response = await gateway.post(chat, streamed);
    const closed = gateway.server.close({ drain: 10_000 });
    await assert.rejects(fetch(`${gateway.url}/health`));
    const text = await response.text();
    assert.match(text, /word9[^]*\[DONE\]/);
    await closed;
    assert.equal(gateway.server.address, undefined);
  });

  for (const path of [chat, '/v1/messages']) {
    test(`${path}: ends what does not finish in time with an error event, and closes the upstream connection`, async (context) => {
      const gateway = await startBoth(context, slowly(3_600_000));
      const response = await gateway.post(path, streamed);
      await Promise.all([
        gateway.server.close({ drain: 50 }),
        response.text().then((text) => assert.match(text, /the gateway is shutting down/)),
      ]);
      assert.equal(gateway.events.find((event) => event.type === 'call-end')?.outcome, 'left');
    });
  }

  test('ends a call that waits for its response with an error', async (context) => {
    const gateway = await startBoth(context, parseScript({ replies: [{ text: 'x', delayMs: 5000 }] }));
    const asked = gateway.post(chat, ask('openai/m', 'go'));
    while (gateway.upstream.requests.length === 0) await sleep(5);
    const closed = gateway.server.close({ drain: 20 });
    const response = await asked;
    assert.equal(response.status, 503);
    assert.match(await response.text(), /shutting down/);
    await closed;
  });

  test('is reported by /ready on open connections', async (context) => {
    const gateway = await startBoth(context, slowly(20));
    const socket = await openSocket(gateway.url);
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    const text = JSON.stringify(streamed);
    socket.write(
      `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    while (!received.includes('word1')) await once(socket, 'data');
    const closed = gateway.server.close({ drain: 5000 });
    socket.write('GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await Promise.all([closed, once(socket, 'close')]);
    assert.match(received, /\[DONE\][^]*HTTP\/1\.1 503 [^]*connection: close[^]*"draining"/i);
  });
});

test('the defaults in code are those of the file', () => {
  const { logLevel: _logLevel, ...defaults } = defaultsOf('server');
  const { keys, corsOrigins, allowedHosts, forwardProviders, maxBodyMemory, ...settings } = defaultServerSettings;
  assert.deepEqual(settings, defaults);
  assert.deepEqual([keys, corsOrigins, allowedHosts, forwardProviders], [[], [], [], []]);
  assert.ok(maxBodyMemory <= 256 * 1024 * 1024 && maxBodyMemory <= getHeapStatistics()['heap_size_limit'] / 3);
});

describe('simple-agents serve', () => {
  const folder = temporaryFolder();

  async function serve(
    context: TestContext,
    argv: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<{ cli: CliProcess; url: string }> {
    const cli = startCli(context, ['serve', '--port', '0', ...argv], { cwd: folder.path, env });
    await cli.shows(/\n/);
    const [line = ''] = cli.out().split('\n');
    assert.match(line, /^listening on http:\/\/127\.0\.0\.1:\d+$/);
    return { cli, url: line.replace('listening on ', '') };
  }

  test('uses the simulated model without a key, says so, and logs no prompts', async (context) => {
    const { cli, url } = await serve(context);
    const response = await post(url, ask('simulated', 'Count to 3'));
    const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
    assert.equal(choices[0].message.content, '1, 2, 3');
    assert.match(await (await fetch(url)).text(), /No API key found; using the built-in simulated model/);
    cli.child.kill('SIGTERM');
    assert.equal(await cli.ended(), 0);
    assert.match(cli.err(), /No API key found; using the built-in simulated model/);
    assert.match(cli.err(), /"type":"call","call":"req_[0-9a-f]{32}","model":"simulated","stream":false/);
    assert.doesNotMatch(cli.err(), /Count to 3|1, 2, 3/);
    assert.equal(cli.out().split('\n').length, 2);
  });

  test('SIGTERM lets a stream finish; a second one does not', async (context) => {
    const upstream = await startSimulated(context, { script: slowly(30) });
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${upstream.url}/v1` };
    const first = await serve(context, [], env);
    const response = await post(first.url, streamed);
    first.cli.child.kill('SIGTERM');
    assert.match(await response.text(), /word9[^]*\[DONE\]/);
    assert.equal(await first.cli.ended(), 0);

    upstream.playScript(slowly(2000));
    const second = await serve(context, [], env);
    const stuck = await post(second.url, streamed);
    second.cli.child.kill('SIGTERM');
    await sleep(100);
    second.cli.child.kill('SIGINT');
    assert.match(await stuck.text(), /shutting down/);
    assert.equal(await second.cli.ended(), 0);
  });

  test('reloads a changed file, automatically and at SIGHUP, and keeps the old one if the new one is invalid', async (context) => {
    const upstream = await startSimulated(context);
    const file = join(folder.path, 'gateway.toml');
    const text = (model: string, more = '') =>
      `[client]\ndefault_model = "here/${model}"\n${more}[[providers]]\nname = "here"\ntype = "openai-compatible"\nbase_url = "${upstream.url}/v1"\napi_key_env = "KEY"\n`;
    writeFileSync(file, text('first'));
    const { cli, url } = await serve(context, ['--config', 'gateway.toml'], { KEY: 'k' });
    const model = async (headers = {}) => {
      const response = await post(url, ask('', 'hi'), headers);
      return response.status === 200 ? ((await response.json()) as { model: string }).model : response.status;
    };
    const becomes = async (expected: unknown, headers = {}) => {
      await until(async () => (await model(headers)) === expected);
    };
    assert.equal(await model(), 'first');
    writeFileSync(file, text('second'));
    await becomes('second');
    writeFileSync(file, 'nonsense = [');
    while (!/gateway\.toml:1/.test(cli.err())) await sleep(20);
    assert.equal(await model(), 'second');
    const digest = createHash('sha256').update('secret').digest('hex');
    writeFileSync(file, text('third', `[server]\nkeys = ["${digest}"]\n`));
    cli.child.kill('SIGHUP');
    await becomes(401);
    await becomes('third', { authorization: 'Bearer secret' });
    cli.child.kill('SIGTERM');
    assert.equal(await cli.ended(), 0);
  });

  test('sends traces if configured, without prompts and responses', async (context) => {
    const received = Promise.withResolvers<string>();
    const collector = await startHttpServer(context, (request, response) => {
      void readRequest(request).then((text) => {
        received.resolve(`${request.url} ${text}`);
        response.end('{}');
      });
    });
    folder.write('traced.toml', `[server]\notlp_endpoint = "${collector.origin}/v1/traces"\n`);
    const { cli, url } = await serve(context, ['--config', 'traced.toml']);
    await (await post(url, ask('simulated', 'Count to 3'))).text();
    cli.child.kill('SIGTERM');
    const traces = await received.promise;
    assert.match(traces, /^\/v1\/traces .*simple-agents-gateway.*chat simulated/s);
    assert.doesNotMatch(traces, /Count to 3/);
    assert.equal(await cli.ended(), 0);
  });

  test('refuses to start without keys on a public address, and on a port in use', async (context) => {
    const open = startCli(context, ['serve', '--port', '0', '--host', '0.0.0.0'], { cwd: folder.path });
    assert.equal(await open.ended(), 2);
    assert.match(open.err(), /0\.0\.0\.0 can be reached from other machines, but no keys are set/);
    const { cli, url } = await serve(context);
    const taken = startCli(context, ['serve', '--port', new URL(url).port], { cwd: folder.path });
    assert.equal(await taken.ended(), 2);
    assert.match(taken.err(), /the port is in use; choose another, or 0 for any free port/);
    cli.child.kill('SIGTERM');
    await cli.ended();
  });
});
