// `simple-agents acp` with our own agent, driven by the official client. The schema judges every line in every scenario.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { RequestError, type McpServer, type SessionUpdate, type ToolCallUpdate } from '@agentclientprotocol/sdk';
import { startAcp, statesOf, textOfUpdates, type AcpClient, type AcpOptions } from '../support/acp-client.ts';
import { projects, reaching, startModel } from '../support/forgeflare-process.ts';

const makeProject = projects();

interface Scenario extends Omit<AcpOptions, 'folder'> {
  readonly replies: readonly object[];
  readonly files?: Readonly<Record<string, string>>;
}

interface Setting extends AcpClient {
  readonly path: string;
  readonly sessionId: string;
}

async function start(context: TestContext, { replies, files, env, argv, ...options }: Scenario): Promise<Setting> {
  const project = makeProject(files);
  const model = await startModel(context, { replies });
  const client = await startAcp(context, {
    folder: project.path,
    env: { HOME: project.home, ...reaching(model), ...env },
    argv: ['--sandbox', 'off', ...(argv ?? [])],
    ...options,
  });
  return { ...client, path: project.path, sessionId: await client.newSession() };
}

const bash = (command: string, id = 'call-1'): object => ({ toolCalls: [{ name: 'Bash', id, input: { command } }] });
const write = (path: string, content: string): object => ({
  toolCalls: [{ name: 'Write', id: 'call-1', input: { file_path: path, content } }],
});
const read = (path: string): object => ({ toolCalls: [{ name: 'Read', id: 'read-1', input: { file_path: path } }] });
const task = (id: string, prompt: string): object => ({
  name: 'Task',
  id,
  input: { description: `do ${id}`, prompt },
});
/** For the prompt of a subagent. */
const inside = (contains: string): object => ({ match: { contains, system: 'for another agent' } });
const done = { text: 'Done.' };

function updatesOfCall(updates: readonly SessionUpdate[], id = 'call-1'): ToolCallUpdate[] {
  return updates.flatMap((update) =>
    (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') && update.toolCallId === id
      ? [update as ToolCallUpdate]
      : [],
  );
}

/** US dollars, as last reported. */
function costOf(updates: readonly SessionUpdate[]): number {
  const usage = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'usage_update');
  return usage?.sessionUpdate === 'usage_update' ? (usage.cost?.amount ?? 0) : 0;
}

function isLive(update: SessionUpdate): boolean {
  return update.sessionUpdate === 'tool_call_update' && JSON.stringify(update.content ?? '').includes('```\\nfirst');
}

async function errorOf(request: Promise<unknown>): Promise<RequestError> {
  try {
    await request;
  } catch (error) {
    assert.ok(error instanceof RequestError, String(error));
    return error;
  }
  throw new Error('The request did not fail.');
}

