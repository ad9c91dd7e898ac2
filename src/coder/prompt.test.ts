// The system prompt, the project instructions in it, and the cache markers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { text, type Message } from '../core/message.ts';
import { loadInstructions } from './instructions.ts';
import { toMarked } from '../agent/prompt-cache.ts';
import { toSystemPrompt } from './prompt.ts';

const environment = { cwd: '/work/shop', platform: 'linux', date: '2026-11-16' };

describe('the system prompt', () => {
  test('tells where the agent is and how it works', () => {
    const prompt = toSystemPrompt({ ...environment, git: { branch: 'main' }, sandbox: 'in a sandbox' });
    for (const part of ['/work/shop', 'linux', '2026-11-16', 'branch main', 'in a sandbox']) {
      assert.ok(prompt.includes(part), part);
    }
    for (const rule of [
      'Read before you edit',
      'Search first',
      'minimal changes',
      'Verify',
      'Bash',
      'Analyse errors',
    ]) {
      assert.ok(prompt.includes(rule), rule);
    }
    assert.match(toSystemPrompt(environment), /not a repository/);
  });

  test('ends with what the project says, the nearest last', () => {
    const files = [
      { path: '/work/AGENTS.md', text: 'far\n' },
      { path: '/work/shop/AGENTS.md', text: 'near\n' },
    ];
    assert.match(
      toSystemPrompt(environment, files),
      /## \/work\/AGENTS\.md\n\nfar\n\n## \/work\/shop\/AGENTS\.md\n\nnear$/,
    );
  });
});

describe('instructions', () => {
  const folder = temporaryFolder().path;
  const below = join(folder, 'a', 'b');
  mkdirSync(below, { recursive: true });
  const found = async () => (await loadInstructions(below)).filter(({ path }) => path.startsWith(folder));

  test('are found from the root to the folder; CLAUDE.md where there is no AGENTS.md', async () => {
    writeFileSync(join(folder, 'AGENTS.md'), 'outer');
    writeFileSync(join(folder, 'CLAUDE.md'), 'not this one');
    writeFileSync(join(below, 'CLAUDE.md'), 'inner');
    assert.deepEqual(await found(), [
      { path: join(folder, 'AGENTS.md'), text: 'outer' },
      { path: join(below, 'CLAUDE.md'), text: 'inner' },
    ]);
  });

  test('are bounded, each and together, and cut at a character', async () => {
    writeFileSync(join(below, 'CLAUDE.md'), `x${'€'.repeat(20_000)}`);
    writeFileSync(join(folder, 'AGENTS.md'), 'y'.repeat(40_000));
    const [outer, inner] = await found();
    assert.match(outer?.text ?? '', /^y{32768}\n\n\[cut after 32 KB\]$/);
    assert.match(inner?.text ?? '', /^x€{10922}\n\n\[cut after 32 KB\]$/);
  });

  test('that are no files are not there', async () => {
    const odd = join(folder, 'odd');
    mkdirSync(join(odd, 'AGENTS.md'), { recursive: true });
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(odd, 'CLAUDE.md')]);
    assert.ok((await loadInstructions(odd)).every(({ path }) => !path.startsWith(odd)));
  });
});

const say = (role: Message['role'], ...words: string[]): Message => ({ role, content: words.map(text) });
const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });

test('at most four marks for the cache: the last tool, the system prompt, the ends of the last two user messages', () => {
  const { messages, tools } = toMarked({
    model: 'm',
    messages: [
      say('system', 's'),
      say('user', '1'),
      say('assistant', '2'),
      say('user', '3'),
      say('assistant', '4'),
    ].concat(say('user', '5', '6')),
    tools: [tool('a'), tool('b')],
  });
  const marked = messages.flatMap(({ content }) => content.filter((block) => 'cache' in block));
  assert.deepEqual(
    marked.map((block) => block.type === 'text' && block.text),
    ['s', '3', '6'],
  );
  assert.deepEqual(
    tools?.map((each) => 'cache' in each),
    [false, true],
  );
});
