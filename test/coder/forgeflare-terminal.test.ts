// The coding agent in a real terminal: keys, questions, and the content of the screen.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { forgeflareLauncher, projects, reaching, startModel } from '../support/forgeflare-process.ts';
import { Screen, skipWithoutTmux } from '../support/tmux.ts';

const newProject = projects();
const prompt = /\n> $|\n>$/;
const edit = { 'file_path': 'a.txt', 'old_str': 'old', 'new_str': 'new' };

const longText = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`).join('');

const script = {
  otherwise: 'reply',
  replies: [
    { match: 'slow', text: 'one two three four five six seven eight nine ten eleven', fault: { slow: 150 } },
    { match: 'fail', fault: { status: 400 } },
    { match: { contains: 'edit', lastRole: 'user' }, text: 'I will.', toolCalls: [{ name: 'Edit', input: edit }] },
    { match: { contains: 'a.txt', lastRole: 'tool' }, text: 'It is new.' },
    { match: { contains: 'did not allow', lastRole: 'tool' }, text: 'Then not.' },
    { match: { contains: 'evil', lastRole: 'user' }, text: 'red \u001b[31m alert \u0007' },
    {
      match: { contains: 'please write', lastRole: 'user' },
      toolCalls: [
        { name: 'Read', input: { 'file_path': 'a.txt' } },
        { name: 'Write', input: { 'file_path': 'a.txt', content: longText } },
      ],
    },
    {
      match: { contains: 'hide', lastRole: 'user' },
      toolCalls: [{ name: 'Bash', input: { command: 'echo hello\ntouch \u202etxt.x\u200b' } }],
    },
    { match: { contains: 'wait', lastRole: 'user' }, toolCalls: [{ name: 'Bash', input: { command: 'sleep 60' } }] },
  ],
};

async function open(context: TestContext, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const project = newProject({ 'a.txt': 'old\n' });
  const server = await startModel(context, script);
  const screen = new Screen(context, [process.execPath, forgeflareLauncher, ...argv], {
    cwd: project.path,
    env: { HOME: project.home, ...reaching(server), ...env },
  });
  return { screen, project };
}

describe('the coding agent at the keyboard', { skip: skipWithoutTmux }, () => {
  test('greets, answers, tells tokens and cost, and leaves with exit', async (context) => {
    const { screen } = await open(context);
    await screen.shows(prompt);
    assert.match(screen.text, /forgeflare \d+\.\d+\.\d+ · anthropic\/claude-opus-4-6\. \/help lists commands/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/> Count to 3\n1, 2, 3\nanthropic\/claude-opus-4-6 · \d+ in, 2 out · \$[\d.]+ · .+ m?s\n\n>$/);
    screen.press('/cost', 'Enter');
    await screen.shows(/turns: 1\ntokens: \d+ in, 2 out/);
    screen.press('exit', 'Enter');
    await screen.shows(/continue it with forgeflare --continue\nended with 0/);
  });

  test('counts the summary of /compact, and resets the count with /clear', async (context) => {
    const { screen } = await open(context);
    await screen.shows(prompt);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/1, 2, 3\n[^]*\n>$/);
    screen.press('/cost', 'Enter');
    await screen.shows(/tokens: \d+ in, 2 out[^]*\n>$/);
    const [, before] = /tokens: (\d+) in/.exec(screen.text) ?? [];
    screen.press('/compact', 'Enter');
    await screen.shows(/\[context\] 1 old exchange was summarised[^]*\n>$/);
    screen.press('C-l');
    screen.press('/cost', 'Enter');
    await screen.shows(/turns: 1\ntokens: \d+ in/);
    const [, after] = /tokens: (\d+) in/.exec(screen.text) ?? [];
    assert.ok(Number(after) > Number(before), `${after} > ${before}`);
    screen.press('/clear', 'Enter');
    await screen.shows(/a new session/);
    screen.press('C-l');
    screen.press('/cost', 'Enter');
    await screen.shows(/turns: 0\ntokens: 0 in, 0 out[^]*\ncost: \$0/);
    assert.match(screen.text, new RegExp(`\\nall sessions of this run: ${after} in, \\d+ out, \\$0\\.\\d+\\n`));
    screen.press('exit', 'Enter');
    await screen.shows(new RegExp(`${after} in, \\d+ out[^]*ended with 0`));
    assert.doesNotMatch(screen.text, /continue it with forgeflare/);
  });

  test('brings a message of several lines back as one, now and in the next session', async (context) => {
    const { screen, project } = await open(context);
    await screen.shows(prompt);
    screen.press('hello', 'Enter');
    await screen.shows(/> hello\n[^]*\n>$/);
    screen.press('Count to 3,\\', 'Enter');
    await screen.shows(/\n…$/);
    screen.press('please \\', 'Enter');
    screen.press('now', 'Enter');
    await screen.shows(/… now\n[^]*\n>$/);
    screen.press('begun \\', 'Enter');
    await screen.shows(/begun \\\n…$/);
    screen.press('C-c');
    screen.press('Up');
    await screen.shows(/\n> Count to 3,⏎please ⏎now$/);
    screen.press('Up');
    await screen.shows(/\n> hello$/);
    screen.press('Down', 'Enter');
    await screen.shows(/> Count to 3,⏎please ⏎now\n[^]*\n>$/);
    screen.press('exit', 'Enter');
    await screen.shows(/ended with 0/);
    const [path = ''] = globSync('.entire/metadata/*/prompt.txt', { cwd: project.path });
    const message = 'Count to 3,\nplease \nnow';
    assert.equal(readFileSync(join(project.path, path), 'utf8'), ['hello', message, message].join('\n\n---\n\n'));
    const history = readFileSync(join(project.home, '.local/state/simple-agents/forgeflare-history'), 'utf8');
    assert.match(history, /^hello\nCount to 3,⏎please ⏎now\n/);
  });

  test('with -p never asks, and writes only the response to stdout', async (context) => {
    const { screen, project } = await open(context, ['-p', 'edit please', '--permission', 'ask']);
    await screen.shows(/ended with 0/);
    assert.match(screen.text, /Edit was not run: .*cannot ask the user/);
    assert.doesNotMatch(screen.text, /Allow it\?/);
    assert.equal(readFileSync(join(project.path, 'a.txt'), 'utf8'), 'old\n');
    const { screen: empty } = await open(context, ['-p']);
    await empty.shows(/forgeflare: --print: needs a prompt; pass one, [^]*ended with 2/);
  });

  test('asks before it changes a file, and keeps to the answer', async (context) => {
    const { screen, project } = await open(context);
    await screen.shows(prompt);
    screen.press('edit please', 'Enter');
    await screen.shows(
      /● Edit a\.txt\n {2}--- a\.txt\n {2}\+\+\+ a\.txt\n {2}@@ -1 \+1 @@\n {2}-old\n {2}\+new\n {2}\? Edit: changes a\.txt\n {2}Allow it\?.*: ?$/,
    );
    screen.press('what', 'Enter');
    await screen.shows(/: what\n {2}Allow it\?/);
    screen.press('n', 'Enter');
    await screen.shows(/Then not\.\n[^]*\n>$/);
    assert.equal(readFileSync(join(project.path, 'a.txt'), 'utf8'), 'old\n');
    screen.press('edit again', 'Enter');
    await screen.shows(/edit again[^]*Allow it\?[^\n]*: ?$/);
    screen.press('y', 'Enter');
    await screen.shows(/It is new\.\n[^]*\n>$/);
    assert.equal(readFileSync(join(project.path, 'a.txt'), 'utf8'), 'new\n');
  });

  test('shows the real diff of a Write, all of it by pages, and the command that hides', async (context) => {
    const { screen, project } = await open(context);
    await screen.shows(prompt);
    screen.press('please write', 'Enter');
    await screen.shows(/\n {2}-old\n[^]*… \d+ lines not shown; v shows all …\n[^]*\+line 200\n/);
    await screen.shows(/\? Write: overwrites a\.txt: 1 line → 200 lines\n.*v = view all 204 lines: ?$/);
    screen.press('v', 'Enter');
    await screen.shows(/\+line 44\n.*Lines 1 to 48 of 204\. Enter = more, b = back, q = back to the question: ?$/);
    for (const last of [96, 144, 192]) {
      screen.press('Enter');
      await screen.shows(new RegExp(`Lines \\d+ to ${last} of 204\\..*: ?$`));
    }
    screen.press('Enter');
    await screen.shows(/\+line 200\n {2}Allow it\?.*: ?$/);
    screen.press('n', 'Enter');
    await screen.shows(/Then not\.\n[^]*\n>$/);
    assert.equal(readFileSync(join(project.path, 'a.txt'), 'utf8'), 'old\n');
    screen.press('hide please', 'Enter');
    await screen.shows(/\n {2}echo hello\n {2}touch <U\+202E>txt\.x<U\+200B>\n {2}\? Bash: .*\n {2}Allow it\?.*: ?$/);
    screen.press('n', 'Enter');
    await screen.shows(/\n {2}error [^\n]*did not allow Bash[^]*\n>$/);
  });

  test('Ctrl-C stops an answer, a question and a command; the agent stays usable; on an empty line it leaves', async (context) => {
    const { screen } = await open(context);
    await screen.shows(prompt);
    screen.press('slow please', 'Enter');
    await screen.shows(/one two three/);
    screen.press('C-c');
    await screen.shows(/three[ a-z]*\n\(stopped\)\n[^]*\n>$/);
    assert.doesNotMatch(screen.text, /eleven/);
    screen.press('edit please', 'Enter');
    await screen.shows(/Allow it\?[^\n]*: ?$/);
    screen.press('C-c');
    await screen.shows(/\^C\n[^]*\(stopped\)\n[^]*\n>$/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n[^]*\n>$/);
    screen.press('C-c');
    await screen.shows(/ended with 0/);
  });

  test('Ctrl-C ends a command that runs', async (context) => {
    const { screen } = await open(context, ['--permission', 'full']);
    await screen.shows(prompt);
    screen.press('wait please', 'Enter');
    await screen.shows(/● Bash sleep 60/);
    screen.press('C-c');
    await screen.shows(/Cancelled by the user\.\n\(stopped\)\n[^]*\n>$/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n/);
  });

  test('a failure is reported, and the next prompt works', async (context) => {
    const { screen } = await open(context);
    await screen.shows(prompt);
    screen.press('fail please', 'Enter');
    await screen.shows(/forgeflare: anthropic: [^]*\n>$/);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n/);
  });

  test('colours, none with NO_COLOR, and never those of the model', async (context) => {
    const { screen } = await open(context);
    await screen.shows(prompt);
    screen.press('evil please', 'Enter');
    await screen.shows(/red ␛\[31m alert ␇\n/);
    assert.ok(screen.styled.includes('\u001b[2m'));
    const { screen: plain } = await open(context, [], { NO_COLOR: '1' });
    await plain.shows(prompt);
    assert.ok(!plain.styled.includes('\u001b['));
  });

  test('a prompt as argument is answered and ends; a question can be answered', async (context) => {
    const { screen, project } = await open(context, ['edit please']);
    await screen.shows(/Allow it\?[^\n]*: ?$/);
    screen.press('y', 'Enter');
    await screen.shows(/It is new\.\n[^]*ended with 0/);
    assert.equal(readFileSync(join(project.path, 'a.txt'), 'utf8'), 'new\n');
  });

  test('hooks of a repository are shown and asked about', async (context) => {
    const project = newProject({ '.forgeflare/hooks.toml': '[[hooks]]\nevent = "Stop"\ncommand = "touch stopped"\n' });
    const server = await startModel(context, script);
    const screen = new Screen(context, [process.execPath, forgeflareLauncher], {
      cwd: project.path,
      env: { HOME: project.home, ...reaching(server) },
    });
    await screen.shows(/Stop: touch stopped\nTrust these hooks\?/);
    screen.press('y', 'Enter');
    await screen.shows(prompt);
    screen.press('Count to 3', 'Enter');
    await screen.shows(/\n1, 2, 3\n[^]*\n>$/);
    assert.equal(readFileSync(join(project.path, 'stopped'), 'utf8'), '');
  });
});
