// Hostile and broken MCP servers, each as a real process and over real HTTP: contained, reported, and the agent goes on.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { connect, transports, type TransportName } from '../support/mcp/connected.ts';

/** One test for each transport. */
function overBoth(name: string, check: (context: TestContext, transport: TransportName) => Promise<void>): void {
  for (const transport of transports) test(`${name} (${transport})`, (context) => check(context, transport));
}

describe('a server that', () => {
  overBoth(
    'sends a message without an end loses its connection, and works again at the next call',
    async (context, transport) => {
      const mcp = await connect(context, 'huge-line', transport);
      const { answer, text } = await mcp.call('echo');
      assert.equal(answer.isError, true);
      assert.equal(text, 'MCP server "test" sent a message of more than 16 MiB');
      assert.match(mcp.notices.join('\n'), /^MCP server "test" sent a message of more than 16 MiB; the next call/);
      assert.equal(mcp.servers[0]?.status, 'failed');
      assert.match((await mcp.call('echo')).text, /more than 16 MiB/);
    },
  );

  overBoth('answers with wrong ids is heard for the right one only', async (context, transport) => {
    const mcp = await connect(context, 'wrong-ids', transport);
    assert.equal((await mcp.call('echo')).text, 'right');
  });

  overBoth('names its tools like ours cannot shadow them', async (context, transport) => {
    const { tools } = await connect(context, 'shadow', transport);
    assert.deepEqual(
      tools.map(({ definition }) => definition.name),
      ['mcp__test__Bash', 'mcp__test__Edit', 'mcp__test__mcp__other__tool', 'mcp__test________etc_passwd'],
    );
  });

  overBoth('lists a tool twice, or without a name, offers it once and a notice says so', async (context, transport) => {
    const { tools, notices } = await connect(context, 'duplicates', transport);
    assert.deepEqual(
      tools.map(({ definition }) => definition.name),
      ['mcp__test__twice', 'mcp__test__a_b'],
    );
    assert.deepEqual(notices, [
      'MCP server "test" the tool "twice" is listed twice',
      'MCP server "test" a tool without a name was left out',
      'MCP server "test" a tool without a name was left out',
      'MCP server "test" the tool "a_b" was left out: another tool has the name mcp__test__a_b',
    ]);
  });

  overBoth('lists pages without end offers the first ones', async (context, transport) => {
    const { tools, notices } = await connect(context, 'endless-pages', transport);
    assert.equal(tools.length, 64);
    assert.match(notices.join('\n'), /the list of tools has more than 64 pages; the rest was left out/);
  });

  overBoth('repeats a page is listed once', async (context, transport) => {
    const { tools, notices } = await connect(context, 'same-page', transport);
    assert.equal(tools.length, 1);
    assert.match(notices.join('\n'), /repeats a page/);
  });

  overBoth('floods with notifications still gets its answer through', async (context, transport) => {
    const mcp = await connect(context, 'flood', transport);
    const { text, output } = await mcp.call('echo');
    assert.equal(text, 'after the flood');
    assert.equal(output, '');
  });

  test('prints garbage to stdout is read past it', async (context) => {
    const mcp = await connect(context, 'garbage');
    assert.equal((await mcp.call('echo', { text: 'hi' })).text, 'echo: hi');
  });

  overBoth('never answers is given up after the start timeout', async (context, transport) => {
    const mcp = await connect(context, 'silent', transport, { settings: { startTimeout: 500 } });
    assert.deepEqual(mcp.tools, []);
    assert.equal(mcp.servers[0]?.status, 'failed');
    assert.match(mcp.notices.join('\n'), /^MCP server "test" did not answer within 0\.5 s/);
  });

  overBoth('never answers a call gives an error result after the timeout', async (context, transport) => {
    const mcp = await connect(context, 'silent-call', transport, { settings: { timeout: 300 } });
    const { answer, text } = await mcp.call('echo');
    assert.equal(answer.isError, true);
    assert.match(text, /^MCP server "test" did not answer within 0\.3 s; raise "timeout"/);
    assert.equal(mcp.servers[0]?.status, 'connected');
  });

  overBoth('dies during a call gives an error result, and the next call tries again', async (context, transport) => {
    const mcp = await connect(context, 'dead-at-call', transport);
    const expected =
      transport === 'stdio'
        ? /ended with exit code 3; its last output: Traceback: out of cheese$/
        : /ended its response without an answer$/;
    for (const _time of [1, 2]) {
      const { answer, text } = await mcp.call('echo');
      assert.equal(answer.isError, true);
      assert.match(text, expected);
    }
    assert.equal(mcp.tools.length, 1);
  });

  test('dies at start is a notice with its last output', async (context) => {
    const mcp = await connect(context, 'dead-at-start');
    assert.deepEqual(mcp.tools, []);
    assert.match(mcp.notices.join('\n'), /ended with exit code 3; its last output: Traceback: out of cheese;/);
  });

  overBoth('has odd schemas offers the usable tools', async (context, transport) => {
    const mcp = await connect(context, 'odd-schemas', transport);
    const names = mcp.tools.map(({ definition }) => definition.name.slice('mcp__test__'.length));
    for (const name of ['none', 'no-type', 'reference', 'circular', 'good']) {
      assert.ok(names.includes(name), name);
      assert.equal((await mcp.call(name, name === 'circular' ? { next: {} } : {})).text, `called ${name}`);
    }
    for (const name of ['text', 'true', 'string', 'task']) assert.ok(!names.includes(name), name);
    for (const left of mcp.notices) assert.match(left, /^MCP server "test" the tool ".*" was left out: /);
    assert.equal(names.length + mcp.notices.length, 12);
  });
});

test('a server that fails again and again is not started for every call', async (context) => {
  let time = 0;
  const clock = { now: () => time, random: () => 0.5, sleep: async () => undefined };
  const mcp = await connect(context, 'dead-at-call', 'stdio', { clock });
  assert.match((await mcp.call('echo')).text, /ended with exit code 3/);
  // One loss: the next call connects at once.
  assert.match((await mcp.call('echo')).text, /ended with exit code 3/);
  assert.match((await mcp.call('echo')).text, /is not available: it ended.*; the next attempt is possible in 1 s$/s);
  time += 1000;
  assert.match((await mcp.call('echo')).text, /^MCP server "test" ended/);
  assert.match((await mcp.call('echo')).text, /in 2 s$/);
  for (let failures = 0; failures < 10; failures += 1) {
    time += 60_000;
    await mcp.call('echo');
  }
  assert.match((await mcp.call('echo')).text, /in 60 s$/);
});

test('a dead server does not affect the other ones', async (context) => {
  const { connectTo, testServer } = await import('../support/mcp/connected.ts');
  const mcpServers = { gone: { command: '/nowhere/program' }, test: await testServer(context, 'plain') };
  const mcp = await connectTo(context, { mcpServers });
  assert.equal((await mcp.call('echo', { text: 'hi' })).text, 'echo: hi');
  assert.match(
    mcp.notices.join('\n'),
    /^MCP server "gone" cannot run \/nowhere\/program: the program was not found; install it/,
  );
});
