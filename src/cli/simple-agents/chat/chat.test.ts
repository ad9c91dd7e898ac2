// A chat with piped input: responses on stdout, everything else on stderr. The interactive chat is tested in a
// real terminal, in test/cli/terminal.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MemoryTerminal, runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createSimulateServer, type SimulateServer } from '../../../testing/simulate/server.ts';
import { main } from '../main.ts';

const folder = temporaryFolder();
const cwd = folder.path;
folder.write(
  'script.json',
  JSON.stringify({
    otherwise: 'reply',
    replies: [
      { match: 'fail', fault: { status: 529 } },
      { match: 'no access', fault: { status: 401 } },
      { match: 'slow', text: 'one two three four five six seven eight', fault: { slow: 50 } },
    ],
  }),
);
folder.write('simple-agents.toml', '[[providers]]\ntype = "simulated"\nscript = "script.json"\n');

const chat = (input: string, argv: readonly string[] = [], options: MemoryOptions = {}) =>
  runCli(['chat', ...argv], { input, cwd, ...options });

describe('piped in', () => {
  test('each line is a message, and only responses are on stdout', async () => {
    const { exitCode, out, err } = await chat('Count to 3\n\nCount\\\nto 2\n/model\n');
    assert.deepEqual([exitCode, out], [0, '1, 2, 3\n1, 2\n']);
    assert.equal(err, 'note: using the simulated model\nmodel: simulated\n');
  });

  test('exit ends it, whatever follows', async () => {
    assert.equal((await chat('Count to 2\nexit\nCount to 3\n', ['--quiet'])).out, '1, 2\n');
  });

  test('a failure is reported, the chat continues, and the first failure sets the exit code', async () => {
    const { exitCode, out, err } = await chat('Count to 2\nfail\nno access\n/nothing\nCount to 3\n');
    assert.deepEqual([exitCode, out], [6, '1, 2\n1, 2, 3\n']);
    assert.equal(err.match(/^simple-agents: /gm)?.length, 3);
  });

  test('empty input is not an error', async () => {
    assert.deepEqual(await chat('', ['-q']), { exitCode: 0, out: '', err: '' });
  });

  test('Ctrl-C ends it with 130', async () => {
    const terminal = new MemoryTerminal({ cwd, input: 'slow\nCount to 3\n' });
    const ended = main(['chat', '-q'], terminal);
    await terminal.shows(/two/);
    terminal.send('SIGINT');
    assert.equal(await ended, 130);
    assert.doesNotMatch(terminal.out, /eight|1, 2, 3/);
  });
});

describe('the messages sent to the model', () => {
  let server: SimulateServer;
  before(async () => {
    server = await createSimulateServer({
      script: { otherwise: 'reply', replies: [{ match: { contains: 'fail' }, fault: { status: 500 } }] },
    });
  });
  after(() => server.close());

  test('are the conversation without failed turns', async () => {
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: server.url };
    const argv = ['-m', 'anthropic', '--system', 'Be brief.', '--max-tokens', '100', '-q'];
    const { exitCode } = await chat('Count to 2\nfail\n/system Be long.\nCount to 3\n', argv, { env });
    assert.equal(exitCode, 6);
    const body = server.requests.at(-1)?.body;
    const { system, messages, max_tokens: limit } = body as Record<string, unknown>;
    assert.equal(limit, 100);
    assert.match(JSON.stringify(system), /Be long\./);
    assert.deepEqual(
      (messages as { role: string; content: unknown }[]).map(({ role, content }) => [role, wordsOf(content)]),
      [
        ['user', 'Count to 2'],
        ['assistant', '1, 2'],
        ['user', 'Count to 3'],
      ],
    );
  });

  test('start again after /clear, and use another wire after /model', async () => {
    const env = {
      ANTHROPIC_API_KEY: 'any',
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: 'any',
      OPENAI_BASE_URL: `${server.url}/v1`,
    };
    const earlier = server.requests.length;
    await chat('Count to 2\n/model openai/other\nCount to 3\n/clear\nCount to 4\n', ['-m', 'anthropic', '-q'], { env });
    const asked = server.requests.slice(earlier).map(({ path, body }) => {
      return [path, (body as { messages: unknown[] }).messages.length];
    });
    assert.deepEqual(asked, [
      ['/v1/messages', 1],
      ['/v1/chat/completions', 3],
      ['/v1/chat/completions', 1],
    ]);
  });
});

function wordsOf(content: unknown): unknown {
  return Array.isArray(content) ? (content[0] as { text: string }).text : content;
}
