// Where a prompt comes from, and when standard input is not read.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryTerminal, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { readPrompt, type PromptSources } from './prompt.ts';

function read(sources: PromptSources, options: MemoryOptions = {}, signal = new AbortController().signal) {
  return readPrompt(sources, { terminal: new MemoryTerminal(options), signal });
}

describe('a prompt', () => {
  test('is the message, the arguments, or both', async () => {
    assert.equal(await read({ message: 'Hello', words: [] }), 'Hello');
    assert.equal(await read({ words: ['Why', 'so', 'blue?'] }), 'Why so blue?');
    assert.equal(await read({ message: 'First', words: ['then', 'this'] }), 'First\n\nthen this');
  });

  test('is standard input if there is no other', async () => {
    assert.equal(await read({ words: [] }, { input: 'piped\n' }), 'piped\n');
  });

  test('ends with standard input if - is given', async () => {
    assert.equal(await read({ message: 'Sum up:', words: ['-'] }, { input: 'the text' }), 'Sum up:\n\nthe text');
    assert.equal(await read({ words: ['-', 'Sum', 'up:'] }, { input: 'the text' }), 'Sum up:\n\nthe text');
    assert.equal(await read({ words: ['only', 'words', '-'] }, { input: '' }), 'only words');
  });

  test('does not wait for a pipe that was not requested', async () => {
    assert.equal(await read({ message: 'Hello', words: [] }), 'Hello');
  });

  test('decodes characters that are split between chunks', async () => {
    const terminal = new MemoryTerminal();
    const prompt = readPrompt({ words: [] }, { terminal, signal: new AbortController().signal });
    const bytes = Buffer.from('früh 🌅');
    for (const byte of bytes) terminal.stdin.push(Buffer.from([byte]));
    terminal.stdin.push(null);
    assert.equal(await prompt, 'früh 🌅');
  });
});

describe('without a prompt', () => {
  test('at a terminal, the error shows how to pass one', async () => {
    await assert.rejects(read({ words: [] }, { isTTY: true }), { kind: 'bad-request', message: /no prompt given/ });
  });

  test('an empty pipe is an error', async () => {
    await assert.rejects(read({ words: [] }, { input: ' \n' }), { message: /standard input is empty/ });
  });

  test('bytes that are not UTF-8 are rejected', async () => {
    const input = Buffer.from([0xff, 0xfe, 0x00]);
    await assert.rejects(read({ words: [] }, { input }), { kind: 'bad-request', message: /UTF-8/ });
  });

  test('Ctrl-C stops waiting', async () => {
    const interrupt = new AbortController();
    const waiting = read({ words: ['-'] }, {}, interrupt.signal);
    setImmediate(() => interrupt.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
  });
});