describe('a turn', () => {
  test('sends text and thoughts as chunks of one message each', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [{ reasoning: 'Let me think.', text: 'Hello there.' }],
    });
    assert.equal(await prompt(sessionId, 'Hi'), 'end_turn');
    assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'Hello there.');
    assert.equal(textOfUpdates(updates, 'agent_thought_chunk'), 'Let me think.');
    const ids = updates.flatMap((update) => ('messageId' in update ? [update.messageId] : []));
    assert.equal(new Set(ids).size, 1);
  });

  test('reports the context and the cost', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [{ text: 'Hello.', usage: { input: 1000, output: 10 } }],
    });
    await prompt(sessionId, 'Hi');
    const usage = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'usage_update');
    assert.ok(usage?.sessionUpdate === 'usage_update');
    assert.equal(usage.used, 1010);
    assert.ok(usage.size >= 200_000);
    assert.ok((usage.cost?.amount ?? 0) > 0);
  });

  test('runs several tools, each from pending to its end', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
      replies: [
        {
          toolCalls: [
            { name: 'Read', id: 'read-a', input: { file_path: 'a.txt' } },
            { name: 'Read', id: 'read-b', input: { file_path: 'missing.txt' } },
          ],
        },
        done,
      ],
    });
    assert.equal(await prompt(sessionId, 'Read'), 'end_turn');
    assert.deepEqual(statesOf(updates, 'read-a'), ['pending', 'in_progress', 'completed']);
    assert.deepEqual(statesOf(updates, 'read-b'), ['pending', 'in_progress', 'failed']);
    const failed = updatesOfCall(updates, 'read-b').at(-1);
    assert.match(String(failed?.rawOutput), /does not exist/);
  });

  test('gives absolute paths', async (context) => {
    const { prompt, sessionId, updates, path } = await start(context, {
      files: { 'a.txt': 'one\n' },
      replies: [{ toolCalls: [{ name: 'Read', id: 'call-1', input: { file_path: 'a.txt', offset: 1 } }] }, done],
    });
    await prompt(sessionId, 'Read');
    const located = updatesOfCall(updates).findLast(({ locations }) => (locations?.length ?? 0) > 0);
    assert.deepEqual(located?.locations, [{ path: join(path, 'a.txt'), line: 1 }]);
  });

  test('shows a change as a diff with its context', async (context) => {
    const { prompt, sessionId, updates, path } = await start(context, {
      files: { 'a.txt': 'one\ntwo\nthree\n' },
      argv: ['--permission', 'auto-edit'],
      replies: [
        {
          toolCalls: [{ name: 'Edit', id: 'call-1', input: { file_path: 'a.txt', old_str: 'two', new_str: 'TWO' } }],
        },
        done,
      ],
    });
    await prompt(sessionId, 'Edit');
    const file = join(path, 'a.txt');
    const end = updatesOfCall(updates).at(-1);
    assert.equal(end?.status, 'completed');
    assert.deepEqual(end?.content, [
      { type: 'diff', path: file, oldText: 'one\ntwo\nthree\n', newText: 'one\nTWO\nthree\n' },
    ]);
    assert.deepEqual(end?.locations, [{ path: file, line: 1 }]);
  });

  test('shows the output of a command while it runs', async (context) => {
    const { prompt, sessionId, updates, sees, path } = await start(context, {
      argv: ['--permission', 'full'],
      replies: [bash('echo first; until [ -e go ]; do sleep 0.02; done; echo second'), done],
    });
    const turn = prompt(sessionId, 'Run');
    const live = (await sees(isLive)) as ToolCallUpdate;
    assert.equal(live.status, 'in_progress');
    writeFileSync(join(path, 'go'), '');
    assert.equal(await turn, 'end_turn');
    const text = '```\nfirst\nsecond\n```';
    assert.deepEqual(updatesOfCall(updates).at(-1)?.content, [{ type: 'content', content: { type: 'text', text } }]);
  });

  test('shows the plan of the model', async (context) => {
    const todos = [
      { content: 'Read', status: 'completed' },
      { content: 'Write', status: 'in_progress' },
    ];
    const { prompt, sessionId, updates } = await start(context, {
      replies: [{ toolCalls: [{ name: 'TodoWrite', id: 'call-1', input: { todos } }] }, done],
    });
    await prompt(sessionId, 'Plan');
    const plan = updates.find(({ sessionUpdate }) => sessionUpdate === 'plan');
    assert.ok(plan?.sessionUpdate === 'plan');
    assert.deepEqual(
      plan.entries.map(({ content, status }) => [content, status]),
      [
        ['Read', 'completed'],
        ['Write', 'in_progress'],
      ],
    );
  });

  test('sends images and embedded context to the model', async (context) => {
    const project = makeProject();
    const model = await startModel(context, { replies: [done] });
    const env = { HOME: project.home, ...reaching(model) };
    const { agent, newSession } = await startAcp(context, { folder: project.path, env, argv: ['--sandbox', 'off'] });
    const sessionId = await newSession();
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'Look' },
        { type: 'image', data: pixel, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'the text' } },
        { type: 'resource_link', uri: 'file:///b.txt', name: 'b.txt' },
      ],
    });
    const body = JSON.stringify(model.requests[0]?.body);
    assert.ok(body.includes(pixel));
    assert.ok(body.includes(JSON.stringify('<context ref="file:///a.txt">\nthe text\n</context>').slice(1, -1)), body);
    assert.ok(body.includes('[@b.txt](file:///b.txt)'), body);
  });

  for (const [name, reply, reason] of [
    ['max_tokens', { text: 'cut', stopReason: 'length', usage: { input: 1, output: 1 } }, 'max_tokens'],
    ['refusal', { text: 'No.', stopReason: 'refusal' }, 'refusal'],
  ] as const) {
    test(`ends with ${name}`, async (context) => {
      const { prompt, sessionId } = await start(context, { replies: Array.from({ length: 5 }, () => reply) });
      assert.equal(await prompt(sessionId, 'Go'), reason);
    });
  }

  for (const [status, code] of [
    [401, -32_000],
    [429, -32_603],
    [529, -32_603],
    [400, -32_603],
    [404, -32_603],
  ] as const) {
    test(`reports status ${status} of the model as an error with its text`, async (context) => {
      const fault = { status, message: 'the model says no', retryAfter: '0' };
      const { prompt, sessionId } = await start(context, { replies: [{ match: { lastRole: 'user' }, fault }] });
      const error = await errorOf(prompt(sessionId, 'Go'));
      assert.equal(error.code, code);
      assert.match(error.message, /the model says no/);
    });
  }

  test('goes on after an error', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [{ fault: { status: 400, message: 'no' } }, { text: 'Back.' }],
    });
    await errorOf(prompt(sessionId, 'Go'));
    assert.equal(await prompt(sessionId, 'Again'), 'end_turn');
    assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'Back.');
  });

  test('starts over after an error in the middle of a response', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [
        { text: 'a long text that is cut', fault: { errorAfterEvents: 4, errorType: 'overloaded_error' } },
        { text: 'Second.' },
      ],
      capabilities: { session: { notices: {} } },
    });
    const clock = prompt(sessionId, 'Go');
    assert.equal(await clock, 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /Second\.$/);
    assert.ok(updates.some(({ sessionUpdate }) => sessionUpdate === 'notice'));
  });
});

