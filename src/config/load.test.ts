// Complete files: the message for each mistake, and the settings of a valid file.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimpleAgentsError } from '../core/error.ts';
import { parseConfig } from './file-tier.ts';
import { loadSettings, readConfigText } from './load.ts';

async function messageOf(text: string): Promise<string> {
  const error = await parseConfig(text, 'f.toml').then(
    () => assert.fail('the file was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SimpleAgentsError);
  assert.equal(error.kind, 'configuration');
  return error.message;
}

describe('a file with one mistake', () => {
  for (const [what, text, message] of [
    ['an unknown key', '[timeouts]\n\nidel = "1s"', 'f.toml:3: [timeouts] idel: unknown key; did you mean "idle"?'],
    [
      'a key that resembles no other',
      '[timeouts]\nzzz = 1',
      'f.toml:2: [timeouts] zzz: unknown key; [timeouts] has connect, first_token, idle, total',
    ],
    [
      'a key under the wrong heading',
      '[client]\nidle = "1s"',
      'f.toml:2: [client] idle: unknown key; it belongs in [timeouts]; [client] has default_model, default_provider, default_timeout, max_tokens',
    ],
    [
      'a key outside of any table',
      'max_tokens = 5',
      'f.toml:1: max_tokens: unknown key outside of any table; it belongs in [client]',
    ],
    [
      'an unknown key outside of any table',
      'xyz = 5',
      'f.toml:1: xyz: unknown key outside of any table; the tables are [client], [timeouts], [proxy], [network], [healing], [router], [retry], [breaker], [cache], [server], [[server.keys]], [chat], [[providers]], [models.NAME], [[chains]], [guardrails.NAME], [strategies.NAME], [prices."provider/model"]',
    ],
    [
      'a client certificate without its key',
      '[network]\nclient_cert_file = "a.pem"',
      'f.toml:2: [network] client_cert_file: requires client_key_file as well',
    ],
    [
      'a key without its client certificate',
      '[network]\nclient_key_file = "a.pem"',
      'f.toml:2: [network] client_key_file: requires client_cert_file as well',
    ],
    [
      'an invalid IP address',
      '[network]\nlocal_address = "eth0"',
      'f.toml:2: [network] local_address: must be an IP address, such as "192.0.2.10"',
    ],
    [
      'a maximum of 0 connections',
      '[network]\nmax_connections = 0',
      'f.toml:2: [network] max_connections: must be at least 1',
    ],
    [
      'an unknown strategy',
      '[router]\nstrategy = "roundrobin"',
      'f.toml:2: [router] strategy: "roundrobin" is not a valid value; did you mean "round-robin"?',
    ],
    [
      'an unknown error kind',
      '[retry]\nretryable_errors = ["timeouts"]',
      'f.toml:2: [retry] retryable_errors: "timeouts" is not an error kind; did you mean "timeout"?',
    ],
    [
      'a wrong number of weights',
      '[models.fast]\ntargets = ["openai/a", "groq/b"]\nweights = [1]',
      'f.toml:3: [models.fast] weights: must have one weight per target, but there are 2 targets and 1 weights',
    ],
    [
      'a weight of 0',
      '[models.fast]\ntargets = ["openai/a"]\nweights = [0]',
      'f.toml:3: [models.fast] weights: must be greater than 0',
    ],
    [
      'a chain with an unknown provider as target',
      '[[chains]]\ntargets = ["opnai/a"]',
      'f.toml:2: [[chains]] targets: unknown provider "opnai"; did you mean "openai"?',
    ],
    [
      'a chain for an unknown provider',
      '[[chains]]\nmodel = "opnai/b"\ntargets = ["openai/a"]',
      'f.toml:2: [[chains]] model: unknown provider "opnai"; did you mean "openai"?',
    ],
    [
      'two chains for one model',
      '[[chains]]\ntargets = ["openai/a"]\n[[chains]]\ntargets = ["groq/a"]',
      'f.toml:3: [[chains]] model: the default model already has a chain; put all targets into one',
    ],
    ['an unknown table', '[timeout]\nidle = "1s"', 'f.toml:1: [timeout]: unknown table; did you mean [timeouts]?'],
    [
      'a table that resembles no other',
      '[xyz]',
      'f.toml:1: [xyz]: unknown table; the tables are [client], [timeouts], [proxy], [network], [healing], [router], [retry], [breaker], [cache], [server], [[server.keys]], [chat], [[providers]], [models.NAME], [[chains]], [guardrails.NAME], [strategies.NAME], [prices."provider/model"]',
    ],
    [
      'an unknown list',
      '[[provider]]\ntype = "openai"',
      'f.toml:1: [[provider]]: unknown table; did you mean [[providers]]?',
    ],
    [
      'a list written as a table',
      '[providers]\ntype = "openai"',
      'f.toml:1: [[providers]]: write [[providers]] on its own line and its keys, such as type, below it',
    ],
    [
      'a table written as a list',
      '[[client]]\nmax_tokens = 5',
      'f.toml:1: [client]: write [client] on its own line and its keys, such as default_model, below it',
    ],
    [
      'an alias that is not a table',
      '[models]\nfast = ["openai/x"]',
      'f.toml:2: [models.fast]: write [models.fast] on its own line and its keys, such as targets, below it',
    ],
    ['a wrong type', '[client]\nmax_tokens = "5"', 'f.toml:2: [client] max_tokens: must be an integer, not a string'],
    ['a number too small', '[client]\nmax_tokens = 0', 'f.toml:2: [client] max_tokens: must be at least 1'],
    [
      'a fraction above 1',
      '[healing]\nmin_confidence = 70',
      'f.toml:2: [healing] min_confidence: must be between 0 and 1',
    ],
    ['an empty name', '[client]\ndefault_model = " "', 'f.toml:2: [client] default_model: must not be empty'],
    [
      'a bare number for a duration',
      '[client]\ndefault_timeout = 30',
      'f.toml:2: [client] default_timeout: 30 has no unit; write "30s" for seconds or "30ms" for milliseconds',
    ],
    [
      'a duration longer than a timer supports',
      '[timeouts]\nidle = "25d"',
      'f.toml:2: [timeouts] idle: must be shorter than 24 days; "0s" means no limit',
    ],
    [
      'a missing type',
      '\n[[providers]]\nname = "x"',
      /^f.toml:2: \[\[providers\]\] type: is required: one of openai, /,
    ],
    [
      'an unknown type',
      '[[providers]]\ntype = "antropic"',
      'f.toml:2: [[providers]] type: "antropic" is not a valid value; did you mean "anthropic"?',
    ],
    [
      'a repeated name',
      '[[providers]]\ntype = "openai"\n[[providers]]\ntype = "openai"',
      'f.toml:3: [[providers]] name: "openai" is already the name of another provider; choose a different name',
    ],
    [
      'a name with a slash',
      '[[providers]]\nname = "a/b"\ntype = "openai"',
      'f.toml:2: [[providers]] name: must be one word without a slash, because it is the first part of provider/model',
    ],
    [
      'a compatible server without a URL',
      '[[providers]]\nname = "x"\ntype = "openai-compatible"',
      'f.toml:1: [[providers]] base_url: is required for type "openai-compatible"',
    ],
    [
      'a compatible server with an invalid URL',
      '[[providers]]\ntype = "openai-compatible"\nbase_url = "localhost"',
      'f.toml:3: [[providers]] base_url: must be an http or https URL, such as "https://api.example.com/v1"',
    ],
    [
      'a field the simulated model ignores',
      '[[providers]]\ntype = "simulated"\ntimeout = "1s"',
      'f.toml:3: [[providers]] timeout: has no effect for type "simulated"; remove it',
    ],
    [
      'a field of the simulated model at another provider',
      '[[providers]]\ntype = "openai"\nseed = 1',
      'f.toml:3: [[providers]] seed: has no effect for type "openai"; remove it',
    ],
    [
      'a header with an invalid name',
      '[[providers]]\ntype = "openai"\nheaders = { "x y" = "1" }',
      'f.toml:3: [[providers]] headers: "x y" is not a valid header name',
    ],
    [
      'a header with an invalid value',
      '[[providers]]\ntype = "openai"\nheaders = { x = "1\\n2" }',
      'f.toml:3: [[providers]] headers: the value of x contains a character that is not allowed in a header',
    ],
    [
      'an alias without targets',
      '[models.fast]\ntargets = []',
      'f.toml:2: [models.fast] targets: must name at least one target, such as "openai/gpt-4o"',
    ],
    ['an empty alias', '[models.fast]', 'f.toml:1: [models.fast] targets: is required: a list of strings'],
    [
      'a target without a provider',
      '[models."my model"]\ntargets = ["gpt-4o"]',
      'f.toml:2: [models."my model"] targets: "gpt-4o" names no provider; write provider/model, such as "openai/gpt-4o"',
    ],
    [
      'a target at an unknown provider',
      '[models.fast]\ntargets = [\n"openai/x",\n"zzz/x"]',
      'f.toml:4: [models.fast] targets: unknown provider "zzz"; add it to [[providers]]',
    ],
    [
      'a target at a protocol instead of a provider',
      '[models.fast]\ntargets = ["openai-compatible/x"]',
      'f.toml:2: [models.fast] targets: unknown provider "openai-compatible"; add it to [[providers]]',
    ],
    [
      'a provider without forwarded routes',
      '[server]\nforward_providers = ["ollama"]',
      'f.toml:2: [server] forward_providers: "ollama" has no routes to which requests are forwarded; remove it',
    ],
    [
      'an unknown provider for forwarded requests',
      '[server]\nforward_providers = ["openai", "opnai"]',
      'f.toml:2: [server] forward_providers: unknown provider "opnai"; did you mean "openai"?',
    ],
    [
      'an unknown default provider',
      '[client]\ndefault_provider = "opnai"',
      'f.toml:2: [client] default_provider: unknown provider "opnai"; did you mean "openai"?',
    ],
    [
      'a negative price',
      '[prices."openai/x"]\ninput = -1',
      'f.toml:2: [prices."openai/x"] input: must be at least 0: it is in US dollars per million tokens',
    ],
    [
      'a price without a provider',
      '[prices."gpt-4o"]\ninput = 1',
      'f.toml:1: [prices.gpt-4o]: must include the provider, as in [prices."openai/gpt-4o"]',
    ],
    [
      'a price at an unknown provider',
      '[prices."opnai/gpt-4o"]\ninput = 1',
      'f.toml:1: [prices."opnai/gpt-4o"]: unknown provider "opnai"; did you mean "openai"?',
    ],
    ...(
      [
        ['a chain', '[[chains]]\nmodel = "gpt-*"\ntargets = ["openai/gpt-4o"]', 2, '[[chains]] model', 'gpt-*'],
        ['a provider', '[[providers]]\ntype = "openai"\nmodels = ["gpt-*"]', 3, '[[providers]] models', 'gpt-*'],
        ['the default', '[client]\ndefault_model = "claude-*"', 2, '[client] default_model', 'claude-*'],
        ['a price', '[prices."openai/gpt-*"]\ninput = 1', 1, '[prices."openai/gpt-*"]', 'openai/gpt-*'],
      ] as const
    ).map(
      ([where, file, line, field, name]) =>
        [
          `a pattern as a model name: ${where}`,
          file,
          `f.toml:${line}: ${field}: "${name}" is a pattern, but only aliases, such as [models."claude-*"], may be one; write the full name`,
        ] as const,
    ),
    [
      'a star in a target of an exact alias',
      '[models.fast]\ntargets = ["openai/*"]',
      'f.toml:1: [models.fast]: "openai/*" has a *, but the alias "fast" has none',
    ],
    [
      'a pattern with two stars',
      '[models."a*b*"]\ntargets = ["openai/x"]',
      'f.toml:1: [models."a*b*"]: "a*b*" has more than one *; write one',
    ],
    ['text that is not TOML', '[client]\nmax_tokens = ', 'f.toml:2:14: not valid TOML: invalid value'],
    [
      'a duplicate key',
      '[client]\nmax_tokens = 1\nmax_tokens = 2',
      'f.toml:3:1: not valid TOML: trying to redefine an already defined table or value',
    ],
  ] as const) {
    test(what, async () => {
      if (typeof message === 'string') assert.equal(await messageOf(text), message);
      else assert.match(await messageOf(text), message);
    });
  }
});

describe('an API key in the file', () => {
  for (const [what, text] of [
    ['as api_key', '[[providers]]\ntype = "openai"\napi_key = "sk-secret"'],
    ['as api_key_env', '[[providers]]\ntype = "openai"\napi_key_env = "sk-secret"'],
    ['as a list', '[[providers]]\ntype = "openai"\napi_key_env = ["sk-secret", 1]'],
    ['in a header', '[[providers]]\ntype = "openai"\nheaders = { Authorization = "Bearer sk-secret" }'],
    ['in a dotted header', '[[providers]]\ntype = "openai"\nheaders.x-api-key = "sk-secret"'],
    ['in a token header', '[[providers]]\ntype = "openai"\nheaders = { "X-Auth-Token" = "sk-secret" }'],
    ['in a URL', '[[providers]]\ntype = "openai"\nbase_url = "https://me:sk-secret@example.com"'],
    ['in the URL of a proxy', '[client]\n\n[proxy]\nhttps = "https://me:sk-secret@example.com"'],
    ['in an unfinished line', '[[providers]]\ntype = "openai"\napi_key = "sk-secret'],
  ] as const) {
    test(`${what} is rejected and not repeated`, async () => {
      const message = await messageOf(text);
      assert.match(message, /^f.toml:[34]/);
      assert.doesNotMatch(message, /secret/);
    });
  }

  test('gets a message that says where to put it', async () => {
    const text = '[[providers]]\ntype = "openai"\napi_key = "sk-secret"';
    assert.match(await messageOf(text), /put it in an environment variable and set api_key_env to its name$/);
  });
});

test('all problems of a file are reported together, in line order', async () => {
  const text = '[models.fast]\ntargets = ["zzz/x"]\n[client]\nmax_tokens = "a"\n[zzz]\n[timeouts]\nidle = 5';
  const lines = (await messageOf(text)).split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(': ', 2).join(': ')),
    [
      'f.toml:2: [models.fast] targets',
      'f.toml:4: [client] max_tokens',
      'f.toml:5: [zzz]',
      'f.toml:7: [timeouts] idle',
    ],
  );
  await assert.rejects(parseConfig(text, 'f.toml'), { field: '[models.fast] targets' });
});

