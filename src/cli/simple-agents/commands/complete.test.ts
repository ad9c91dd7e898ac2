// `complete` with the built-in model, and over real HTTP with both wires.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MemoryTerminal, runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createSimulateServer, type SimulateServer } from '../../../testing/simulate/server.ts';
import { main } from '../main.ts';

const folder = temporaryFolder();
const cwd = folder.path;
const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
folder.write('cat.png', png);
folder.write(
  'script.json',
  JSON.stringify({
    otherwise: 'reply',
    replies: [
      { match: 'cut short', text: 'Half an', stopReason: 'length' },
      { match: 'say nothing', blocks: [], stopReason: 'end' },
      { match: 'refuse', blocks: [], stopReason: 'refusal' },
      { match: 'two lines', text: 'one\ntwo\n' },
      { match: 'break', text: 'It goes well until', fault: { errorAfterEvents: 3 } },
      { match: 'slow', text: 'one two three four five six seven eight nine ten', fault: { slow: 50 } },
      { match: 'escape', text: '\u001b[2Jgone' },
    ],
  }),
);
folder.write('scripted.toml', '[[providers]]\ntype = "simulated"\nscript = "script.json"\n');

const complete = (argv: readonly string[], options: MemoryOptions = {}) =>
  runCli(['complete', ...argv], { cwd, ...options });
const scripted = (argv: readonly string[], options: MemoryOptions = {}) =>
  complete(['--config', 'scripted.toml', ...argv], options);