describe('subagents', () => {
  const usage = { input: 1000, output: 10 };

  test('run in parallel; their calls and texts belong to their tasks, and their cost to the session', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      files: { 'a.txt': 'one\n' },
      replies: [
        { toolCalls: [task('t1', 'begin one'), task('t2', 'begin two')], usage },
        {
          ...inside('begin one'),
          text: 'I look.',
          toolCalls: [{ name: 'Read', id: 'r1', input: { file_path: 'a.txt' } }],
          usage,
        },
        { ...inside('one'), text: 'One.', usage },
        { ...inside('begin two'), text: 'Two.', usage },
        { text: 'All done.', usage },
        { text: 'Again.', usage },
      ],
    });
    assert.equal(await prompt(sessionId, 'Go'), 'end_turn');
    assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'All done.');
    assert.deepEqual(statesOf(updates, 't1'), ['pending', 'in_progress', 'completed']);
    assert.deepEqual(statesOf(updates, 't2'), ['pending', 'in_progress', 'completed']);
    const nested = updates.filter((update) => update._meta?.['simple-agents/parentToolCallId'] === 't1');
    assert.equal(textOfUpdates(nested, 'agent_thought_chunk'), 'I look.One.');
    assert.deepEqual(statesOf(nested, 'r1'), ['pending', 'in_progress', 'completed']);
    const cost = costOf(updates);
    assert.equal(await prompt(sessionId, 'Again'), 'end_turn');
    assert.ok(cost > 0);
    assert.equal((costOf(updates) - cost).toFixed(6), (cost / 5).toFixed(6));
    assert.equal(await prompt(sessionId, '/cost'), 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /2 turns, 6000 tokens in, 60 tokens out/);
  });

  test('ask for permission in the name of their task', async (context) => {
    const { prompt, sessionId, questions, path } = await start(context, {
      permission: () => 'allow-once',
      replies: [
        { toolCalls: [task('t1', 'begin one')] },
        { ...inside('begin one'), ...write('a.txt', 'one\n') },
        { match: { system: 'for another agent' }, text: 'Written.' },
        done,
      ],
    });
    assert.equal(await prompt(sessionId, 'Go'), 'end_turn');
    assert.match(JSON.stringify(questions), /do t1/);
    assert.equal(readFileSync(join(path, 'a.txt'), 'utf8'), 'one\n');
  });

  test('end with the prompt that is cancelled', async (context) => {
    const { prompt, sessionId, agent, updates, sees } = await start(context, {
      argv: ['--permission', 'full'],
      replies: [
        { toolCalls: [task('t1', 'begin one'), task('t2', 'begin two')] },
        { ...inside('begin one'), ...bash('sleep 300', 'b1') },
        { ...inside('begin two'), ...bash('sleep 300', 'b2') },
      ],
    });
    const prompted = prompt(sessionId, 'Go');
    await sees((update) => JSON.stringify(update).includes('sleep 300'));
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await prompted, 'cancelled');
    for (const id of ['t1', 't2']) assert.equal(statesOf(updates, id).at(-1), 'failed');
  });
});

