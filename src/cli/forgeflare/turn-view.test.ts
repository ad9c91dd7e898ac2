// The view of a turn while the user is asked: nothing else is written until the user has replied.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryTerminal } from '../../../test/support/memory-terminal.ts';
import type { AgentEvent } from '../../agent/event.ts';
import { noUsage } from '../../core/usage.ts';
import { TurnView } from './turn-view.ts';

const nested = (id: string, event: AgentEvent): AgentEvent => ({ type: 'subagent-event', id, event });
const call = (id: string, name: string, input: object): AgentEvent => ({ type: 'tool-start', id, name, input });
const end: AgentEvent = { type: 'turn-end', reason: 'end', text: '', usage: noUsage, iterations: 0, duration: 0 };

function startView() {
  const terminal = new MemoryTerminal();
  const view = new TurnView({ terminal, verbose: false, quiet: false, words: 'silent' });
  return { terminal, view };
}

test('the lines of other subagents wait for the reply, and keep their order', async () => {
  const { terminal, view } = startView();
  await view.show(call('t1', 'Task', { description: 'one' }));
  await view.show(nested('t1', call('c1', 'Bash', { command: 'a' })));
  const reply = Promise.withResolvers<void>();
  const asking = view.whileAsking(async () => {
    await view.tell('?');
    await reply.promise;
  });
  for (const path of ['x', 'y']) await view.show(nested('t1', call(path, 'Read', { 'file_path': path })));
  assert.equal(terminal.err, '● Task one\n  │ Bash a\n?\n');
  reply.resolve();
  await asking;
  await view.show(nested('t1', call('z', 'Read', { 'file_path': 'z' })));
  assert.equal(terminal.err, '● Task one\n  │ Bash a\n?\n  │ Read x\n  │ Read y\n  │ Read z\n');
});

test('a question of a subagent is due when its request was reached, also with --quiet', async () => {
  const terminal = new MemoryTerminal();
  const view = new TurnView({ terminal, verbose: false, quiet: true, words: 'silent' });
  const reached = view.reached('c1');
  await view.show(call('t1', 'Task', { description: 'one' }));
  await view.show(nested('t1', { type: 'permission-request', id: 'c1', name: 'Bash', input: {} }));
  await reached;
  assert.equal(terminal.err, '');
});

test('the end of the turn ends the wait', async () => {
  const { terminal, view } = startView();
  await view.show(call('t1', 'Task', { description: 'one' }));
  void view.whileAsking(() => new Promise(() => undefined));
  await view.show(nested('t1', call('x', 'Read', { 'file_path': 'x' })));
  await view.show(end);
  assert.match(terminal.err, /│ Read x\n$/);
});