test('names of Object.prototype members are ordinary names', async () => {
  const { models } = await parseConfig('[models.__proto__]\ntargets = ["openai/x"]', 'f.toml');
  assert.deepEqual(Object.entries(models), [['__proto__', { targets: ['openai/x'] }]]);
  for (const table of ['client', 'cache']) {
    const unknown = `f.toml:2: [${table}] constructor: unknown key`;
    assert.ok((await messageOf(`[${table}]\nconstructor = 1`)).startsWith(unknown), table);
  }
});

test('any text gives settings or a configuration error', async () => {
  const line = fc.constantFrom(
    '[client]',
    '[[providers]]',
    '[providers]',
    '[models.a]',
    '[timeouts]',
    'type = "openai"',
    'type = 1979-05-27',
    'targets = ["openai/x", "y"]',
    'targets = { a = 1 }',
    'headers = { a = "b" }',
    'headers.a.b = 1',
    'idle = "1s"',
    'client = 5',
    'providers = [1]',
    'models = []',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(line).map((lines) => lines.join('\n')),
  );
  await fc.assert(
    fc.asyncProperty(text, async (any) => {
      await parseConfig(any, 'f.toml').catch((error: unknown) => {
        assert.ok(error instanceof SimpleAgentsError && error.kind === 'configuration', String(error));
        assert.match(error.message, /^f.toml:\d+/);
      });
    }),
  );
});