describe('compaction', () => {
  test('on request keeps the session usable', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [{ text: 'First.' }, { text: 'A summary of it.' }, { text: 'Second.' }],
    });
    await prompt(sessionId, 'One');
    assert.equal(await prompt(sessionId, '/compact'), 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /The conversation was summarised\.$/);
    assert.equal(await prompt(sessionId, 'Two'), 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /Second\.$/);
  });

  test('by itself, because the window is full, is reported', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      files: { 'a.txt': 'one\n' },
      replies: [
        { text: 'First.' },
        {
          toolCalls: [{ name: 'Read', id: 'call-1', input: { file_path: 'a.txt' } }],
          usage: { input: 990_000, output: 10 },
        },
        { text: 'Second.' },
      ],
    });
    await prompt(sessionId, 'One');
    assert.equal(await prompt(sessionId, 'Two'), 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_thought_chunk'), /context/);
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /First\.[^]*Second\.$/);
  });
});

test('authenticate accepts only the methods of the agent', async (context) => {
  const { agent } = await start(context, { replies: [done] });
  await agent.request('authenticate', { methodId: 'api-key' });
  await assert.rejects(agent.request('authenticate', { methodId: 'nosuch' }), /unknown method "nosuch"; .*api-key/);
});

describe('permission', () => {
  const command = 'echo "hello" > out.txt';

  test('is asked with the complete command, after the call was announced', async (context) => {
    const { prompt, sessionId, questions, lines, path } = await start(context, {
      replies: [bash(command), done],
      permission: () => 'allow-once',
    });
    assert.equal(await prompt(sessionId, 'Run'), 'end_turn');
    const [question] = questions;
    assert.equal(question?.toolCall.title, command);
    assert.deepEqual(question?.toolCall.rawInput, { command });
    const [shown] = question?.toolCall.content ?? [];
    assert.deepEqual(shown, { type: 'content', content: { type: 'text', text: `\`\`\`\n${command}\n\`\`\`` } });
    assert.deepEqual(
      question?.options.map(({ kind }) => kind),
      ['allow_once', 'allow_always', 'reject_once', 'reject_always'],
    );
    const announced = lines.findIndex((line) => line.includes('"tool_call"'));
    const asked = lines.findIndex((line) => line.includes('session/request_permission'));
    assert.ok(announced !== -1 && announced < asked);
    assert.equal(readFileSync(join(path, 'out.txt'), 'utf8'), 'hello\n');
  });

  test('waits as pending and continues in progress', async (context) => {
    const { prompt, sessionId, updates } = await start(context, {
      replies: [bash('true'), done],
      permission: () => 'allow-once',
    });
    await prompt(sessionId, 'Run');
    assert.deepEqual(statesOf(updates), ['pending', 'in_progress', 'pending', 'in_progress', 'completed']);
  });

  test('that is always given is not asked again, in this session and in the next', async (context) => {
    const { prompt, sessionId, questions, newSession } = await start(context, {
      replies: [bash('true', 'a'), bash('true', 'b'), done, bash('true', 'c'), done],
      permission: () => 'allow-always',
    });
    await prompt(sessionId, 'Run');
    await prompt(await newSession(), 'Run');
    assert.equal(questions.length, 1);
  });

  test('that is refused is a result that the model reads', async (context) => {
    const { prompt, sessionId, updates, path } = await start(context, {
      replies: [bash(command), done],
      permission: () => 'reject-once',
    });
    assert.equal(await prompt(sessionId, 'Run'), 'end_turn');
    assert.equal(updatesOfCall(updates).at(-1)?.status, 'failed');
    assert.equal(existsSync(join(path, 'out.txt')), false);
  });

  test('that is always refused is not asked again', async (context) => {
    const { prompt, sessionId, questions } = await start(context, {
      replies: [bash('true', 'a'), bash('true', 'b'), done],
      permission: () => 'reject-always',
    });
    await prompt(sessionId, 'Run');
    assert.equal(questions.length, 1);
  });

  test('is refused for an option that was not offered', async (context) => {
    const { prompt, sessionId, path } = await start(context, {
      replies: [bash(command), done],
      permission: () => 'yes',
    });
    await prompt(sessionId, 'Run');
    assert.equal(existsSync(join(path, 'out.txt')), false);
  });

  test('shows the diff of a change', async (context) => {
    const { prompt, sessionId, questions, path } = await start(context, {
      files: { 'a.txt': 'old\n' },
      replies: [read('a.txt'), write('a.txt', 'new\n'), done],
      permission: () => 'allow-once',
    });
    await prompt(sessionId, 'Write');
    const content = questions[0]?.toolCall.content ?? [];
    assert.deepEqual(content[0], { type: 'diff', path: join(path, 'a.txt'), oldText: 'old\n', newText: 'new\n' });
  });

  test('is not asked in mode full, and the guard still refuses', async (context) => {
    const { prompt, sessionId, agent, questions, updates } = await start(context, {
      replies: [bash('true', 'a'), bash('rm -rf /', 'b'), done],
    });
    await agent.request('session/set_mode', { sessionId, modeId: 'full' });
    await prompt(sessionId, 'Run');
    assert.equal(questions.length, 0);
    assert.equal(updatesOfCall(updates, 'a').at(-1)?.status, 'completed');
    assert.match(String(updatesOfCall(updates, 'b').at(-1)?.rawOutput), /guard refuses/);
  });

  test('is denied in mode read-only', async (context) => {
    const { prompt, sessionId, agent, questions, updates } = await start(context, { replies: [bash('touch a'), done] });
    await agent.request('session/set_config_option', { sessionId, configId: 'mode', value: 'read-only' });
    await prompt(sessionId, 'Run');
    assert.equal(questions.length, 0);
    assert.equal(updatesOfCall(updates).at(-1)?.status, 'failed');
  });
});

