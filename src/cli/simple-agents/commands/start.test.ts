// `npm run demo` without a terminal. With one it opens a chat: see test/cli/terminal.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryTerminal, runCli } from '../../../../test/support/memory-terminal.ts';
import { main } from '../main.ts';

test('the demonstration shows a stream, a tool call, a healed value and an error, and succeeds', async () => {
  const { exitCode, out, err } = await runCli(['start'], { env: { OPENAI_API_KEY: 'is not used' } });
  assert.deepEqual([exitCode, err], [0, '']);
  assert.match(out, /no API key and no network/);
  assert.match(out, /1\. .*\n.*client\.stream.*\n.*simple-agents complete.*\n {3}1, 2, 3, .*, 20\n/);
  assert.match(out, /2\. .*\n.*client\.complete.*\n {3}get_weather \{"city":"Paris"\}\n/);
  const json = / {3}response: \{'name'.*\n {3}value: +(\{.*\}) \(\d+ changes\)\n/.exec(out)?.[1] ?? '';
  assert.deepEqual(Object.keys(JSON.parse(json) as object), ['name', 'age', 'abilities']);
  assert.match(out, /rate-limit: .*\n.*retry after 2000 ms; exit code 4/);
});

test('Ctrl-C ends the demonstration', async () => {
  const terminal = new MemoryTerminal();
  const ended = main(['start'], terminal);
  await terminal.shows(/1, 2/);
  terminal.send('SIGINT');
  assert.equal(await ended, 130);
});
