// `simple-agents acp --backend claude` with the real claude CLI, a scripted model on this machine and the official client.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { startAcpProcess, statesOf, textOfUpdates, type AcpOptions, type AcpProcess } from '../support/acp-client.ts';
import { projects, startModel } from '../support/forgeflare-process.ts';
import { outsideAgents } from '../support/outside-agents.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { until } from '../support/until.ts';

const makeProject = projects();
const timeout = 600_000;

// Installs them, which takes longer than a test may.
before(() => outsideAgents());

async function start(
  context: TestContext,
  replies: readonly object[],
  options: Partial<AcpOptions> = {},
): Promise<AcpProcess & { readonly path: string; readonly mark: string }> {
  const claude = join(await outsideAgents(), '@anthropic-ai/claude-agent-sdk-linux-x64/claude');
  const project = makeProject();
  const model = await startModel(context, { otherwise: 'reply', replies });
  const mark = `ACP_TEST=${project.path}`;
  const client = await startAcpProcess(context, {
    folder: project.path,
    ...options,
    argv: ['--backend', claude, ...(options.argv ?? [])],
    env: {
      ...options.env,
      HOME: project.home,
      ACP_TEST: project.path,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    },
  });
  return { ...client, path: project.path, mark };
}

const bash = (command: string): object => ({
  // The CLI sends a system message last, so the order of the replies decides.
  match: { tool: 'Bash' },
  times: 1,
  text: 'I use the shell.',
  toolCalls: [{ name: 'Bash', id: 'toolu_1', input: { command, description: 'Run it' } }],
});
const done = { match: { tool: 'Bash' }, text: 'Done.' };

function isToolCall({ sessionUpdate }: SessionUpdate): boolean {
  return sessionUpdate === 'tool_call';
}

test('a turn with a tool that the user allows', { timeout }, async (context) => {
  const client = await start(context, [bash('echo gateway > word.txt'), done], { permission: () => 'allow-once' });
  const sessionId = await client.newSession();
  assert.equal(await client.prompt(sessionId, 'Write the word'), 'end_turn');
  assert.equal(client.questions.length, 1);
  assert.equal(client.questions[0]?.toolCall.title, 'echo gateway > word.txt');
  assert.equal(readFileSync(join(client.path, 'word.txt'), 'utf8'), 'gateway\n');
  assert.equal(textOfUpdates(client.updates, 'agent_message_chunk'), 'I use the shell.Done.');
  assert.equal(statesOf(client.updates, 'toolu_1').at(-1), 'completed');
  assert.ok(client.updates.some(({ sessionUpdate }) => sessionUpdate === 'usage_update'));
});

test('a cancelled turn, and the next one', { timeout }, async (context) => {
  const client = await start(context, [bash('touch started; sleep 3600'), done], { permission: () => 'allow-once' });
  const sessionId = await client.newSession();
  const turn = client.prompt(sessionId, 'Sleep');
  await until(() => existsSync(join(client.path, 'started')));
  await client.agent.notify('session/cancel', { sessionId });
  assert.equal(await turn, 'cancelled');
  assert.match(client.lines.at(-1) ?? '', /"stopReason":"cancelled"/);
  assert.equal(await client.prompt(sessionId, 'Say hello'), 'end_turn');
});

test('a process that was killed is an error, and the next prompt resumes the session', { timeout }, async (context) => {
  const client = await start(context, [bash('kill -9 $PPID; sleep 5'), done], { permission: () => 'allow-once' });
  const sessionId = await client.newSession();
  await assert.rejects(client.prompt(sessionId, 'Die'), /ended \(signal SIGKILL\).*The next prompt starts it again/s);
  assert.equal(await client.prompt(sessionId, 'Say hello'), 'end_turn');
});