describe('cancel', () => {
  test('during text', async (context) => {
    const { prompt, sessionId, agent, sees, lines } = await start(context, {
      replies: [{ text: 'word '.repeat(50), fault: { stallAtByte: 900 } }, { text: 'Again.' }],
    });
    const turn = prompt(sessionId, 'Go');
    await sees(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await turn, 'cancelled');
    assert.match(lines.at(-1) ?? '', /"stopReason":"cancelled"/);
    assert.equal(await prompt(sessionId, 'Go on'), 'end_turn');
  });

  test('during a tool, whose call ends before the prompt', async (context) => {
    const { prompt, sessionId, agent, sees, updates, lines } = await start(context, {
      argv: ['--permission', 'full'],
      replies: [bash('echo started; sleep 60')],
    });
    const turn = prompt(sessionId, 'Run');
    await sees(
      (update) => update.sessionUpdate === 'tool_call_update' && JSON.stringify(update).includes('```\\nstarted'),
    );
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await turn, 'cancelled');
    assert.equal(updatesOfCall(updates).at(-1)?.status, 'failed');
    assert.match(lines.at(-1) ?? '', /"stopReason":"cancelled"/);
  });

  test('while permission is asked withdraws the question', async (context) => {
    const { prompt, sessionId, agent, sees, questions, lines } = await start(context, { replies: [bash('true')] });
    const turn = prompt(sessionId, 'Run');
    await sees((update) => update.sessionUpdate === 'tool_call');
    while (questions.length === 0) await new Promise(setImmediate);
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await turn, 'cancelled');
    assert.ok(lines.some((line) => line.includes('$/cancel_request')));
  });

  test('while the agent waits for a retry', async (context) => {
    const { prompt, sessionId, agent, sees } = await start(context, {
      replies: [{ match: { lastRole: 'user' }, fault: { status: 529, message: 'busy', retryAfter: '60' } }],
    });
    const turn = prompt(sessionId, 'Go');
    await sees((update) => JSON.stringify(update).includes('Retrying'));
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await turn, 'cancelled');
  });

  test('of the request itself is answered with -32800', async (context) => {
    const {
      sessionId,
      write: send,
      sees,
      lines,
    } = await start(context, {
      replies: [{ text: 'word '.repeat(50), fault: { stallAtByte: 900 } }],
    });
    const prompt = [{ type: 'text', text: 'Go' }];
    send(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'session/prompt', params: { sessionId, prompt } }));
    await sees(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    send(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'mine' } }));
    while (!lines.some((line) => line.includes('"id":"mine"'))) await new Promise(setImmediate);
    assert.match(lines.at(-1) ?? '', /"code":-32800/);
  });

  test('of a session that does nothing is ignored', async (context) => {
    const { prompt, sessionId, agent } = await start(context, { replies: [done] });
    await agent.notify('session/cancel', { sessionId });
    await agent.notify('session/cancel', { sessionId: 'unknown' });
    assert.equal(await prompt(sessionId, 'Go'), 'end_turn');
  });

  test('ends the running prompt and those that wait', async (context) => {
    const { prompt, sessionId, agent, sees } = await start(context, {
      replies: [{ text: 'word '.repeat(50), fault: { stallAtByte: 900 } }],
    });
    const turns = [prompt(sessionId, 'One'), prompt(sessionId, 'Two')];
    await sees(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    await agent.notify('session/cancel', { sessionId });
    assert.deepEqual(await Promise.all(turns), ['cancelled', 'cancelled']);
  });
});

