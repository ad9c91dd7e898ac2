// Which model responds with and without keys and addresses: a script never gets a text of the simulated model that it did
// not ask for.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { main } from '../../src/cli/forgeflare/main.ts';
import { projects, startModel } from '../support/forgeflare-process.ts';
import { MemoryTerminal } from '../support/memory-terminal.ts';
import { runCli } from '../support/memory-terminal.ts';

const newProject = projects();

const modes = {
  pipe: { isTTY: false, argv: [] },
  print: { isTTY: true, argv: ['-p'] },
  terminal: { isTTY: true, argv: [] },
} as const;
const formats = ['text', 'json', 'stream-json'] as const;

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

interface RunSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

async function run(argv: readonly string[], { env = {}, isTTY = false, files }: RunSetting = {}): Promise<Outcome> {
  const { path, home } = newProject(files);
  const terminal = new MemoryTerminal({
    isTTY,
    input: '',
    cwd: path,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
  });
  const exitCode = await main(['--sandbox', 'off', ...argv, 'Count to 3'], terminal);
  await new Promise(setImmediate);
  return { exitCode, out: terminal.out, err: terminal.err };
}

interface Report {
  readonly isError: boolean;
  readonly text: string;
  readonly message: string;
}

/** The last line of stdout, or stderr for text. */
function reportOf({ exitCode, out, err }: Outcome, format: (typeof formats)[number]): Report {
  if (format === 'text') return { isError: exitCode !== 0, text: out, message: err };
  const line = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  const { errors = [], result = '' } = line as { readonly errors?: readonly string[]; readonly result?: string };
  if (format === 'json') {
    const error = line['error'] as { readonly message: string } | null;
    return { isError: error !== null, text: `${String(line['result'])}\n`, message: error?.message ?? err };
  }
  return {
    isError: line['is_error'] === true,
    text: `${String(line['result'])}\n`,
    message: [...errors, result].join('\n') + err,
  };
}

interface Access {
  readonly name: string;
  /** For a server that needs no key, and one that does. */
  readonly env: (servers: { readonly open: string; readonly closed: string }) => Readonly<Record<string, string>>;
  readonly expected: (mode: keyof typeof modes, format: (typeof formats)[number]) => 'model' | 'simulated' | RegExp;
}

const refused = /no API key found: set ANTHROPIC_API_KEY, .*--model simulated/;

const accesses: readonly Access[] = [
  {
    name: 'a key',
    env: ({ open }) => ({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: open }),
    expected: () => 'model',
  },
  {
    name: 'no key',
    env: () => ({}),
    expected: (mode, format) => (mode === 'terminal' && format !== 'stream-json' ? 'simulated' : refused),
  },
  {
    name: 'an empty key',
    env: () => ({ ANTHROPIC_API_KEY: ' ' }),
    expected: (mode, format) => (mode === 'terminal' && format !== 'stream-json' ? 'simulated' : refused),
  },
  {
    name: 'ANTHROPIC_BASE_URL without a key',
    env: ({ open }) => ({ ANTHROPIC_BASE_URL: open }),
    expected: () => 'model',
  },
  {
    name: 'ANTHROPIC_API_URL without a key',
    env: ({ open }) => ({ ANTHROPIC_API_URL: open }),
    expected: () => 'model',
  },
  {
    name: 'ANTHROPIC_API_URL without its key, beside the key of another vendor',
    env: ({ open }) => ({ ANTHROPIC_API_URL: open, OPENAI_API_KEY: 'key' }),
    expected: () => 'model',
  },
  {
    name: 'an address of a vendor that needs a key',
    env: ({ open }) => ({ OPENAI_BASE_URL: `${open}/v1` }),
    expected: () => /OPENAI_BASE_URL is set, but OPENAI_API_KEY is not: set it/,
  },
  {
    name: 'an address that is no URL',
    env: () => ({ ANTHROPIC_BASE_URL: 'localhost:1' }),
    expected: () => /environment variable ANTHROPIC_BASE_URL: must be an http or https URL/,
  },
  {
    name: 'a wrong key',
    env: ({ closed }) => ({ ANTHROPIC_API_KEY: 'bad-key', ANTHROPIC_BASE_URL: closed }),
    expected: () => /invalid x-api-key/,
  },
  {
    name: 'no key at an address that needs one',
    env: ({ closed }) => ({ ANTHROPIC_BASE_URL: closed }),
    expected: () => /x-api-key header is required/,
  },
];

