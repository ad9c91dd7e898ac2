// The simulated targets of `serve`: who may switch their faults, and how the gateway routes around each fault.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SimulatedTargets } from '../../src/cli/simple-agents/serve/simulated-targets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { createGateway } from '../../src/node.ts';
import { createServer, type GatewayServer, type ServerOptions } from '../../src/server/server.ts';

const messages = [{ role: 'user', content: 'Count to 30' }];

async function start(options: Partial<ServerOptions> = {}): Promise<{ url: string; server: GatewayServer }> {
  const targets = new SimulatedTargets();
  const settings = targets.addTo(await loadSettings({ cwd: tmpdir(), env: {} }));
  const provider = createGateway({ ...settings, retry: false }, { simulated: ({ name }) => targets.create(name) });
  const simulation = () => targets.simulationOf(settings);
  const server = createServer({ port: 0, drain: 0, ...options, provider, simulation });
  return { url: await server.listen(), server };
}

function post(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return fetch(`${url}${path}`, { ...init, body: JSON.stringify(body) });
}

describe('faults', () => {
  let url: string;
  let server: GatewayServer;
  before(async () => ({ url, server } = await start()));
  after(() => server.close());

  const setFault = (target: string, fault: object) => post(url, '/api/simulation', { target, fault });
  const ask = async (more: object = {}) => {
    const response = await post(url, '/v1/chat/completions', { model: 'simulation', messages, ...more });
    return { status: response.status, target: response.headers.get('x-simple-agents-target'), response };
  };

  test('are listed and removed', async () => {
    const listed = (await (await fetch(`${url}/api/simulation`)).json()) as { model: string; targets: object[] };
    assert.equal(listed.model, 'simulation');
    assert.deepEqual(listed.targets[0], { name: 'simulated-1', fault: {} });
    const changed = (await (await setFault('simulated-1', { slow: 1 })).json()) as { targets: object[] };
    assert.deepEqual(changed.targets[0], { name: 'simulated-1', fault: { slow: 1 } });
    await setFault('simulated-1', {});
    assert.equal((await ask()).target, 'simulated-1');
  });

  test('of the kind 429 make the next target answer', async () => {
    await setFault('simulated-1', { status: 429 });
    assert.equal((await ask()).target, 'simulated-2');
    await setFault('simulated-2', { status: 429 });
    assert.equal((await ask()).target, 'simulated-3');
    await setFault('simulated-3', { status: 429 });
    assert.equal((await ask()).status, 429);
    for (const target of ['simulated-1', 'simulated-2', 'simulated-3']) await setFault(target, {});
  });

  test('that damage JSON are healed', async () => {
    await setFault('simulated-1', { damage: 'unquoted-keys' });
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const { response } = await ask({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
    assert.equal(response.headers.get('x-simple-agents-healed'), 'unquoted-key');
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    assert.equal(typeof (JSON.parse(choices[0]?.message.content ?? '') as { a: unknown }).a, 'string');
    await setFault('simulated-1', {});
  });

  test('that cut a stream end it with an error after its first text', async () => {
    await setFault('simulated-1', { errorAfterEvents: 6, message: 'cut' });
    const text = await (await ask({ stream: true })).response.text();
    assert.match(text, /"content":"1, "/);
    assert.match(text, /"message":"cut"/);
    await setFault('simulated-1', {});
  });

  test('that stall a target make the next one answer, and open the breaker of the first', async () => {
    await setFault('simulated-1', { stallBeforeMs: 60_000 });
    assert.equal((await ask()).target, 'simulated-2');
    await setFault('simulated-1', {});
    assert.equal((await ask()).target, 'simulated-2');
  });

  test('do not reach the default model, and need a known target and a valid fault', async () => {
    for (const [target, fault, message] of [
      ['simulated', { status: 500 }, /there is no simulated target/],
      ['simulated-1', { cutAtByte: 1 }, /fault\.cutAtByte: requires an HTTP connection/],
      ['simulated-1', { stat: 500 }, /unknown name `stat`/],
    ] as const) {
      const response = await setFault(target, fault);
      assert.equal(response.status, 400);
      assert.match(await response.text(), message);
    }
  });
});

test('a fault needs the key, and a page of another origin cannot set one', async (context) => {
  const { url, server } = await start({ keys: [hash('sha256', 'right')], corsOrigins: ['http://app.example'] });
  context.after(() => server.close());
  const body = { target: 'simulated-1', fault: { status: 500 } };
  const statusWith = async (headers: Record<string, string>) =>
    (await post(url, '/api/simulation', body, headers)).status;
  const key = { authorization: 'Bearer right' };
  assert.equal(await statusWith({}), 401);
  assert.equal((await fetch(`${url}/api/simulation`)).status, 401);
  assert.equal(await statusWith({ ...key, origin: 'http://evil.example' }), 403);
  assert.equal(await statusWith({ ...key, origin: 'http://app.example' }), 403);
  assert.equal(await statusWith({ ...key, origin: url }), 200);
  assert.equal(await statusWith(key), 200);
});

test('a gateway with a provider or an alias has no simulated targets', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulation-'));
  context.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'simple-agents.toml');
  for (const [file, env] of [
    ['[server]\nport = 0\n', { OPENAI_API_KEY: 'x' }],
    ['[[providers]]\nname = "simulated-1"\ntype = "simulated"\n', {}],
    ['[models.mine]\ntargets = ["simulated/simulated"]\n', {}],
  ] as const) {
    await writeFile(path, file);
    const settings = await loadSettings({ path, cwd: folder, env });
    const targets = new SimulatedTargets();
    assert.equal(targets.addTo(settings), settings);
    assert.equal(targets.simulationOf(settings), undefined);
    assert.ok(!targets.has('simulated-1', settings));
  }
});