describe('sessions', () => {
  test('two prompts at once run one after the other', async (context) => {
    const { prompt, sessionId, updates } = await start(context, { replies: [{ text: 'First.' }, { text: 'Second.' }] });
    const ends = await Promise.all([prompt(sessionId, 'One'), prompt(sessionId, 'Two')]);
    assert.deepEqual(ends, ['end_turn', 'end_turn']);
    assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'First.Second.');
  });

  test('are listed, loaded with their conversation, resumed without it, and deleted', async (context) => {
    const { prompt, sessionId, agent, updates, path } = await start(context, {
      files: { 'a.txt': 'content of a\n' },
      replies: [
        { text: 'I read it.', toolCalls: [{ name: 'Read', id: 'call-1', input: { file_path: 'a.txt' } }] },
        { text: 'It was short.' },
        { text: 'I remember.' },
      ],
    });
    await prompt(sessionId, 'Read a.txt');
    await agent.request('session/close', { sessionId });
    assert.equal((await errorOf(prompt(sessionId, 'Go'))).code, -32_002);
    const listed = await agent.request('session/list', { cwd: path });
    assert.deepEqual(
      listed.sessions.map(({ sessionId: id, cwd, title }) => [id, cwd, title]),
      [[sessionId, path, 'Read a.txt']],
    );
    updates.length = 0;
    await agent.request('session/load', { sessionId, cwd: path, mcpServers: [] });
    assert.equal(textOfUpdates(updates, 'user_message_chunk'), 'Read a.txt');
    assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'I read it.It was short.');
    assert.equal(updatesOfCall(updates).at(-1)?.status, 'completed');
    assert.match(JSON.stringify(updatesOfCall(updates).at(-1)?.content), /content of a/);
    assert.equal(await prompt(sessionId, 'Do you remember?'), 'end_turn');
    await agent.request('session/close', { sessionId });
    updates.length = 0;
    await agent.request('session/resume', { sessionId, cwd: path });
    assert.equal(textOfUpdates(updates, 'user_message_chunk'), '');
    await agent.request('session/delete', { sessionId });
    assert.deepEqual((await agent.request('session/list', { cwd: path })).sessions, []);
    assert.equal(
      (await errorOf(agent.request('session/load', { sessionId, cwd: path, mcpServers: [] }))).code,
      -32_002,
    );
  });

  test('have modes, models and efforts', async (context) => {
    const project = makeProject();
    const model = await startModel(context, { replies: [done] });
    const env = { HOME: project.home, ...reaching(model) };
    const { agent, prompt } = await startAcp(context, { folder: project.path, env, argv: ['--sandbox', 'off'] });
    const created = await agent.request('session/new', { cwd: project.path, mcpServers: [] });
    const { sessionId } = created;
    assert.equal(created.modes?.currentModeId, 'ask');
    assert.deepEqual(
      created.configOptions?.map(({ id, category }) => [id, category]),
      [
        ['mode', 'mode'],
        ['model', 'model'],
        ['effort', 'thought_level'],
      ],
    );
    const changed = await agent.request('session/set_config_option', { sessionId, configId: 'effort', value: 'high' });
    const effort = changed.configOptions.find(({ id }) => id === 'effort');
    assert.equal(effort?.type === 'select' ? effort.currentValue : '', 'high');
    await prompt(sessionId, 'Think');
    assert.match(JSON.stringify(model.requests[0]?.body), /"effort":"high"|"thinking"/);
  });

  test('refuse unknown modes, options and values', async (context) => {
    const { agent, sessionId } = await start(context, { replies: [] });
    const requests = [
      agent.request('session/set_mode', { sessionId, modeId: 'yolo' }),
      agent.request('session/set_config_option', { sessionId, configId: 'speed', value: 'high' }),
      agent.request('session/set_config_option', { sessionId, configId: 'effort', value: 'extreme' }),
    ];
    for (const request of requests) assert.equal((await errorOf(request)).code, -32_602);
  });

  test('read and write files through the editor', async (context) => {
    const saved: [string, string][] = [];
    const { prompt, sessionId, updates, path } = await start(context, {
      files: { 'a.txt': 'saved\n' },
      argv: ['--permission', 'auto-edit'],
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      readFile: () => 'unsaved\n',
      writeFile: (file, content) => saved.push([file, content]),
      replies: [
        { toolCalls: [{ name: 'Read', id: 'read', input: { file_path: 'a.txt' } }] },
        { toolCalls: [{ name: 'Edit', id: 'edit', input: { file_path: 'a.txt', old_str: 'un', new_str: '' } }] },
        done,
      ],
    });
    await prompt(sessionId, 'Edit');
    assert.equal(updatesOfCall(updates, 'read').at(-1)?.rawOutput, 'unsaved\n');
    assert.deepEqual(saved, [[join(path, 'a.txt'), 'saved\n']]);
  });

  test('use the MCP servers of the editor, with permission', async (context) => {
    const { path, agent, prompt, questions, updates } = await start(context, {
      replies: [{ toolCalls: [{ name: 'mcp__tests__echo', id: 'call-1', input: { text: 'hello' } }] }, done],
      permission: () => 'allow-once',
    });
    const args = [join(import.meta.dirname, '../support/mcp/server.ts'), 'plain'];
    const server: McpServer = { name: 'tests', command: process.execPath, args, env: [] };
    const created = await agent.request('session/new', { cwd: path, mcpServers: [server] });
    const { sessionId } = created;
    assert.equal(await prompt(sessionId, 'Echo'), 'end_turn');
    assert.equal(questions.length, 1);
    assert.equal(updatesOfCall(updates).at(-1)?.rawOutput, 'echo: hello');
  });

  test('with hooks that are not trusted are refused', async (context) => {
    const hooks = '[[hooks]]\nevent = "PreToolUse"\ncommand = "touch hook-ran"\n';
    const project = makeProject({ '.forgeflare/hooks.toml': hooks });
    const env = { HOME: project.home };
    const { agent } = await startAcp(context, { folder: project.path, env, argv: ['--sandbox', 'off'] });
    const error = await errorOf(agent.request('session/new', { cwd: project.path, mcpServers: [] }));
    assert.match(error.message, /hook/);
    assert.equal(existsSync(join(project.path, 'hook-ran')), false);
  });

  test('offer commands and run them', async (context) => {
    const { prompt, sessionId, sees, updates } = await start(context, { replies: [done] });
    await sees(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
    await prompt(sessionId, 'Go');
    assert.equal(await prompt(sessionId, '/cost'), 'end_turn');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /: 1 turn, \d+ tokens in/);
  });
});

