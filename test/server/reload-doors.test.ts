// A configuration file that is emptied, cut off or half written while the gateway runs never removes protection. The
// command runs in this process, with a real file and real HTTP.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { main } from '../../src/cli/simple-agents/main.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createServer } from '../../src/server/server.ts';
import { failsWith } from '../support/fails-with.ts';
import { MemoryTerminal, runCli } from '../support/memory-terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const key = 'a-key-of-the-gateway';
const digest = hash('sha256', key, 'hex');

const listed = `# The gateway of the team.
[client]
default_model = "simulated"

[server]
port = 0
allowed_hosts = ["gateway.example.com"]
keys = [
  "${hash('sha256', 'another', 'hex')}",
  "${digest}", # the team
]
log_level = "info"

[[providers]]
name = "here"
type = "openai-compatible"
base_url = "http://127.0.0.1:1/v1"

[cache]
enabled = true
`;

const scoped = `[server]
port = 0

[[server.keys]]
name = "prometheus"
hash = "${digest}"
scopes = ["metrics"]

[[server.keys]]
name = "team"
hash = "${hash('sha256', 'another', 'hex')}"
scopes = ["call"]

[cache]
enabled = true
`;

async function serve(context: TestContext, text: string, more: { readonly argv?: readonly string[] } = {}) {
  const { path: cwd } = temporaryFolder();
  const file = join(cwd, 'simple-agents.toml');
  writeFileSync(file, text);
  const terminal = new MemoryTerminal({ cwd });
  const ended = main(['serve', '--port', '0', ...(more.argv ?? [])], terminal);
  await terminal.shows(/\n/);
  const [, url = ''] = /listening on (\S+)/.exec(terminal.out) ?? [];
  context.after(async () => {
    terminal.send('SIGTERM');
    await ended;
  });
  return {
    file,
    url,
    terminal,
    /** Reloads the file now, and waits until a reload that may be this one is reported in such a line. */
    async reload(reported = /"type":"reload"/g) {
      const reloads = (): number => Array.from(terminal.err.matchAll(reported)).length;
      const before = reloads();
      terminal.send('SIGHUP');
      while (reloads() === before) await sleep(1);
    },
    async status(headers: Record<string, string> = {}) {
      return (await fetch(`${url}/v1/models`, { headers })).status;
    },
  };
}

const right = { authorization: `Bearer ${key}` };

describe('a reload', () => {
  test('of the file cut at any byte never removes authentication', { timeout: 120_000 }, async (context) => {
    const gateway = await serve(context, listed);
    for (let length = 0; length < listed.length; length++) {
      writeFileSync(gateway.file, listed.slice(0, length));
      await gateway.reload();
      assert.equal(await gateway.status(), 401, JSON.stringify(listed.slice(Math.max(0, length - 30), length)));
    }
    assert.equal(await gateway.status(right), 200);
  });

  test('of the file cut at any byte never gives a key more scopes', { timeout: 120_000 }, async (context) => {
    const gateway = await serve(context, scoped);
    for (let length = 0; length < scoped.length; length++) {
      writeFileSync(gateway.file, scoped.slice(0, length));
      await gateway.reload();
      const cut = JSON.stringify(scoped.slice(Math.max(0, length - 30), length));
      assert.deepEqual([await gateway.status(), await gateway.status(right)], [401, 403], cut);
      const metrics = await fetch(`${gateway.url}/metrics`, { headers: right });
      assert.equal(metrics.status, 200, cut);
    }
  });

  const emptied: Readonly<Record<string, string>> = {
    'an empty file': '',
    'only line ends': '\n\n',
    'only comments': '# keys = []\n',
    'only [server]': '[server]\n',
    'an empty list of keys': '[server]\nkeys = []\n',
    'everything but the keys': listed.replace(/keys = \[[^]*?\n\]\n/, ''),
  };
  for (const [name, text] of Object.entries(emptied)) {
    test(`of ${name} keeps the current configuration and says what to do`, async (context) => {
      const gateway = await serve(context, listed);
      writeFileSync(gateway.file, text);
      await gateway.reload();
      assert.equal(await gateway.status(), 401);
      assert.equal(await gateway.status(right), 200);
      const models = (await (await fetch(`${gateway.url}/v1/models`, { headers: right })).json()) as { data: object[] };
      assert.match(JSON.stringify(models), /simulated/);
      assert.match(gateway.terminal.err, /"level":"error".*not reloaded.*(restart the gateway|restore its settings)/);
      writeFileSync(gateway.file, listed);
      await gateway.reload(/"level":"info".*"type":"reload"/g);
    });
  }

  test('rejects a file without keys completely, including its models', async (context) => {
    const gateway = await serve(context, listed);
    const text = '[server]\nport = 0\n[models.changed]\ntargets = ["simulated/other"]\n';
    writeFileSync(gateway.file, text);
    await gateway.reload();
    const models = await (await fetch(`${gateway.url}/v1/models`, { headers: right })).text();
    assert.doesNotMatch(models, /changed/);
  });

  test('does not look for another file while its own is missing', async (context) => {
    const gateway = await serve(context, listed);
    rmSync(gateway.file);
    await gateway.reload();
    assert.equal(await gateway.status(), 401);
    assert.match(gateway.terminal.err, /not reloaded.*file not found/);
  });

  test('may change keys, and remove one while another is left', async (context) => {
    const gateway = await serve(context, listed);
    writeFileSync(gateway.file, `[server]\nkeys = ["${hash('sha256', 'another', 'hex')}"]\n`);
    await gateway.reload();
    assert.equal(await gateway.status(right), 401);
    assert.equal(await gateway.status({ 'x-api-key': 'another' }), 200);
  });
});

