// The MCP client against a real process and a real HTTP server: versions, results, progress, cancel, changes, processes.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { connect, connectTo, testServer, transports } from '../support/mcp/connected.ts';
import { until } from '../support/until.ts';

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    test('a server of version 2025-11-25 gets the handshake', async (context) => {
      const mcp = await connect(context, 'plain', transport);
      assert.deepEqual(mcp.servers, [
        { name: 'test', status: 'connected', tools: ['mcp__test__echo'], protocolVersion: '2025-11-25' },
      ]);
      assert.equal((await mcp.call('echo', { text: 'hi' })).text, 'echo: hi');
    });

    test('a server of version 2026-07-28 gets none', async (context) => {
      const mcp = await connect(context, 'modern', transport);
      assert.equal(mcp.servers[0]?.protocolVersion, '2026-07-28');
      assert.equal((await mcp.call('echo')).text, 'modern 2026-07-28');
    });

    test('progress is live output', async (context) => {
      const mcp = await connect(context, 'progress', transport);
      const { output, text } = await mcp.call('echo');
      assert.equal(output, '1/2 half way\n');
      assert.equal(text, 'done');
    });

    test('a cancelled call is cancelled at the server', async (context) => {
      const mcp = await connect(context, 'cancel', transport);
      const controller = new AbortController();
      const onOutput = (): void => controller.abort(new Error('stop'));
      await assert.rejects(mcp.call('echo', {}, { signal: controller.signal, onOutput }), /stop/);
      assert.match((await mcp.call('echo')).text, /^cancelled \d+$/);
    });

    test('results become text, images and errors', async (context) => {
      const mcp = await connect(context, 'results', transport);
      const call = async (text: string) => (await mcp.call('echo', { text })).answer;
      const source = { kind: 'base64', mediaType: 'image/png', data: 'aGk=' };
      assert.deepEqual(await call('image'), { content: [{ type: 'image', source }] });
      const texts = async (text: string) => (await mcp.call('echo', { text })).text;
      assert.match(await texts('audio'), /^\[left out: audio content audio\/wav\]$/);
      const structured = await call('structured');
      assert.deepEqual(
        structured.content.map((part) => part.type === 'text' && part.text),
        ['two', '{"count":2}'],
      );
      assert.equal((await call('repeated')).content.length, 1);
      assert.equal(await texts('resource'), 'Resource file:///a.txt:\ninside');
      assert.equal(await texts('link'), 'Resource a <file:///a.txt>');
      assert.deepEqual(await call('error'), { content: [{ type: 'text', text: 'no such file' }], isError: true });
    });

    test('a result is bounded and checked', async (context) => {
      const mcp = await connect(context, 'results', transport);
      const { text } = await mcp.call('echo', { text: 'large' });
      assert.ok(text.length < 110_000);
      assert.match(text, /^beginx+\n\.\.\. \(shortened; 1048584 bytes in total\) \.\.\.\nx+end$/);
      const { answer } = await mcp.call('echo', { text: 'many' });
      assert.ok(answer.content.length < 10_000);
      for (const name of ['invalid', 'unknown']) {
        const wrong = await mcp.call('echo', { text: name });
        assert.equal(wrong.answer.isError, true, name);
        assert.match(wrong.text, /^MCP server "test" sent an invalid answer/);
      }
    });

    test('tools that change are listed again by refresh', async (context) => {
      const mcp = await connect(context, 'changing', transport);
      assert.equal((await mcp.call('echo')).text, 'changed');
      assert.equal(mcp.tools.length, 1);
      await mcp.refresh();
      const names = mcp.tools.map(({ definition }) => definition.name);
      assert.deepEqual(names, ['mcp__test__echo', 'mcp__test__added']);
    });
  });
}

test('an older server that ends at an unknown request is started again with the handshake', async (context) => {
  const mcp = await connect(context, 'dead-at-unknown');
  assert.equal((await mcp.call('echo', { text: 'hi' })).text, 'echo: hi');
  assert.deepEqual(mcp.notices, []);
});

test('a server that says read-only has a pure tool, the others a mutating one', async (context) => {
  const [echo] = (await connect(context, 'plain')).tools;
  const [bash] = (await connect(context, 'shadow')).tools;
  assert.deepEqual([echo?.effect, bash?.effect], ['pure', 'mutating']);
});

test('an HTTP server that is gone is a clear error', async (context) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const mcp = await connectTo(context, { mcpServers: { test: { url: `http://127.0.0.1:${port}/mcp` } } });
  assert.match(mcp.notices.join('\n'), /^MCP server "test" cannot be reached \(ECONNREFUSED\); check its url/);
});

test('a process has the given environment and its own variables only', async (context) => {
  process.env['MCP_TEST_SECRET'] = 'secret';
  context.after(() => delete process.env['MCP_TEST_SECRET']);
  const environment = { PATH: process.env['PATH'] ?? '' };
  const mcp = await connect(context, 'environment', 'stdio', { environment, settings: { env: { OWN: '1' } } });
  const seen = JSON.parse((await mcp.call('echo')).text) as Record<string, string>;
  assert.deepEqual({ ...seen, PATH: environment.PATH }, { PATH: environment.PATH, OWN: '1' });
});

test('an agent calls the tools of a server', async (context) => {
  const { startAgent } = await import('../support/agent-model.ts');
  const mcp = await connect(context, 'plain');
  const input = { text: 'from the model' };
  const replies = [{ toolCalls: [{ name: 'mcp__test__echo', input }] }, { text: 'done' }];
  const { agent, asked } = await startAgent(context, 'anthropic', {
    replies,
    tools: () => mcp.tools,
  });
  assert.equal((await agent.run('go').result()).text, 'done');
  assert.match(asked().at(-1)?.join('\n') ?? '', /echo: from the model/);
});

describe('the process of a server', () => {
  const run = promisify(execFile);

  async function isRunning(marker: string): Promise<boolean> {
    const { stdout } = await run('ps', ['-eo', 'args']);
    return stdout.split('\n').some((line) => line.includes(marker) && !line.startsWith('ps '));
  }

  test('ends with close', async (context) => {
    const marker = `marker-${process.pid}-close`;
    const server = await testServer(context, 'plain');
    const args = [...('args' in server ? (server.args ?? []) : []), 'stdio', marker];
    const mcp = await connectTo(context, { mcpServers: { test: { command: process.execPath, args } } });
    assert.equal(await isRunning(marker), true);
    await mcp.close();
    assert.equal(await isRunning(marker), false);
    assert.match((await mcp.call('echo')).text, /is not available: it is closed/);
  });

  test('dies with us, with its children, even if we are killed', async () => {
    const marker = `marker-${process.pid}-kill`;
    const program = join(import.meta.dirname, '../support/mcp/hold-server.ts');
    const holder = spawn(process.execPath, [program, marker], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string];
    assert.equal(line, 'connected');
    assert.equal(await isRunning(marker), true);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await until(async () => !(await isRunning(marker)));
  });
});