test('a session is listed, and loaded with its conversation', { timeout }, async (context) => {
  const client = await start(context, [bash('echo gateway > word.txt'), done], { permission: () => 'allow-once' });
  const sessionId = await client.newSession();
  await client.prompt(sessionId, 'Write the word');
  await client.agent.request('session/close', { sessionId });
  const { sessions } = await client.agent.request('session/list', { cwd: client.path });
  assert.deepEqual(
    sessions.map((session) => session.sessionId),
    [sessionId],
  );
  client.updates.length = 0;
  await client.agent.request('session/load', { sessionId, cwd: client.path, mcpServers: [] });
  assert.equal(textOfUpdates(client.updates, 'user_message_chunk'), 'Write the word');
  assert.equal(textOfUpdates(client.updates, 'agent_message_chunk'), 'I use the shell.Done.');
  assert.equal(statesOf(client.updates).at(-1), 'completed');
});

test('modes, models and efforts of the CLI are offered and can be changed', { timeout }, async (context) => {
  const write = {
    match: { tool: 'Write' },
    times: 1,
    toolCalls: [{ name: 'Write', id: 'toolu_1', input: { file_path: 'word.txt', content: 'gateway\n' } }],
  };
  const client = await start(context, [write, done], { permission: () => 'reject-once' });
  const opened = await client.agent.request('session/new', { cwd: client.path, mcpServers: [] });
  const { sessionId, modes, configOptions } = opened;
  const modeIds = modes?.availableModes.map(({ id }) => id) ?? [];
  assert.ok(modeIds.includes('acceptEdits') && !modeIds.includes('bypassPermissions'), modeIds.join());
  const model = configOptions?.find(({ id }) => id === 'model');
  assert.ok(model?.type === 'select' && model.options.length > 1, JSON.stringify(configOptions));
  const values = model.options.flatMap((option) => ('value' in option ? [option.value] : []));
  const other = values.find((value) => value !== model.currentValue) ?? '';
  const changed = await client.agent.request('session/set_config_option', {
    sessionId,
    configId: 'model',
    value: other,
  });
  assert.equal(changed.configOptions.find(({ id }) => id === 'model')?.currentValue, other);
  const effort = changed.configOptions.find(({ id }) => id === 'effort');
  if (effort !== undefined)
    await client.agent.request('session/set_config_option', { sessionId, configId: 'effort', value: 'low' });
  await client.agent.request('session/set_mode', { sessionId, modeId: 'acceptEdits' });
  assert.equal(await client.prompt(sessionId, 'Write the word'), 'end_turn');
  // The mode accepts changes of files without a question.
  assert.deepEqual(client.questions, []);
  assert.equal(readFileSync(join(client.path, 'word.txt'), 'utf8'), 'gateway\n');
  context.diagnostic(`${modeIds.join()}; ${other}; ${effort === undefined ? 'no efforts' : 'effort low'}`);
});

test('--permission full starts the CLI in the mode that never asks', { timeout }, async (context) => {
  const client = await start(context, [bash('echo gateway > word.txt'), done], {
    argv: ['--permission', 'full'],
    // The CLI refuses the mode for root outside of a sandbox.
    env: { IS_SANDBOX: '1' },
  });
  const { sessionId, modes } = await client.agent.request('session/new', { cwd: client.path, mcpServers: [] });
  assert.equal(modes?.currentModeId, 'bypassPermissions');
  assert.equal(await client.prompt(sessionId, 'Write the word'), 'end_turn');
  assert.deepEqual(client.questions, []);
  assert.equal(readFileSync(join(client.path, 'word.txt'), 'utf8'), 'gateway\n');
});

test('kill -9 during a tool leaves no process', { timeout }, async (context) => {
  const client = await start(context, [bash('touch started; sleep 3600'), done], { permission: () => 'allow-once' });
  const sessionId = await client.newSession();
  client.prompt(sessionId, 'Sleep').catch(() => undefined);
  await client.sees(isToolCall);
  await until(() => existsSync(join(client.path, 'started')));
  assert.ok(markedProcesses(client.mark).length >= 3);
  client.child.kill('SIGKILL');
  await until(() => markedProcesses(client.mark).length === 0);
});