describe('the response as text', () => {
  test('is on stdout, with a note on stderr that it is simulated', async () => {
    const { exitCode, out, err } = await complete(['Count to 5']);
    assert.deepEqual([exitCode, out], [0, '1, 2, 3, 4, 5\n']);
    assert.equal(
      err,
      'note: no API key found; using the simulated model. Run "simple-agents providers" to see the supported keys\n',
    );
  });

  test('is the same if streamed, and --quiet prints nothing else', async () => {
    assert.deepEqual(await complete(['--message', 'Count to 5', '--stream', '-q']), {
      exitCode: 0,
      out: '1, 2, 3, 4, 5\n',
      err: '',
    });
  });

  test('gets a final newline only if it has none', async () => {
    assert.equal((await scripted(['two lines'])).out, 'one\ntwo\n');
    assert.equal((await scripted(['two lines', '--stream'])).out, 'one\ntwo\n');
  });

  test('has a note if it is cut off, refused or empty', async () => {
    assert.match((await scripted(['cut short'])).err, /note: the response was cut off at the token limit/);
    assert.match((await scripted(['say nothing'])).err, /note: the response has no text/);
    assert.match((await scripted(['refuse'])).err, /note: the model refused to respond/);
    assert.equal((await scripted(['cut short', '--quiet'])).err, '');
  });

  test('cannot control the screen', async () => {
    assert.match((await scripted(['escape'], { isTTY: true })).out, /^␛\[2Jgone/);
    assert.equal((await scripted(['escape'])).out, '\u001b[2Jgone\n');
  });

  test('has dim notes on a screen, plain ones with NO_COLOR', async () => {
    assert.ok((await complete(['hi'], { isTTY: true })).err.startsWith('\u001b[2mnote: '));
    assert.match((await complete(['hi'], { isTTY: true, env: { NO_COLOR: '1' } })).err, /^note: /);
  });
});

describe('--verbose', () => {
  test('reports the progress and cost of the call on stderr, also with --quiet', async () => {
    for (const flags of [['-q'], ['-q', '--stream'], ['-q', '--output', 'json']]) {
      const { out, err } = await complete(['Count to 3', '--verbose', ...flags]);
      assert.match(out, /1, 2, 3/);
      assert.match(
        err,
        /^calling simulated\/simulated\nattempt 1 at simulated\/simulated\nfirst token after [\d.]+ m?s\nresponse from simulated\/simulated, [\d.]+ m?s, 6 in, 2 out, \$0\n$/,
      );
    }
  });

  test('reports how a call failed', async () => {
    const { exitCode, err } = await complete(['x', '-v', '-q', '--base-url', 'http://127.0.0.1:9/v1', '-m', 'm']);
    assert.equal(exitCode, 6);
    assert.match(
      err,
      /^calling openai-compatible\/m\nattempt 1 at openai-compatible\/m\nattempt 1 failed after [\d.]+ m?s: network/,
    );
    assert.match(
      err,
      /\nwaiting [\d.]+ m?s before the next attempt\nattempt 2 at [^]*\nfailed after [\d.]+ m?s: network: could not/,
    );
  });
});

describe('the response as JSON', () => {
  test('is one object', async () => {
    const { out } = await complete(['Count to 3', '--output', 'json']);
    const { message, ...rest } = JSON.parse(out) as Record<string, unknown> & { message: { content: unknown } };
    assert.deepEqual(message.content, [{ type: 'text', text: '1, 2, 3' }]);
    assert.deepEqual(rest, {
      text: '1, 2, 3',
      toolCalls: [],
      stopReason: 'end',
      usage: { input: 6, output: 2 },
      cost: 0,
      model: 'simulated',
      target: 'simulated',
      notices: [],
    });
  });

  test('is one event per line if streamed', async () => {
    const { out } = await complete(['Count to 3', '--output', 'json', '--stream']);
    const events = out.trimEnd().split('\n');
    const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
    assert.equal(types[0], 'message-start');
    assert.equal(types.at(-1), 'message-end');
    assert.ok(types.filter((type) => type === 'text-delta').length > 1);
  });

  test('is an object if the call fails too', async () => {
    const { exitCode, out, err } = await scripted(['break', '--output', 'json', '-q']);
    assert.deepEqual([exitCode, err], [6, '']);
    const { error } = JSON.parse(out) as { error: { kind: string; exitCode: number } };
    assert.deepEqual([error.kind, error.exitCode], ['overloaded', 6]);
  });

  test('ends with the failure if streamed', async () => {
    const { exitCode, out } = await scripted(['break', '--output', 'json', '--stream', '-q']);
    const last = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { type: string; error: { kind: string } };
    assert.deepEqual([exitCode, last.type, last.error.kind], [6, 'error', 'overloaded']);
  });
});

describe('the request', () => {
  test('has the prompt from standard input if there is no other', async () => {
    assert.match((await complete([], { input: 'Count to 4' })).out, /^1, 2, 3, 4\n/);
    assert.match((await complete(['Repeat:', '-'], { input: 'piped' })).out, /You said: “Repeat:\n\npiped”/);
  });

  test('has images', async () => {
    const { out } = await complete(['What is it?', '--image', 'cat.png', '--image', 'https://example.com/dog.png']);
    assert.match(out, /You attached 2: image \(image\/png\), image \(url\)/);
  });

  test('is not sent with a file that is not an image', async () => {
    const { exitCode, err } = await complete(['What is it?', '--image', 'scripted.toml']);
    assert.equal(exitCode, 2);
    assert.match(err, /--image scripted\.toml: is not a PNG/);
  });

  test('has a limit', async () => {
    const { out, err } = await complete(['Count to 500', '--max-tokens', '10']);
    assert.ok(out.length < 60);
    assert.match(err, /token limit/);
  });

  test('is not sent without a prompt', async () => {
    const { exitCode, err } = await complete([], { isTTY: true, env: { NO_COLOR: '1' } });
    assert.equal(exitCode, 2);
    assert.match(err, /^simple-agents: no prompt given; pass one, as in simple-agents complete/);
  });
});

test('a failure in the middle is printed below the response', async () => {
  const { exitCode, out, err } = await scripted(['break', '--stream', '-q']);
  assert.equal(exitCode, 6);
  assert.match(out, /^It .*\n$/);
  assert.match(err, /^simple-agents: /);
});

test('Ctrl-C ends it with 130 and keeps the output', async () => {
  const terminal = new MemoryTerminal({ cwd });
  const ended = main(['complete', 'slow', '--stream', '-q', '--config', 'scripted.toml'], terminal);
  await terminal.shows(/two/);
  terminal.send('SIGINT');
  assert.equal(await ended, 130);
  assert.match(terminal.out, /^one two .*\n$/);
  assert.doesNotMatch(terminal.out, /ten/);
  assert.equal(terminal.err, '');
});

test('a mistake in the configuration is reported with its position', async () => {
  folder.write('wrong.toml', '[client]\ndefault_timeout = 30\n');
  const { exitCode, err } = await complete(['hi', '--config', 'wrong.toml']);
  assert.equal(exitCode, 2);
  assert.match(err, /^simple-agents: wrong\.toml:2: \[client\] default_timeout: 30 has no unit/);
});

describe('over HTTP', () => {
  let server: SimulateServer;
  before(async () => {
    server = await createSimulateServer();
  });
  after(() => server.close());

  const wires = {
    openai: () => ({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${server.url}/v1` }),
    anthropic: () => ({ ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: server.url }),
  };
  const faults: readonly (readonly [string, string, number])[] = [
    ['bad-request', '"x-simulate-status" = "400"', 2],
    ['auth', '"x-simulate-status" = "401"', 3],
    ['rate-limit', '"x-simulate-status" = "429", "x-simulate-retry-after" = "2"', 4],
    ['not-found', '"x-simulate-status" = "404"', 5],
    ['upstream', '"x-simulate-status" = "500"', 6],
    ['overloaded', '"x-simulate-status" = "503"', 6],
    ['network', '"x-simulate-reset" = "true"', 6],
    ['bad-response', '"x-simulate-content-type" = "text/html"', 7],
  ];

  for (const [name, env] of Object.entries(wires)) {
    test(`${name}: text, streamed and complete`, async () => {
      const expected = { exitCode: 0, out: '1, 2, 3, 4, 5\n', err: '' };
      assert.deepEqual(await complete(['-m', name, 'Count to 5'], { env: env() }), expected);
      assert.deepEqual(await complete(['-m', name, 'Count to 5', '--stream'], { env: env() }), expected);
    });

    test(`${name}: an image, a system prompt and the settings arrive`, async () => {
      const argv = ['-m', `${name}/some-model`, 'Look', '--image', 'cat.png', '--system', 'Be brief.'];
      const { exitCode } = await complete([...argv, '--max-tokens', '50', '--temperature', '0.5'], { env: env() });
      assert.equal(exitCode, 0);
      const body = JSON.stringify(server.requests.at(-1)?.body);
      for (const part of ['some-model', png.toString('base64'), 'Be brief.', '0.5', '50']) {
        assert.ok(body.includes(part), part);
      }
    });

    for (const [kind, headers, expected] of faults) {
      test(`${name}: ${kind} ends with ${expected}`, async () => {
        const type = `${name}-compatible`;
        const address = name === 'openai' ? `${server.url}/v1` : server.url;
        const file = `${name}-${kind}.toml`;
        const key = 'api_key_env = "KEY"';
        folder.write(
          file,
          `[[providers]]\ntype = "${type}"\nbase_url = "${address}"\n${key}\nheaders = { ${headers} }\n`,
        );
        const argv = ['-m', `${type}/m`, 'hi', '--config', file, '--output', 'json'];
        const { exitCode, out } = await complete(argv, { env: { KEY: 'any' } });
        const { error } = JSON.parse(out) as { error: { kind: string; retryAfterMs?: number } };
        assert.deepEqual([error.kind, exitCode], [kind, expected]);
        if (kind === 'rate-limit') assert.equal(error.retryAfterMs, 2000);
      });
    }
  }

  test('a base URL needs no configuration', async () => {
    const env = { MY_KEY: 'any' };
    const argv = ['--base-url', `${server.url}/v1`, '--api-key-env', 'MY_KEY', '-m', 'llama', 'Count to 2'];
    assert.equal((await complete(argv, { env })).out, '1, 2\n');
  });

  test('a rejected key is not shown', async () => {
    const env = { OPENAI_API_KEY: 'bad-secret-key', OPENAI_BASE_URL: `${server.url}/v1` };
    const { exitCode, out, err } = await complete(['hi'], { env });
    assert.equal(exitCode, 3);
    assert.doesNotMatch(out + err, /bad-secret-key/);
  });
});