describe('the hash of an empty text', () => {
  test('does not become a key by a reload', async (context) => {
    const gateway = await serve(context, listed);
    writeFileSync(gateway.file, `[server]\nkeys = ["${hash('sha256', '', 'hex')}"]\n`);
    await gateway.reload();
    assert.match(gateway.terminal.err, /not reloaded.*hash of an empty text/);
    assert.equal(await gateway.status(right), 200);
    for (const authorization of ['Bearer ', 'Bearer', 'Basic', ''])
      assert.equal(await gateway.status({ authorization }), 401, authorization);
    assert.equal(await gateway.status({ 'x-api-key': '' }), 401);
  });
});

describe('a file that is written in two steps', () => {
  test('is not loaded between them', { timeout: 60_000 }, async (context) => {
    const gateway = await serve(context, listed);
    const changed = `${listed}\n[models.changed]\ntargets = ["simulated/other"]\n`;
    const listing = async () => (await fetch(`${gateway.url}/v1/models`, { headers: right })).text();
    writeFileSync(gateway.file, '');
    await sleep(200);
    writeFileSync(gateway.file, changed);
    while (!(await listing()).includes('changed')) await sleep(10);
    renameSync(gateway.file, `${gateway.file}~`);
    await sleep(200);
    writeFileSync(gateway.file, listed);
    while ((await listing()).includes('changed')) await sleep(10);
    assert.doesNotMatch(gateway.terminal.err, /not reloaded/);
  });
});

test('a running server cannot lose its last key or its list of host names', async () => {
  const server = createServer({
    provider: createSimulatedProvider(),
    port: 0,
    host: '0.0.0.0',
    keys: [digest],
    allowedHosts: ['gateway.example.com'],
  });
  assert.throws(() => server.update({ keys: [] }), failsWith('configuration', /restart the gateway to remove/));
  assert.throws(() => server.update({ allowedHosts: [] }), failsWith('configuration', /allows every host name/));
  server.update({ allowedHosts: ['other.example.com'] });
  const local = createServer({ provider: createSimulatedProvider(), keys: [digest] });
  assert.throws(() => local.update({ keys: [] }), failsWith('configuration', /restart the gateway to remove/));
});

describe('at the start', () => {
  for (const [name, text] of Object.entries({ 'is empty': '', 'has only comments': '# later\n\n# or never' })) {
    test(`a named file that ${name} is rejected`, async () => {
      const { path: cwd } = temporaryFolder();
      writeFileSync(join(cwd, 'gateway.toml'), text);
      const expected = /gateway\.toml: the file is empty or has only comments; restore its settings/;
      for (const options of [
        { argv: ['serve', '--port', '0', '--config', 'gateway.toml'] },
        { argv: ['serve', '--port', '0'], env: { SIMPLE_AGENTS_CONFIG: 'gateway.toml' } },
        { argv: ['complete', 'Hello', '--config', 'gateway.toml'] },
        { argv: ['config', 'validate', 'gateway.toml'] },
      ]) {
        const { exitCode, err } = await runCli(options.argv, { cwd, env: options.env ?? {} });
        assert.equal(exitCode, 2, options.argv.join(' '));
        assert.match(err, expected);
      }
    });
  }

  test('a server without keys on this machine prints one line about it', async (context) => {
    const open = await serve(context, '[client]\nmax_tokens = 100\n');
    while (!open.terminal.err.includes('Playground: ')) await sleep(1);
    assert.match(
      open.terminal.err,
      /^No keys are set in \[server\]: any program on this machine can use the gateway\.$/m,
    );
    assert.equal(await open.status(), 200);
    const closed = await serve(context, listed);
    while (!closed.terminal.err.includes('Playground: ')) await sleep(1);
    assert.doesNotMatch(closed.terminal.err, /No keys/);
  });
});
