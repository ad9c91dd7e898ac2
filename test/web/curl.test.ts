// "Copy as curl": a real shell and a real curl send the request of the chat.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createServer } from '../../src/server/server.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { toCurl } from '../../web/chat/curl.ts';

const run = promisify(execFile);

const answer = { state: 'done', reasoning: '', tools: [], model: 'simulated' } as const;
const conversation = {
  id: 'c',
  title: '',
  models: ['simulated'],
  settings: { system: "It's a test", reasoning: '', tools: '', maxTokens: 50 },
  turns: [
    { id: 't1', text: 'Hello', images: [], answers: [[{ ...answer, text: 'Hi' }]] },
    { id: 't2', text: `Say "$HOME" and 'quotes' \\ \`id\``, images: [], answers: [[{ ...answer, text: 'Said' }]] },
    { id: 't3', text: 'Later', images: [], answers: [[{ ...answer, text: 'Later' }]] },
  ],
} as const;

test('the command asks what the chat asked', async (context) => {
  const requests: unknown[] = [];
  const inner = createSimulatedProvider();
  const server = createServer({
    port: 0,
    provider: {
      name: 'simulated',
      open(request, signal, call) {
        requests.push(request.messages.map(({ content }) => content.map((block) => 'text' in block && block.text)));
        return inner.open(request, signal, call);
      },
    },
  });
  context.after(() => server.close());
  const origin = await server.listen();
  const line = toCurl(conversation, { turnId: 't2', column: 0, number: 0 }, { origin, key: 'any' });
  const { stdout } = await run('sh', ['-c', line]);
  assert.match(stdout, /data: \[DONE\]/);
  assert.deepEqual(requests, [[["It's a test"], ['Hello'], ['Hi'], [conversation.turns[1].text]]]);
});
