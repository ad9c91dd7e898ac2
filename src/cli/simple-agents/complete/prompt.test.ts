// Where a prompt comes from, and when standard input is left alone.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryTerminal, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { readPrompt, type PromptSources } from './prompt.ts';

function read(sources: PromptSources, options: MemoryOptions = {}, signal = new AbortController().signal) {
  return readPrompt(sources, { terminal: new MemoryTerminal(options), signal });
}

describe('a prompt', () => {
  test('is the message, the words, or both', async () => {
    assert.equal(await read({ message: 'Hello', words: [] }), 'Hello');
    assert.equal(await read({ words: ['Why', 'so', 'blue?'] }), 'Why so blue?');
    assert.equal(await read({ message: 'First', words: ['then', 'this'] }), 'First\n\nthen this');
  });

  test('is standard input when there is no other', async () => {
    assert.equal(await read({ words: [] }, { input: 'piped\n' }), 'piped\n');
  });

  test('has standard input last when - asks for it', async () => {
    assert.equal(await read({ message: 'Sum up:', words: ['-'] }, { input: 'the text' }), 'Sum up:\n\nthe text');
    assert.equal(await read({ words: ['-', 'Sum', 'up:'] }, { input: 'the text' }), 'Sum up:\n\nthe text');
    assert.equal(await read({ words: ['only', 'words', '-'] }, { input: '' }), 'only words');
  });

  test('does not wait for a pipe nobody asked for', async () => {
    assert.equal(await read({ message: 'Hello', words: [] }), 'Hello');
  });

  test('keeps characters whole that were cut in two', async () => {
    const terminal = new MemoryTerminal();
    const prompt = readPrompt({ words: [] }, { terminal, signal: new AbortController().signal });
    const bytes = Buffer.from('früh 🌅');
    for (const byte of bytes) terminal.stdin.push(Buffer.from([byte]));
    terminal.stdin.push(null);
    assert.equal(await prompt, 'früh 🌅');
  });
});

describe('without a prompt', () => {
  test('a terminal is told how to write one', async () => {
    await assert.rejects(read({ words: [] }, { isTTY: true }), { kind: 'bad-request', message: /no prompt given/ });
  });

  test('an empty pipe is told to be empty', async () => {
    await assert.rejects(read({ words: [] }, { input: ' \n' }), { message: /standard input is empty/ });
  });

  test('bytes that are no text are refused', async () => {
    const input = Buffer.from([0xff, 0xfe, 0x00]);
    await assert.rejects(read({ words: [] }, { input }), { kind: 'bad-request', message: /UTF-8/ });
  });

  test('Ctrl-C ends the waiting', async () => {
    const interrupt = new AbortController();
    const waiting = read({ words: ['-'] }, {}, interrupt.signal);
    setImmediate(() => interrupt.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
  });
});