const problemOf = async (text: string): Promise<string> =>
  parseConfig(text, 'f.toml').then(
    () => 'valid',
    (error: Error) => error.message,
  );

describe('[[server.keys]]', () => {
  const digest = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';
  const entry = (name: string, hash = digest, scopes = '["call"]') =>
    `[[server.keys]]\nname = "${name}"\nhash = "${hash}"\nscopes = ${scopes}\n`;
  test('has the name, hash and scopes of every key; a list of hashes works too', async () => {
    const text = `[server]\nport = 1\n${entry('alice')}${entry('prometheus', 'a'.repeat(64), '["metrics"]')}`;
    const { server, 'server.keys': keys } = await parseConfig(text, 'f.toml');
    assert.deepEqual(server, { port: 1 });
    assert.deepEqual(keys, [
      { name: 'alice', hash: digest, scopes: ['call'] },
      { name: 'prometheus', hash: 'a'.repeat(64), scopes: ['metrics'] },
    ]);
    const old = await parseConfig(`[server]\nkeys = ["${digest}"]\n`, 'f.toml');
    assert.deepEqual([old.server.keys, old['server.keys']], [[digest], []]);
  });

  const wrong: Readonly<Record<string, readonly [text: string, problem: string]>> = {
    'a scope that does not exist': [
      entry('alice', digest, '["call", "metric"]'),
      'f.toml:4: [[server.keys]] scopes: "metric" is not a scope; did you mean "metrics"?',
    ],
    'no scope': [
      entry('alice', digest, '[]'),
      'f.toml:4: [[server.keys]] scopes: must name at least one of call, metrics, account',
    ],
    'a duplicate name': [
      entry('alice') + entry('alice', 'a'.repeat(64)),
      'f.toml:6: [[server.keys]] name: "alice" is already the name of another key; choose a different name',
    ],
    'a duplicate hash': [
      entry('alice') + entry('bob', digest.toUpperCase()),
      'f.toml:7: [[server.keys]] hash: is also the hash of another key; keep one entry with the scopes of both',
    ],
    'an unknown key': [
      `${entry('alice')}scope = "call"\n`,
      'f.toml:5: [[server.keys]] scope: unknown key; did you mean "scopes"?',
    ],
    'a single table': [
      entry('alice').replace('[[server.keys]]', '[server.keys]'),
      'f.toml:1: [[server.keys]]: write [[server.keys]] on its own line and its keys, such as name, below it',
    ],
    'no scopes': [
      entry('alice').replace(/scopes.*/, ''),
      'f.toml:1: [[server.keys]] scopes: is required: a list of strings',
    ],
    'no name': [entry('alice').replace(/name.*/, ''), 'f.toml:1: [[server.keys]] name: is required: a string'],
    'no hash': [entry('alice').replace(/hash.*/, ''), 'f.toml:1: [[server.keys]] hash: is required: a string'],
  };
  for (const [name, [text, problem]] of Object.entries(wrong)) {
    test(`${name} is rejected`, async () => assert.equal(await problemOf(text), problem));
  }

  test('the hash of an empty text is rejected, whichever command made it', async () => {
    for (const text of ['', '\n', ' ']) {
      const empty = createHash('sha256').update(text).digest('hex');
      assert.match(
        await problemOf(entry('alice', empty)),
        /^f\.toml:3: \[\[server\.keys\]\] hash: is the SHA-256 hash of an empty text/,
      );
      const listed = await problemOf(`[server]\nkeys = ["${digest}", "${empty.toUpperCase()}"]\n`);
      assert.match(listed, /^f\.toml:2: \[server\] keys: entry 2 is the SHA-256 hash of an empty text/);
    }
  });

  test('a key in place of its hash or its name is rejected and not repeated', async () => {
    const key = 'sk-live-4f8a9b2c3d4e5f60718293a4b5c6d7e8f9012345';
    assert.match(await problemOf(entry('alice', key)), /^f\.toml:3: \[\[server\.keys\]\] hash: must be the SHA-256/);
    assert.match(await problemOf(entry(key)), /^f\.toml:2: \[\[server\.keys\]\] name: must have 1 to 40 letters/);
    for (const text of [entry('alice', key), entry(key)]) assert.doesNotMatch(await problemOf(text), /sk-live/);
  });
});

