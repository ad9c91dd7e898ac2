// The gateway process under stress: signals, invalid configuration files, no free file descriptors, a jumping clock.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { parseScript } from '../../src/testing/model/script.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { ask, openSocket, startSimulated, upstreamWires } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const cwd = folder.path;
const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
const words = Array.from({ length: 12 }, (_, index) => `word${index}`).join(' ');
const slowly = (slow: number) =>
  parseScript({ otherwise: 'reply', replies: [{ times: 9999, text: words, fault: { slow } }] });
const whole = { openai: /word11[^]*\[DONE\]/, anthropic: /word11[^]*message_stop/ } as const;

function post(url: string, client: keyof typeof paths, model: string, stream = true): Promise<Response> {
  return fetch(url + paths[client], {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask(model, 'go', { stream })),
  });
}

/** `whole`, `none` when no answer began, or what went wrong. */
async function outcomeOf(asked: Promise<Response>, client: keyof typeof paths): Promise<string> {
  const response = await asked.catch(() => undefined);
  if (response === undefined) return 'none';
  const text = await response.text().catch((error: Error) => `broke: ${error.message}`);
  return whole[client].test(text) ? 'whole' : `${response.status} ${text}`;
}

test('SIGTERM under load cuts off no stream that has begun', { timeout: 60_000 }, async (context) => {
  const upstream = await startSimulated(context, { script: slowly(30) });
  const { cli, url } = await startGatewayProcess(context, { cwd, upstream: upstream.url });
  const outcomes: Promise<string>[] = [];
  const begun: Response[] = [];
  const load = setInterval(() => {
    for (const client of upstreamWires) {
      for (const wire of upstreamWires) {
        const asked = post(url, client, `${wire}/m`);
        void asked.then(
          (response) => begun.push(response),
          () => undefined,
        );
        outcomes.push(outcomeOf(asked, client));
      }
    }
  }, 10);
  context.after(() => clearInterval(load));
  while (begun.length < 40) await sleep(10);
  cli.child.kill('SIGTERM');
  await sleep(100);
  clearInterval(load);
  const counts = Map.groupBy(await Promise.all(outcomes), (outcome) => outcome);
  assert.deepEqual(
    [...counts.keys()].filter((outcome) => outcome !== 'whole' && outcome !== 'none'),
    [],
  );
  const finished = counts.get('whole')?.length ?? 0;
  context.diagnostic(`${finished} finished, ${counts.get('none')?.length ?? 0} were not taken`);
  assert.ok(finished >= 40);
  assert.equal(await cli.ended(), 0);
});

test('valid and invalid reloads drop no request', { timeout: 60_000 }, async (context) => {
  const upstream = await startSimulated(context, { script: slowly(2) });
  const file = join(cwd, 'reloaded.toml');
  const text = (model: string) =>
    `[client]\ndefault_model = "openai/${model}"\n[[providers]]\nname = "openai"\ntype = "openai"\nbase_url = "${upstream.url}/v1"\n`;
  writeFileSync(file, text('m0'));
  const { cli, url } = await startGatewayProcess(context, { cwd, upstream: upstream.url, argv: ['--config', file] });
  const outcomes: Promise<string>[] = [];
  const versions = [text('m1'), 'nonsense = [', text('m2'), '[server]\nport = "none"\n', '', text('m3')];
  for (let turn = 0; turn < 24; turn++) {
    writeFileSync(file, versions[turn % versions.length] ?? '');
    cli.child.kill('SIGHUP');
    for (const client of upstreamWires) outcomes.push(outcomeOf(post(url, client, 'openai/m'), client));
    await sleep(20);
  }
  assert.deepEqual([...new Set(await Promise.all(outcomes))], ['whole']);
  for (const [wrong, problem] of [
    ['nonsense = [', /reloaded\.toml:1/],
    ['[server]\nport = "none"\n', /port: must be an integer/],
  ] as const) {
    writeFileSync(file, wrong);
    cli.child.kill('SIGHUP');
    while (!problem.test(cli.err())) await sleep(10);
  }
});

test('a vendor that is not configured is not called, though its address is known', async (context) => {
  const upstream = await startSimulated(context);
  const { url } = await startGatewayProcess(context, { cwd, upstream: upstream.url });
  for (const model of ['ollama/m', 'lmstudio/m', 'vllm/m', 'groq/m']) {
    const response = await post(url, 'openai', model);
    assert.equal(response.status, 404, model);
    assert.match(await response.text(), /there is no provider of type/);
  }
});

test('it survives running out of file descriptors, and recovers', { timeout: 60_000 }, async (context) => {
  const upstream = await startSimulated(context, { script: slowly(0) });
  const { cli, url } = await startGatewayProcess(context, { cwd, upstream: upstream.url, mostFiles: 48 });
  for (let round = 0; round < 2; round++) {
    const idle = await Promise.allSettled(Array.from({ length: 80 }, () => openSocket(url)));
    const sockets = idle.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const socket of sockets) socket.on('error', () => undefined);
    // Some of the open connections send a request, but no file descriptor is left for the upstream.
    for (const socket of sockets.slice(0, 20)) {
      const body = JSON.stringify(ask('openai/m', 'go', { stream: true }));
      socket.write(
        `POST ${paths.openai} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    }
    await sleep(300);
    assert.equal(cli.child.exitCode, null, cli.err());
    for (const socket of sockets) socket.destroy();
    const isWhole = async (model: string) => (await outcomeOf(post(url, 'openai', model), 'openai')) === 'whole';
    await until(async () => (await isWhole('anthropic/m')) && (await isWhole('openai/m')));
  }
});

test('a clock that jumps affects no time-out', { timeout: 60_000 }, async (context) => {
  const upstream = await startSimulated(context, { script: slowly(20) });
  const silent = await startHttpServer(context, () => undefined);
  const file = join(cwd, 'clock.toml');
  writeFileSync(
    file,
    `[timeouts]\nfirst_token = "500ms"\nidle = "500ms"\n[[providers]]\nname = "openai"\ntype = "openai"\nbase_url = "${upstream.url}/v1"\n[[providers]]\nname = "silent"\ntype = "openai"\nbase_url = "${silent.origin}/v1"\napi_key_env = "OPENAI_API_KEY"\n`,
  );
  const { url } = await startGatewayProcess(context, {
    cwd,
    upstream: upstream.url,
    argv: ['--config', file],
    node: ['--import', join(import.meta.dirname, '../support/clock-jumps.mjs')],
  });
  const outcomes = Array.from({ length: 20 }, (_, index) => {
    const client = index % 2 === 0 ? 'openai' : 'anthropic';
    return outcomeOf(post(url, client, 'openai/m'), client);
  });
  assert.deepEqual([...new Set(await Promise.all(outcomes))], ['whole']);
  const begun = performance.now();
  const response = await post(url, 'openai', 'silent/m');
  const took = performance.now() - begun;
  assert.equal(response.status, 504);
  assert.ok(took >= 490, `${took} ms`);
});
