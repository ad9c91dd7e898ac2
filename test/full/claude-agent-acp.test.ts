// The official ACP adapter of the claude CLI drives forgeflare unmodified, and the official ACP client drives the adapter:
// tools with permission, denial, cancellation, several turns, images.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { startAcpProcess, textOfUpdates, type AcpProcess } from '../support/acp-client.ts';
import { forgeflareLauncher, projects, reaching, startModel, type Project } from '../support/forgeflare-process.ts';
import { outsideProgram } from '../support/outside-agents.ts';

const project = projects();
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const script = {
  replies: [
    { match: { lastRole: 'tool' }, text: 'Finished.' },
    {
      match: { contains: 'write it' },
      text: 'Writing.',
      toolCalls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'one\n' } }],
    },
    { match: { contains: 'sleep' }, toolCalls: [{ name: 'Bash', input: { command: 'sleep 30' } }] },
    { match: { contains: 'hello' }, text: 'Hello back.' },
  ],
};

interface Editor extends AcpProcess {
  readonly place: Project;
  readonly sessionId: string;
  readonly requests: () => string[];
}

/** `choice`: the kind of the option that the user selects. */
async function startEditor(context: TestContext, choice = 'allow_once', place = project()): Promise<Editor> {
  const server = await startModel(context, script);
  const client = await startAcpProcess(context, {
    folder: place.path,
    program: await outsideProgram('claude-agent-acp'),
    env: {
      HOME: place.home,
      ...reaching(server),
      CLAUDE_CODE_EXECUTABLE: forgeflareLauncher,
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    permission: ({ options }) => options.find(({ kind }) => kind === choice)?.optionId ?? options[0]?.optionId ?? '',
  });
  const requests = () => server.requests.map(({ body }) => JSON.stringify(body));
  return { ...client, place, requests, sessionId: await client.newSession() };
}

describe('claude-agent-acp drives forgeflare', { timeout: 900_000 }, () => {
  test('a tool runs after the user has allowed it', async (context) => {
    const { prompt, sessionId, questions, updates, place } = await startEditor(context);
    assert.equal(await prompt(sessionId, 'write it'), 'end_turn');
    assert.equal(questions.length, 1);
    assert.equal(readFileSync(join(place.path, 'new.txt'), 'utf8'), 'one\n');
    assert.match(textOfUpdates(updates, 'agent_message_chunk'), /Writing\..*Finished\./s);
    assert.equal(textOfUpdates(updates, 'agent_message_chunk').match(/Finished/g)?.length, 1);
    const usage = updates.findLast(({ sessionUpdate }) => sessionUpdate === 'usage_update');
    assert.ok(
      usage?.sessionUpdate === 'usage_update' && usage.used > 0 && usage.size >= 200_000,
      JSON.stringify(usage),
    );
  });

  test('"always" holds for the next call', async (context) => {
    const { prompt, sessionId, questions } = await startEditor(context, 'allow_always');
    await prompt(sessionId, 'write it');
    await prompt(sessionId, 'write it');
    assert.equal(questions.length, 1);
  });

  test('a denied tool does not run', async (context) => {
    const { prompt, sessionId, place } = await startEditor(context, 'reject_once');
    const reason = await prompt(sessionId, 'write it');
    assert.ok(reason === 'end_turn' || reason === 'cancelled', reason);
    assert.equal(existsSync(join(place.path, 'new.txt')), false);
  });

  test('a cancelled turn ends as cancelled, and the next one works', async (context) => {
    const { prompt, sessionId, agent, sees, requests } = await startEditor(context);
    const running = prompt(sessionId, 'sleep please');
    await sees((update) => update.sessionUpdate === 'tool_call');
    await agent.notify('session/cancel', { sessionId });
    assert.equal(await running, 'cancelled');
    const { stopReason } = await agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'hello' },
        { type: 'image', mimeType: 'image/png', data: image },
      ],
    });
    assert.equal(stopReason, 'end_turn');
    assert.ok(requests().at(-1)?.includes(image), 'the image reaches the model');
  });

  test('a session is resumed by another process', async (context) => {
    const first = await startEditor(context);
    const { sessionId, place } = first;
    assert.equal(await first.prompt(sessionId, 'hello'), 'end_turn');
    first.child.stdin?.end();
    await once(first.child, 'close');
    const second = await startEditor(context, 'allow_once', place);
    await second.agent.request('session/resume', { sessionId, cwd: place.path, mcpServers: [] });
    assert.equal(await second.prompt(sessionId, 'hello again'), 'end_turn');
    assert.match(second.requests().at(-1) ?? '', /Hello back.*hello again/);
  });
});