describe('the protocol', () => {
  test('answers what is wrong with an error and goes on', async (context) => {
    const { write: send, lines, agent, path, judge } = await start(context, { replies: [] });
    const before = lines.length;
    send('{"jsonrpc":"2.0","id":101,"method":"session/fly"}');
    send('{ this is not JSON');
    send('[{"jsonrpc":"2.0","id":102,"method":"session/list"}]');
    send(`{"jsonrpc":"2.0","id":103,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}`);
    send(`{"jsonrpc":"2.0","id":104,"method":"session/prompt","params":{"sessionId":"none","prompt":[]}}`);
    send('{"jsonrpc":"2.0","method":"session/unknown"}');
    await agent.request('session/list', { cwd: path });
    const codes = lines.slice(before).map((line) => (JSON.parse(line) as { error?: { code: number } }).error?.code);
    assert.deepEqual(new Set(codes), new Set([-32_002, -32_600, -32_601, -32_602, -32_700, undefined]));
    assert.deepEqual(judge.problems, []);
  });

  test('refuses a line over 32 MiB and goes on', async (context) => {
    const { write: send, lines, agent, path } = await start(context, { replies: [] });
    const huge = 'x'.repeat(33 * 1024 * 1024);
    send(`{"jsonrpc":"2.0","id":200,"method":"session/prompt","params":{"text":"${huge}"}}`);
    await agent.request('session/list', { cwd: path });
    assert.ok(lines.some((line) => line.includes('the limit is 33554432')));
  });

  test('answers with its own version to a client of another one', async (context) => {
    const { agent } = await start(context, { replies: [] });
    const { protocolVersion } = await agent.request('initialize', { protocolVersion: 7, clientCapabilities: {} });
    assert.equal(protocolVersion, 1);
  });

  test('asks for authentication if there is no key', async (context) => {
    const project = makeProject();
    const { agent } = await startAcp(context, {
      folder: project.path,
      env: { HOME: project.home },
      argv: ['--model', 'anthropic/claude-opus-4-6', '--sandbox', 'off'],
    });
    const error = await errorOf(agent.request('session/new', { cwd: project.path, mcpServers: [] }));
    assert.equal(error.code, -32_000);
    assert.match(error.message, /ANTHROPIC_API_KEY/);
  });
});
