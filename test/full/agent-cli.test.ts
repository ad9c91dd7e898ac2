// Claude Code without a terminal, with its base URL set to the gateway: it completes a turn that uses tools, although the
// model behind the gateway speaks OpenAI's wire.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { parseScript } from '../../src/testing/model/script.ts';
import { agentCommand, agentPart } from '../support/agent-cli.ts';
import { startGatewayStack } from '../support/gateway-stack.ts';
import { skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const script = parseScript({
  otherwise: 'reply',
  replies: [
    { match: { tool: 'Bash', lastRole: 'tool' }, text: 'The file word.txt holds the word gateway.' },
    {
      match: { tool: 'Bash' },
      times: 1,
      text: 'I will use the shell.',
      toolCalls: [
        { name: 'Bash', input: { command: 'echo gateway > word.txt', description: 'Write the word' } },
        { name: 'Bash', input: { command: 'pwd', description: 'Say where' } },
      ],
    },
  ],
});

test('Claude Code uses tools through the gateway, in front of openai', { skip: skipWithout(agentPart()) }, async () => {
  const stack = await startGatewayStack({ simulate: { script } });
  const folder = temporaryFolder().path;
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  for (const made of [home, work]) mkdirSync(made);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ANTHROPIC_BASE_URL: stack.url,
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_MODEL: 'openai/simulated',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  };
  try {
    const argv = ['-p', 'Write the word into word.txt', '--allowedTools', 'Bash'];
    const run = promisify(execFile)(agentCommand, argv, { cwd: work, env, timeout: 60_000 });
    run.child.stdin?.end();
    const { stdout } = await run;
    assert.equal(stdout, 'The file word.txt holds the word gateway.\n');
    assert.equal(readFileSync(join(work, 'word.txt'), 'utf8'), 'gateway\n');
    assert.deepEqual(
      stack.simulator.requests.map(({ path }) => path),
      ['/v1/chat/completions', '/v1/chat/completions'],
    );
  } finally {
    await stack.close();
  }
});
