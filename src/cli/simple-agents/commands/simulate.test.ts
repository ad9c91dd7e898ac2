// `simulate`: a server that runs until it is stopped.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryTerminal, runCli } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { main } from '../main.ts';

const folder = temporaryFolder();

async function serve(argv: readonly string[], use: (url: string) => Promise<void>, stop: 'SIGINT' | 'SIGTERM') {
  const terminal = new MemoryTerminal({ cwd: folder.path });
  const ended = main(['simulate', '--port', '0', ...argv], terminal);
  await terminal.shows(/\n/);
  const [line = ''] = terminal.out.split('\n');
  try {
    await use(line.replace('listening on ', ''));
  } finally {
    terminal.send(stop);
  }
  return { exitCode: await ended, out: terminal.out, err: terminal.err };
}

async function ask(url: string, content: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'authorization': 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  });
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

describe('the server', () => {
  test('prints its address and how to use it', async () => {
    const { exitCode, out, err } = await serve(
      [],
      async (url) => assert.equal(await ask(url, 'Count to 3'), '1, 2, 3'),
      'SIGINT',
    );
    assert.equal(exitCode, 0);
    assert.match(out, /^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.match(err, /curl http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/);
    assert.match(err, /OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1 simple-agents complete/);
  });

  test('plays a script, and stops on request', async () => {
    folder.write('replies.json', '{ "replies": [{ "text": "as written" }] }');
    const { exitCode } = await serve(
      ['--script', 'replies.json'],
      async (url) => assert.equal(await ask(url, 'anything'), 'as written'),
      'SIGTERM',
    );
    assert.equal(exitCode, 0);
  });
});

describe('an error', () => {
  test('for a port in use', async () => {
    await serve(
      [],
      async (url) => {
        const { exitCode, err } = await runCli(['simulate', '--port', new URL(url).port]);
        assert.equal(exitCode, 2);
        assert.match(err, /the port is in use; choose another, or 0 for any free port/);
      },
      'SIGINT',
    );
  });

  test('for a remote address without --allow-remote', async () => {
    const { exitCode, err } = await runCli(['simulate', '--host', '0.0.0.0']);
    assert.equal(exitCode, 2);
    assert.match(err, /can be reached from other machines; add --allow-remote/);
  });

  test('for an unknown damage kind', async () => {
    const { exitCode, err } = await runCli(['simulate', '--damage', 'traling-comma']);
    assert.equal(exitCode, 2);
    assert.match(err, /unknown kind "traling-comma"; did you mean "trailing-comma"\?/);
  });

  test('for an invalid or missing script', async () => {
    folder.write('wrong.json', '{ "replies": [{ "txt": "x" }] }');
    const wrong = await runCli(['simulate', '--script', 'wrong.json'], { cwd: folder.path });
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.err, /wrong\.json: replies\[0\]\.txt: .*text/);
    assert.match((await runCli(['simulate', '--script', 'none.json'])).err, /file not found/);
  });
});