describe('loading', () => {
  let folder = '';
  const write = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content);
  const load = (path?: string | false) =>
    loadSettings({ cwd: folder, env: {}, ...(path === undefined ? {} : { path }) });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simple-agents-load-'));
    await mkdir(join(folder, 'folder.toml'));
  });
  after(() => rm(folder, { recursive: true }));

  test('without a file gives the defaults', async () => {
    const settings = await load();
    assert.equal('file' in settings, false);
    assert.deepEqual(settings.providers, [{ name: 'simulated', type: 'simulated' }]);
  });

  test('an empty file in a default location gives the same; a named one is rejected', async () => {
    const name = 'simple-agents.toml';
    for (const text of ['', '\n', '# nothing yet\n', '\ufeff']) {
      await write(name, text);
      const { file, ...settings } = await load();
      assert.equal(file, join(folder, name));
      assert.deepEqual(settings, await load(false));
      const message = /^simple-agents\.toml: the file is empty or has only comments; restore its settings/;
      await assert.rejects(load(name), { kind: 'configuration', message });
      const env = { SIMPLE_AGENTS_CONFIG: name };
      await assert.rejects(loadSettings({ cwd: folder, env }), { kind: 'configuration', message });
    }
    await rm(join(folder, name));
  });

  test('a complete file gives all of its settings', async () => {
    await write(
      'whole.toml',
      `[client]
default_model = "fast"
default_timeout = "5s"
[timeouts]
connect = "1s"
[proxy]
https = "http://proxy:1"
no_proxy = ["a", "b"]
[network]
ca_file = "ca.pem"
client_cert_file = "/etc/client.pem"
client_key_file = "../key.pem"
max_connections = 20
http2 = true
local_address = "127.0.0.1"
keep_alive = "5s"
[healing]
strict_mode = true
allow_type_coercion = false
min_confidence = 0.5
[cache]
enabled = true
backend = "redis"
ttl = "10m"
max_size = "1MB"
url_env = "MY_REDIS"
timeout = "80ms"
[server]
port = 8080
keys = ["2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"]
cors_origins = ["https://app.example.com"]
drain = "5s"
[chat]
tools = ["./tools.ts"]
rate_limit = 5
[[providers]]
name = "work"
type = "anthropic"
api_key_env = "WORK_KEY"
headers = { "x-team" = "a" }
timeout = "7s"
heal_tools = true
max_retries = 0
weight = 2
[[providers]]
type = "simulated"
script = "sub/replies.json"
[router]
strategy = "latency"
fallback_enabled = false
fallback_on = ["timeout"]
on_cut = "continue"
[retry]
max_attempts = 5
jitter = false
retryable_errors = ["overloaded"]
max_retry_after = "5s"
[breaker]
window = "10s"
failure_ratio = 0.7
[models.fast]
targets = ["work/claude", "simulated/m"]
strategy = "weighted"
weights = [3, 1.5]
[[chains]]
model = "work/claude"
targets = ["simulated/m"]
fallback_on = ["quota"]
[prices."work/claude"]
input = 1
cache_read = 0.1
context_window = 1000
`,
    );
    const settings = await loadSettings({
      path: 'whole.toml',
      cwd: folder,
      env: { WORK_KEY: 'key', MY_REDIS: 'redis://r' },
    });
    assert.deepEqual(settings, {
      file: join(folder, 'whole.toml'),
      defaultModel: 'fast',
      aliases: { fast: { targets: ['work/claude', 'simulated/m'], strategy: 'weighted', weights: [3, 1.5] } },
      router: { strategy: 'latency', fallbackEnabled: false, fallbackOn: ['timeout'], onCut: 'continue' },
      retry: { maxAttempts: 5, jitter: false, retryableErrors: ['overloaded'], maxRetryAfter: 5000 },
      breaker: { window: 10_000, failureRatio: 0.7 },
      chains: [{ model: 'work/claude', targets: ['simulated/m'], fallbackOn: ['quota'] }],
      spares: ['work', 'simulated'],
      timeouts: { connect: 1000, firstToken: 5000, plainTotal: 5000 },
      proxy: { httpsProxy: 'http://proxy:1', noProxy: 'a,b' },
      network: {
        caFile: join(folder, 'ca.pem'),
        clientCertFile: '/etc/client.pem',
        clientKeyFile: join(folder, '../key.pem'),
        maxConnections: 20,
        http2: true,
        localAddress: '127.0.0.1',
        keepAlive: 5000,
      },
      hasOwnSimulated: true,
      healing: { enabled: true, strict: true, coerceTypes: false, minConfidence: 0.5 },
      prices: { 'work/claude': { input: 1, cacheRead: 0.1, contextWindow: 1000 } },
      cache: {
        enabled: true,
        backend: 'redis',
        ttl: 600_000,
        share: false,
        maxBytes: 1_048_576,
        url: 'redis://r',
        urlEnv: 'MY_REDIS',
        timeout: 80,
      },
      server: {
        host: '127.0.0.1',
        port: 8080,
        keys: ['2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b'],
        corsOrigins: ['https://app.example.com'],
        bodyLimit: 33_554_432,
        maxBodyValues: 100_000,
        uploadLimit: 536_870_912,
        maxConnections: 10_000,
        requestTimeout: 120_000,
        keepAlive: 15_000,
        drain: 5000,
        logLevel: 'info',
      },
      chat: {
        tools: [join(folder, 'tools.ts')],
        temperature: 0.3,
        maxTokens: 4096,
        rateLimit: 5,
        rateWindow: 60_000,
        logToolInput: false,
      },
      providers: [
        {
          name: 'work',
          type: 'anthropic',
          keyEnv: 'WORK_KEY',
          healTools: true,
          apiKey: 'key',
          headers: { 'x-team': 'a' },
          timeouts: { firstToken: 7000, plainTotal: 7000 },
          maxRetries: 0,
          weight: 2,
        },
        { name: 'simulated', type: 'simulated', script: join(folder, 'sub', 'replies.json') },
      ],
    });
  });

  test('code overrides the file', async () => {
    await write('model.toml', '[client]\ndefault_model = "file"');
    const overrides = { defaultModel: 'code' };
    const settings = await loadSettings({ path: 'model.toml', cwd: folder, env: {}, overrides });
    assert.equal(settings.defaultModel, 'code');
  });

  test('a key that is not set is not an error', async () => {
    await write('keyless.toml', '[[providers]]\ntype = "openai"\napi_key_env = "NOT_SET"');
    const { providers } = await load('keyless.toml');
    assert.deepEqual(providers[0], { name: 'openai', type: 'openai', keyEnv: 'NOT_SET' });
  });

  test('names the file by its shortest path', async () => {
    await write('wrong.toml', '[client]\nmax_tokens = 0');
    const cwd = join(folder, 'folder.toml');
    await assert.rejects(load('wrong.toml'), { message: 'wrong.toml:2: [client] max_tokens: must be at least 1' });
    await assert.rejects(loadSettings({ path: '../wrong.toml', cwd, env: {} }), {
      message: `${join(folder, 'wrong.toml')}:2: [client] max_tokens: must be at least 1`,
    });
  });

  test('a directory and a file that is not UTF-8 are rejected', async () => {
    await write('binary.toml', new Uint8Array([0xff, 0xfe, 0x61, 0x00]));
    await assert.rejects(load('folder.toml'), {
      kind: 'configuration',
      message: 'folder.toml: is a directory, not a file',
    });
    await assert.rejects(load('binary.toml'), {
      kind: 'configuration',
      message: 'binary.toml: is not UTF-8 text; save the file as UTF-8',
    });
  });

  test('a file that cannot be read is rejected with the reason', async () => {
    await symlink('circle.toml', join(folder, 'circle.toml'));
    await assert.rejects(load('circle.toml'), {
      kind: 'configuration',
      message: 'circle.toml: cannot be read (ELOOP)',
    });
    await assert.rejects(readConfigText(join(folder, 'gone.toml'), folder), {
      kind: 'configuration',
      message: 'gone.toml: file not found',
    });
  });

  test(
    'a file without read permission is rejected',
    { skip: process.getuid?.() === 0 && 'root may read everything' },
    async () => {
      await write('locked.toml', '');
      await chmod(join(folder, 'locked.toml'), 0);
      await assert.rejects(load('locked.toml'), {
        kind: 'configuration',
        message: 'locked.toml: permission denied; check the permissions of the file',
      });
    },
  );
});
