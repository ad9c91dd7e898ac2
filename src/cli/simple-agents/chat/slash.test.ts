// The slash commands of the chat.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { assemble } from '../../../core/assembler.ts';
import { text } from '../../../core/message.ts';
import { Conversation } from './conversation.ts';
import { leave, unescape } from '../../slash-command.ts';
import { commandNames, runChatCommand, type ChatControls } from './slash.ts';

const folder = temporaryFolder();

function controls(): ChatControls & { modelName: string } {
  return {
    conversation: new Conversation(),
    modelName: 'simulated',
    cwd: folder.path,
    async switchModel(name) {
      this.modelName = name;
    },
  };
}

test('text is not a command, and two slashes escape one', async () => {
  for (const line of ['hello', '//etc/passwd', 'exit now', '2/3'])
    assert.equal(await runChatCommand(line, controls()), undefined);
  assert.equal(unescape('//etc/passwd'), '/etc/passwd');
  assert.equal(unescape('hello'), 'hello');
});

test('there are several ways to exit', async () => {
  for (const line of ['/exit', 'exit', 'quit', 'EXIT', '/quit'])
    assert.equal(await runChatCommand(line, controls()), leave);
});

test('/help lists every command', async () => {
  const help = await runChatCommand('/help', controls());
  for (const name of commandNames) assert.ok(String(help).includes(name), name);
});

test('an unknown command gets a suggestion', async () => {
  await assert.rejects(runChatCommand('/modle gpt', controls()), {
    kind: 'bad-request',
    message: 'unknown command /modle; did you mean "/model"? (start with // to send it as a message)',
  });
  await assert.rejects(runChatCommand('/etc/passwd', controls()), { message: /\/help lists the commands/ });
});

test('/model shows and changes the model', async () => {
  const chat = controls();
  assert.equal(await runChatCommand('/model', chat), 'model: simulated');
  assert.equal(await runChatCommand('/model openai/gpt', chat), 'model: openai/gpt');
});

test('/system shows, changes and removes the system prompt', async () => {
  const chat = controls();
  assert.equal(await runChatCommand('/system', chat), 'no system prompt');
  assert.equal(await runChatCommand('/system Be\nbrief.', chat), 'system: Be\nbrief.');
  assert.equal(chat.conversation.system, 'Be\nbrief.');
  assert.equal(await runChatCommand('/system -', chat), 'no system prompt');
  assert.equal(chat.conversation.system, undefined);
});

describe('/save', () => {
  const chat = controls();
  chat.conversation.system = 'Be brief.';

  test('has nothing to save in an empty conversation', async () => {
    await assert.rejects(runChatCommand('/save', chat), {
      message: 'the conversation is empty; there is nothing to save',
    });
    chat.conversation.record('One?', { ...assemble([]), content: [text('One.')] });
  });

  test('writes Markdown', async () => {
    assert.equal(await runChatCommand('/save chat.md', chat), 'saved to chat.md');
    const saved = readFileSync(join(folder.path, 'chat.md'), 'utf8');
    assert.match(
      saved,
      /^# Chat with simulated\n\nSaved \S+\n\n## System\n\nBe brief\.\n\n## You\n\nOne\?\n\n## Model\n\nOne\.\n$/,
    );
  });

  test('writes JSON to a .json file', async () => {
    await runChatCommand('/save chat.json', chat);
    const saved: unknown = JSON.parse(readFileSync(join(folder.path, 'chat.json'), 'utf8'));
    const { savedAt, ...rest } = saved as { savedAt: string };
    assert.ok(Date.parse(savedAt) > 0);
    assert.deepEqual(rest, { model: 'simulated', system: 'Be brief.', messages: chat.conversation.messages });
  });

  test('never overwrites a file', async () => {
    await assert.rejects(runChatCommand('/save chat.md', chat), {
      message: 'chat.md: the file already exists; choose another name',
    });
    await assert.rejects(runChatCommand('/save no/such/folder.md', chat), { message: /the directory does not exist/ });
  });

  test('chooses a name if none is given', async () => {
    assert.match(String(await runChatCommand('/save', chat)), /^saved to chat-\d{4}-\d\d-\d\d-\d{6}\.md$/);
  });

  test('does not save cleared messages', async () => {
    assert.match(String(await runChatCommand('/clear', chat)), /conversation cleared/);
    await assert.rejects(runChatCommand('/save', chat), {
      message: 'the conversation is empty; there is nothing to save',
    });
  });
});