/** A server in front of the other one, which needs no key. */
async function withoutKey(context: TestContext, url: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    assert.equal(incoming.headers['x-api-key'] ?? 'key', 'key');
    const headers = { ...incoming.headers, 'x-api-key': 'key' };
    const onward = request(new URL(incoming.url ?? '', url), { method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serversOf(context: TestContext) {
  const closed = await startModel(context, { replies: [{ text: 'From the server.' }] });
  return { open: await withoutKey(context, closed.url), closed: closed.url };
}

for (const { name, env, expected } of accesses) {
  describe(name, () => {
    for (const [mode, { isTTY, argv }] of Object.entries(modes) as [keyof typeof modes, typeof modes.pipe][]) {
      for (const format of formats) {
        test(`${mode}, ${format}`, async (context) => {
          const outcome = await run([...argv, '--output-format', format], {
            isTTY,
            env: env(await serversOf(context)),
          });
          const report = reportOf(outcome, format);
          const wanted = expected(mode, format);
          if (wanted instanceof RegExp) {
            assert.equal(report.isError, true, outcome.out);
            assert.notEqual(outcome.exitCode, 0);
            assert.match(report.message, wanted);
            assert.doesNotMatch(outcome.out, /1, 2, 3/);
            return;
          }
          assert.deepEqual([outcome.exitCode, report.isError], [0, false], outcome.err);
          // At a terminal, escape sequences precede the text.
          assert.ok(report.text.trim().endsWith(wanted === 'model' ? 'From the server.' : '1, 2, 3'), report.text);
          assert.equal(/no API key found; using the simulated model/.test(outcome.err), wanted === 'simulated');
        });
      }
    }
  });
}

describe('the simulated model', () => {
  const own = { 'own.toml': '[[providers]]\nname = "mine"\ntype = "simulated"\n' };
  const asked: readonly (readonly [name: string, argv: readonly string[], setting: RunSetting])[] = [
    ['--model simulated', ['--model', 'simulated'], {}],
    ['--demo', ['--demo'], {}],
    ['--demo with a key', ['--demo'], { env: { ANTHROPIC_API_KEY: 'key' } }],
    ['--demo with an address', ['--demo'], { env: { OPENAI_BASE_URL: 'http://127.0.0.1:1' } }],
    ['--provider simulated', ['--provider', 'simulated'], {}],
    ['a configured provider', ['--config', 'own.toml'], { files: own }],
    [
      'a configured default',
      ['--config', 'own.toml'],
      { files: { 'own.toml': '[client]\ndefault_model = "simulated"\n' } },
    ],
    [
      'a configured alias',
      ['--config', 'own.toml', '-m', 'test'],
      { files: { 'own.toml': '[models.test]\ntargets = ["simulated/simulated"]\n' } },
    ],
  ];
  for (const [name, argv, setting] of asked) {
    test(`responds in a pipe if asked for by ${name}`, async () => {
      const { exitCode, out, err } = await run(['-p', ...argv], setting);
      assert.deepEqual([exitCode, out], [0, '1, 2, 3\n'], err);
    });
  }

  test('does not stand in for an unknown model, or because an alias mentions it', async () => {
    const unknown = await run(['-m', 'nosuch']);
    assert.notEqual(unknown.exitCode, 0);
    assert.equal(unknown.out, '');
    const files = { 'own.toml': '[models.test]\ntargets = ["simulated/simulated"]\n' };
    const other = await run(['--config', 'own.toml'], { files });
    assert.deepEqual([other.exitCode, other.out], [3, '']);
  });

  test('is announced at a terminal even with --quiet', async () => {
    const { err, out } = await run(['--quiet'], { isTTY: true });
    assert.match(err, /using the simulated model/);
    assert.match(out, /1, 2, 3/);
  });

  test('cannot be combined with another model', async () => {
    const { exitCode, err } = await run(['--demo', '--model', 'gpt-5']);
    assert.equal(exitCode, 2);
    assert.match(err, /--demo.*cannot be used with.*--model/);
  });
});

const complete = (env: Readonly<Record<string, string>>, isTTY = false) =>
  runCli(['complete', 'Count to 3'], { env: { HOME: newProject().home, ...env }, cwd: newProject().path, isTTY });

describe('simple-agents complete', () => {
  test('refuses an address without its key', async () => {
    for (const isTTY of [false, true]) {
      const { exitCode, out, err } = await complete({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, isTTY);
      assert.deepEqual([exitCode, out], [3, '']);
      assert.match(err, /OPENAI_BASE_URL is set, but OPENAI_API_KEY is not/);
    }
  });

  test('uses ANTHROPIC_BASE_URL without a key', async (context) => {
    const { open } = await serversOf(context);
    const { exitCode, out, err } = await complete({ ANTHROPIC_BASE_URL: open });
    assert.deepEqual([exitCode, out], [0, 'From the server.\n'], err);
    assert.doesNotMatch(err, /simulated/);
  });

  test('says that the model is simulated if nothing is set', async () => {
    const { exitCode, err } = await complete({});
    assert.equal(exitCode, 0);
    assert.match(err, /no API key found; using the simulated model/);
  });
});
