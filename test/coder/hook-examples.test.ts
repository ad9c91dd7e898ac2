// The hooks of examples/hooks, installed as their README describes, around an agent's tools.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import { createHooks } from '../../src/coder/hooks/hooks.ts';
import { loadHooks } from '../../src/coder/hooks/load.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { linesOf, readRun } from '../support/agent-model.ts';

const examples = join(import.meta.dirname, '../../examples');
const readme = readFileSync(join(examples, 'hooks', 'README.md'), 'utf8');
const environment = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), EXAMPLES: examples };

function install(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hook-examples-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [, script = ''] = /```sh\n([^]*?)```/.exec(readme) ?? [];
  execFileSync('sh', ['-ec', script], { cwd: folder, env: environment });
  return folder;
}

test('the commands of the README say what it says', (context) => {
  const cwd = install(context);
  const [, console = ''] = /```console\n([^]*?)```/.exec(readme) ?? [];
  const parts = console.split(/^\$ /m).filter((part) => part !== '');
  assert.equal(parts.length, 3);
  for (const part of parts) {
    const [command = '', ...output] = part.split('\n');
    const said = execFileSync('sh', ['-c', command], { cwd, env: environment, encoding: 'utf8' });
    assert.equal(said, output.join('\n'));
  }
});

test('the guard blocks, the observer writes down', async (context) => {
  const cwd = install(context);
  const table = await loadHooks(cwd);
  assert.ok(table !== undefined);
  const hooks = createHooks({ table, cwd, environment, warn: assert.fail });
  const ran: string[] = [];
  const tool = (name: string, field: string) =>
    defineTool({
      name,
      description: name,
      input: { type: 'object', properties: { [field]: { type: 'string' } } },
      run: (_input, { callId }) => (ran.push(callId), 'done'),
    });
  const replies = [
    { toolCalls: [{ name: 'Bash', id: 'a', input: { command: 'npm test' } }] },
    { toolCalls: [{ name: 'Bash', id: 'b', input: { command: 'git add . && git push' } }] },
    { toolCalls: [{ name: 'Edit', id: 'c', input: { 'file_path': 'package-lock.json' } }] },
    { text: 'I leave it.' },
  ];
  const provider = createSimulatedProvider({ script: { replies } });
  const tools = [tool('Bash', 'command'), tool('Edit', 'file_path')];
  const agent = createAgent({ provider, tools, policies: [hooks.policy] });
  await hooks.begin();
  const { end } = await readRun(agent.run('Go'));
  await hooks.end(end);
  assert.deepEqual(ran, ['a']);
  const results = agent.messages.flatMap(linesOf).filter((line) => line.includes('→'));
  assert.deepEqual(results, [
    'user: a → done',
    'user: b → blocked by node .forgeflare/guard.mjs: pushing is left to people',
    'user: c → blocked by node .forgeflare/guard.mjs: npm install changes it',
  ]);
  const audit = readFileSync(join(cwd, '.forgeflare', 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  assert.partialDeepStrictEqual(
    audit.map((line) => JSON.parse(line) as object),
    [
      { event: 'PreToolUse', tool: 'Bash', blocked: false },
      { event: 'PostToolUse', tool: 'Bash', bytes: 4, 'is_error': false },
      { event: 'PreToolUse', tool: 'Bash', blocked: true, 'block_reason': 'pushing is left to people' },
      { event: 'PreToolUse', tool: 'Edit', blocked: true, 'blocked_by': 'node .forgeflare/guard.mjs' },
      { event: 'Stop', reason: 'end_turn', 'tool_iterations': 3 },
    ],
  );
  assert.equal(audit.length, 5);
});
