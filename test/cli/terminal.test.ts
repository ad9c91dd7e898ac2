// The interactive chat in a real terminal: keys, and the content of the screen.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { launcher } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Screen, skipWithoutTmux, type ScreenOptions } from '../support/tmux.ts';

const folder = temporaryFolder();
const cwd = folder.path;
folder.write(
  'script.json',
  JSON.stringify({
    otherwise: 'reply',
    replies: [
      { match: 'slow', text: 'one two three four five six seven eight nine ten eleven', fault: { slow: 150 } },
      { match: 'fail', fault: { status: 529 } },
    ],
  }),
);
folder.write('simple-agents.toml', '[[providers]]\ntype = "simulated"\nscript = "script.json"\n');
const prompt = /\n> $|\n>$/;

async function openChat(context: TestContext, argv: readonly string[] = [], options: Partial<ScreenOptions> = {}) {
  const screen = new Screen(context, [process.execPath, launcher, 'chat', ...argv], { cwd, ...options });
  await screen.shows(prompt);
  return screen;
}

describe('a chat at the keyboard', { skip: skipWithoutTmux }, () => {
  test('shows a greeting, the response, model and tokens, and exits with Ctrl-D', async (context) => {
    const screen = await openChat(context);
    assert.match(
      screen.text,
      /^Chatting with simulated, which needs no API key\. Type \/help to list commands, press Ctrl-D to exit\./,
    );
    screen.press('Count to 3', 'Enter');
    await screen.shows(/> Count to 3\n1, 2, 3\nsimulated · 6 in, 2 out · [\d.]+ m?s\n\n>$/);
    screen.press('C-d');
    await screen.shows(/ended with 0/);
  });

  test('has colours, and none with NO_COLOR', async (context) => {
    assert.ok((await openChat(context)).styled.includes('\u001b[2m'));
    const plain = await openChat(context, [], { env: { NO_COLOR: '1' } });
    assert.ok(!plain.styled.includes('\u001b['));
  });

  test('Ctrl-C stops a response, keeps its beginning, and the chat continues', async (context) => {
    const screen = await openChat(context);
    screen.press('slow please', 'Enter');
    await screen.shows(/one two three/);
    screen.press('C-c');
    await screen.shows(/three[ a-z]*\n\(stopped\)\n\n>$/);
    assert.doesNotMatch(screen.text, /eleven/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n/);
    screen.press('/save stopped.json', 'Enter');
    await screen.shows(/saved to/);
    const { messages } = JSON.parse(readFileSync(join(cwd, 'stopped.json'), 'utf8')) as {
      messages: { role: string; content: { text: string }[] }[];
    };
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.match(messages[1]?.content[0]?.text ?? '', /^one two three/);
  });

  test('keys typed during a response wait for the prompt', async (context) => {
    const screen = await openChat(context);
    screen.press('slow please', 'Enter');
    await screen.shows(/one/);
    screen.press('Count to 4', 'Enter');
    await screen.shows(/eleven\nsimulated · .*\n\n> Count to 4\n1, 2, 3, 4\n/);
  });

  test('a failure is shown and the chat continues', async (context) => {
    const screen = await openChat(context);
    screen.press('fail', 'Enter');
    await screen.shows(/simple-agents: The simulated model failed, as the script demands\.\nTry again later.*\n\n>$/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n/);
    screen.press('exit', 'Enter');
    await screen.shows(/ended with 0/);
  });

  test('Ctrl-C clears a line, and exits when pressed twice on an empty one', async (context) => {
    const screen = await openChat(context);
    screen.press('half a thought');
    await screen.shows(/thought/);
    screen.press('C-c');
    await screen.shows(/> half a thought\^C\n>$/);
    screen.press('C-c');
    await screen.shows(/\(press Ctrl-C again or Ctrl-D to exit\)\n>$/);
    screen.press('C-c');
    await screen.shows(/ended with 0/);
  });

  test('pasted lines are one message, and so are lines that end with a backslash', async (context) => {
    const screen = await openChat(context);
    screen.paste('first line\nsecond line\n');
    await screen.shows(/> first line⏎second line$/);
    screen.press('Enter');
    await screen.shows(/You said: “first line\nsecond line”/);
    screen.press('third line\\', 'Enter');
    await screen.shows(/\n…$/);
    screen.press('fourth line', 'Enter');
    await screen.shows(/You said: “third line\nfourth line”/);
    screen.paste(`${'word '.repeat(30)}\n`.repeat(20));
    await screen.shows(/> \[paste 1: 20 lines\]$/);
    screen.press('Enter');
    await screen.shows(/You said: “word word/);
  });

  test('the arrow key recalls input, also in the next session', async (context) => {
    const home = temporaryFolder().path;
    const first = await openChat(context, [], { env: { HOME: home } });
    first.press('Count to 3', 'Enter');
    await first.shows(/1, 2, 3\n/);
    first.press('exit', 'Enter');
    await first.shows(/ended with 0/);
    const file = join(home, '.local/state/simple-agents/chat-history');
    assert.equal(readFileSync(file, 'utf8'), 'Count to 3\nexit\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const second = await openChat(context, [], { env: { HOME: home } });
    second.press('Up', 'Up', 'Enter');
    await second.shows(/> Count to 3\n1, 2, 3\n/);
    const third = await openChat(context, ['--no-history'], { env: { HOME: home } });
    third.press('secret', 'Enter');
    await third.shows(/You said: “secret”/);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /secret/);
  });

  test('Tab completes commands, and a mistyped command gets a suggestion', async (context) => {
    const screen = await openChat(context);
    screen.press('/mod', 'Tab');
    await screen.shows(/> \/model/);
    screen.press('Enter');
    await screen.shows(/\nmodel: simulated\n/);
    screen.press('/hepl', 'Enter');
    await screen.shows(/unknown command \/hepl; did you mean "\/help"\?/);
  });

  test('responses go to a file while the prompt stays on the screen', async (context) => {
    const command = `'${process.execPath}' '${launcher}' chat > answers.txt`;
    const screen = new Screen(context, ['sh', '-c', command], { cwd });
    await screen.shows(prompt);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/> Count to 3\nsimulated · .*\n\n>$/);
    assert.equal(readFileSync(join(cwd, 'answers.txt'), 'utf8'), '1, 2, 3\n');
  });
});

describe('npm run demo at the keyboard', { skip: skipWithoutTmux }, () => {
  test('shows that no key is required and opens a chat', async (context) => {
    const home = temporaryFolder().path;
    const screen = new Screen(context, [process.execPath, launcher, 'start'], { cwd: home });
    await screen.shows(prompt);
    assert.match(
      screen.text,
      /^SimpleAgents: .* You can try it without an API key\.\nUsing the built-in simulated model/,
    );
    screen.press('hello', 'Enter');
    await screen.shows(/Hello! I am the simulated model/);
  });

  test('shows which key it uses', async (context) => {
    const home = temporaryFolder().path;
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    const screen = new Screen(context, [process.execPath, launcher, 'start'], { cwd: home, env });
    await screen.shows(prompt);
    assert.match(screen.text, /\nUsing anthropic\/claude-\S+, because ANTHROPIC_API_KEY is set/);
  });
});
