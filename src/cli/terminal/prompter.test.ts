// Messages from a pipe.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createPipedPrompter } from './prompter.ts';

async function turnsOf(input: string): Promise<string[]> {
  const prompter = createPipedPrompter(Readable.from([input]), new AbortController().signal);
  const turns: string[] = [];
  for (let turn = await prompter.ask(); turn !== undefined; turn = await prompter.ask()) turns.push(turn);
  prompter.close();
  return turns;
}

test('each line is a message; empty lines are skipped', async () => {
  assert.deepEqual(await turnsOf('one\r\n\n  two  \nthree'), ['one', 'two', 'three']);
  assert.deepEqual(await turnsOf(''), []);
});

test('a backslash at the end continues the message', async () => {
  assert.deepEqual(await turnsOf('one\\\ntwo\\\nthree\nfour\n'), ['one\ntwo\nthree', 'four']);
  assert.deepEqual(await turnsOf('one\nunfinished\\'), ['one', 'unfinished']);
});

test('Ctrl-C stops waiting for a line', async () => {
  const interrupt = new AbortController();
  const prompter = createPipedPrompter(new Readable({ read() {} }), interrupt.signal);
  setImmediate(() => interrupt.abort());
  assert.equal(await prompter.ask(), undefined);
});
