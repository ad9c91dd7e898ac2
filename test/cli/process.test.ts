// What needs a real process: signals, broken and silent pipes, colours, and loaded modules.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { startCli } from '../support/cli-process.ts';
import { startHttpServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const cwd = temporaryFolder().path;

describe('a signal', () => {
  test('ends a stream with 130, keeps the output, and closes the socket', async (context) => {
    const chunk = { id: '1', model: 'm', choices: [{ index: 0, delta: { content: 'word ' } }] };
    const server = await startHttpServer(context, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    });
    const env = { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${server.origin}/v1` };
    const cli = startCli(context, ['complete', 'hi', '--stream'], { cwd, env });
    await cli.shows(/word/);
    cli.child.kill('SIGINT');
    assert.equal(await cli.ended(), 130);
    assert.deepEqual([cli.out(), cli.err()], ['word \n', '']);
    await server.allClosed();
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`ends the simulator with 0 (${signal})`, async (context) => {
      const cli = startCli(context, ['simulate', '--port', '0'], { cwd });
      await cli.shows(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
      cli.child.kill(signal);
      assert.equal(await cli.ended(), 0);
    });
  }
});

describe('a pipe', () => {
  test('that the reader closed ends it quietly', async (context) => {
    const cli = startCli(context, ['complete', 'Count to 1000', '--stream', '--output', 'json', '-q'], { cwd });
    await once(cli.child.stdout, 'data');
    cli.child.stdout.destroy();
    await cli.ended();
    assert.equal(cli.err(), '');
  });

  test('that stays open and silent does not block a command with a message', async (context) => {
    const cli = startCli(context, ['complete', '--message', 'Count to 3', '-q'], { cwd });
    assert.equal(await cli.ended(), 0);
    assert.equal(cli.out(), '1, 2, 3\n');
  });

  test('can contain a prompt or the messages of a chat', async (context) => {
    const complete = startCli(context, ['complete', '-q'], { cwd });
    complete.child.stdin.end('Count to 4');
    assert.equal(await complete.ended(), 0);
    assert.equal(complete.out(), '1, 2, 3, 4\n');

    const chat = startCli(context, ['chat', '-q'], { cwd });
    chat.child.stdin.write('Count to 2\n');
    await chat.shows(/1, 2\n/);
    chat.child.stdin.end('Count to 3\n');
    assert.equal(await chat.ended(), 0);
    assert.equal(chat.out(), '1, 2\n1, 2, 3\n');
  });
});

test('an open connection does not keep the process alive', async (context) => {
  const server = await createSimulateServer();
  context.after(() => server.close());
  const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: server.url };
  const cli = startCli(context, ['complete', 'Count to 3'], { cwd, env });
  assert.equal(await cli.ended(), 0);
  assert.deepEqual([cli.out(), cli.err()], ['1, 2, 3\n', '']);
});

test('the demonstration ends without a terminal', async (context) => {
  const cli = startCli(context, ['start'], { cwd });
  assert.equal(await cli.ended(), 0);
  assert.match(cli.out(), /rate-limit/);
});

test('the environment forces and disables colours', async (context) => {
  const forced = startCli(context, ['complete', 'hi'], { cwd, env: { FORCE_COLOR: '1' } });
  assert.equal(await forced.ended(), 0);
  assert.ok(forced.err().includes('\u001b[2m'));
  const plain = startCli(context, ['complete', 'hi'], { cwd });
  assert.equal(await plain.ended(), 0);
  assert.ok(!plain.err().includes('\u001b'));
});

test('help loads no modules that only a call needs', async (context) => {
  const hook =
    'data:text/javascript,import{registerHooks}from"node:module";registerHooks({load(url,context,next){process.stderr.write(url+"\\n");return next(url,context)}})';
  const cli = startCli(context, ['--help'], { cwd, node: ['--import', hook] });
  assert.equal(await cli.ended(), 0);
  const loaded = cli.err();
  assert.match(loaded, /src\/cli\/simple-agents\/main\.ts/);
  assert.doesNotMatch(loaded, /undici|smol-toml|src\/(wire|client|testing|transport)\/|simple-agents\/chat\//);
});
