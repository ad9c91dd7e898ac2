// MCP servers that an editor passes with a session: their tools run with permission, and they end with the session.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAcp, textOfUpdates } from '../support/acp-client.ts';
import { projects, reaching, startModel } from '../support/forgeflare-process.ts';
import { testServer } from '../support/mcp/connected.ts';

const newProject = projects();
const program = join(import.meta.dirname, '../support/mcp/server.ts');

test('the tools of the servers of an editor run after permission, over stdio and HTTP', async (context) => {
  const project = newProject();
  const toolCalls = ['local', 'remote'].map((name) => ({
    name: `mcp__${name}__echo`,
    id: name,
    input: { text: name },
  }));
  const model = await startModel(context, { replies: [{ toolCalls }, { text: 'Both ran.' }] });
  const { agent, questions, updates, prompt } = await startAcp(context, {
    folder: project.path,
    env: { HOME: project.home, ...reaching(model) },
    permission: () => 'allow-once',
  });
  const remote = (await testServer(context, 'plain', 'http')) as { url: string };
  const { sessionId } = await agent.request('session/new', {
    cwd: project.path,
    mcpServers: [
      { name: 'local', command: process.execPath, args: [program, 'plain'], env: [{ name: 'OWN', value: '1' }] },
      { type: 'http', name: 'remote', url: remote.url, headers: [{ name: 'X-Own', value: '1' }] },
    ],
  });
  assert.equal(await prompt(sessionId, 'Go'), 'end_turn');
  assert.equal(questions.length, 2);
  assert.equal(textOfUpdates(updates, 'agent_message_chunk'), 'Both ran.');
  const results = JSON.stringify(model.requests.at(-1)?.body);
  assert.match(results, /echo: local/);
  assert.match(results, /echo: remote/);
});
