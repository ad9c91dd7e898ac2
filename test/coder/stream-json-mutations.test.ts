// Damaged lines of a host: the agent answers every line at most once, ends no turn without a result, and goes on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { main } from '../../src/cli/forgeflare/main.ts';
import { checkLine } from '../../src/streamjson/line.ts';
import { MemoryTerminal } from '../support/memory-terminal.ts';
import { generator, mutate } from '../support/mutated-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const count = process.env['SIMPLE_AGENTS_SUITE'] === 'full' ? 3000 : 300;

function samples(id: string): object[] {
  const request = (members: object) => ({ type: 'control_request', request_id: id, request: members });
  const hooks = { PreToolUse: [{ matcher: 'Write', hookCallbackIds: ['h'], timeout: 1 }] };
  const agents = { scribe: { description: 'Writes', prompt: 'Write.', tools: ['Write'], model: 'sonnet' } };
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
  return [
    request({ subtype: 'initialize', hooks, agents, systemPrompt: ['Be brief.'], appendSystemPrompt: 'Now.' }),
    request({ subtype: 'interrupt', cancel_queued: false }),
    request({ subtype: 'set_permission_mode', mode: 'plan' }),
    request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 100 }),
    request({ subtype: 'apply_flag_settings', settings: { effortLevel: 'low' } }),
    request({ subtype: 'get_context_usage' }),
    request({ subtype: 'get_settings' }),
    request({ subtype: 'generate_session_title', description: 'A title' }),
    request({ subtype: 'cancel_async_message', message_uuid: 'x' }),
    { type: 'control_response', response: { subtype: 'success', request_id: id, response: { behavior: 'allow' } } },
    { type: 'control_cancel_request', request_id: id },
    { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Count to 2' }, image] }, uuid: id },
    { type: 'user', message: { role: 'user', content: 'Count to 2' }, parent_tool_use_id: null, session_id: '' },
  ];
}

test(`${count} damaged lines`, async () => {
  const random = generator(21);
  const lines = Array.from({ length: count }, (_, index) => {
    const all = samples(`id-${index}`);
    return mutate(all[random(all.length)] ?? {}, random).replaceAll('\n', ' ');
  });
  const last = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Count to 4' } });
  const home = temporaryFolder().path;
  const terminal = new MemoryTerminal({ input: [...lines, last, ''].join('\n'), cwd: home, env: { HOME: home } });
  const exitCode = await main(
    ['--model=simulated', '--input-format=stream-json', '--output-format=stream-json'],
    terminal,
  );
  assert.equal(exitCode, 0, terminal.err);
  assert.doesNotMatch(terminal.err, /internal error|TypeError/);
  const written = terminal.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly [member: string]: unknown });
  for (const line of written) assert.equal(checkLine(line).kind, 'line', JSON.stringify(line));
  assert.equal(written.at(-1)?.['result'], '1, 2, 3, 4');
  const replies = written.flatMap(({ type, response }) =>
    type === 'control_response' ? [(response as Record<string, unknown>)['request_id']] : [],
  );
  const named = replies.filter((id) => String(id).startsWith('id-'));
  assert.equal(new Set(named).size, named.length, 'one reply for each request');
  assert.ok(written.some(({ subtype }) => subtype === 'input_error'));
});
