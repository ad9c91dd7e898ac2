// Tool calls in context.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstArgument, KeyActions } from './key-actions.ts';

test('the first argument of a call, in one line that is not too long', () => {
  const arguments_: readonly (readonly [input: unknown, line: string])[] = [
    [{ 'file_path': 'src/a.ts', limit: 3 }, 'src/a.ts'],
    [{ command: 'npm test &&\n  npm run lint\t\n' }, 'npm test && npm run lint'],
    [{ count: 3 }, '3'],
    [{ list: ['a', { b: 1 }] }, '["a",{"b":1}]'],
    [{ text: '😀'.repeat(300) }, `${'😀'.repeat(200)}…`],
    [{ text: 'x'.repeat(200) }, 'x'.repeat(200)],
    [{}, ''],
    [null, 'null'],
    [undefined, ''],
    ['plain', 'plain'],
  ];
  for (const [input, line] of arguments_) assert.equal(firstArgument(input), line);
});

test('a call that was reported twice was made once, and usage adds up', () => {
  const actions = new KeyActions();
  const call = { type: 'tool-call', id: 'a', name: 'Read', input: { path: 'x' } } as const;
  actions.add({ role: 'assistant', content: [call] }, { input: 10, output: 2, cacheRead: 5 });
  actions.add({ role: 'assistant', content: [call, { ...call, id: 'b', name: 'Edit' }] }, { input: 1, output: 1 });
  const facts = { id: 'i', model: 'm', startedAt: 's', updatedAt: 'u', cwd: '/', version: '1' };
  const told = actions.toMarkdown(facts);
  assert.match(told, /\n- \*\*Tokens\*\*: 16 in, 3 out\n/);
  assert.match(told, /\n## Key Actions\n\n- \*\*Read\*\*: x\n- \*\*Edit\*\*: x\n$/);
  assert.match(new KeyActions().toMarkdown(facts), /\n## Key Actions\n\nNone\.\n$/);
});

const callOf = (id: string, name: string) => ({ type: 'tool-call', id, name, input: { path: id } }) as const;

test('the calls of a subagent are below the call that started it, and its usage counts', () => {
  const actions = new KeyActions();
  actions.add({ role: 'assistant', content: [callOf('t1', 'Task'), callOf('t2', 'Task')] }, { input: 1, output: 1 });
  actions.addNested('t2', { role: 'assistant', content: [callOf('c', 'Read')] }, { input: 10, output: 2 });
  actions.addNested('t1', { role: 'assistant', content: [callOf('d', 'Grep')] }, { input: 100, output: 3 });
  const facts = { id: 'i', model: 'm', startedAt: 's', updatedAt: 'u', cwd: '/', version: '1' };
  const told = actions.toMarkdown(facts);
  assert.match(told, /\*\*Tokens\*\*: 111 in, 6 out/);
  assert.match(told, /- \*\*Task\*\*: t1\n {2}- \*\*Grep\*\*: d\n- \*\*Task\*\*: t2\n {2}- \*\*Read\*\*: c\n$/);
});
