// The chat's upstream, cut at one byte after another: wherever it is cut, the user gets each text once, every tool that
// starts ends, and the stream reports how it ended.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { defineTool } from '../../src/agent/tool.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import type { WireName } from './agent-model.ts';
import { readAnswer, startChat, type ChatServer } from './chat-server.ts';

const words = 'one two three four five six seven';
const look = defineTool({ name: 'look', description: 'Looks', effect: 'pure', run: () => 'seen' });

interface Outcomes {
  /** The numbers of complete and of failed responses. */
  complete: number;
  failed: number;
}

/** Every `step`th byte, from the first to beyond the last, of the response that follows a tool. */
export async function cutEverywhere(context: TestContext, wire: WireName, step: number): Promise<Outcomes> {
  const chat = await startChat(context, wire, { replies: [], tools: [look], chat: { rateLimit: 0 } });
  const outcomes = { complete: 0, failed: 0 };
  for (let byte = 0; byte <= 1400; byte += step) {
    for (const how of ['cutAtByte', 'endAtByte'] as const) {
      await play(chat, [
        { text: 'I look. ', toolCalls: [{ name: 'look', id: 'a' }] },
        { text: words, fault: { [how]: byte } },
        { text: words },
      ]);
      const isComplete = await check(chat, `${how} ${byte}`);
      outcomes[isComplete ? 'complete' : 'failed'] += 1;
    }
  }
  return outcomes;
}

async function play({ model }: ChatServer, replies: readonly ScriptedReply[]): Promise<void> {
  const body = JSON.stringify({ replies });
  const response = await fetch(`${model.url}/_simulate/script`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.ok(response.ok, await response.text());
}

async function check({ ask }: ChatServer, where: string): Promise<boolean> {
  const { text, errors, tools } = await readAnswer(await ask('Go'));
  assert.deepEqual(
    tools.map(({ status }) => status),
    ['start', 'end'],
    where,
  );
  assert.ok(text.startsWith('I look. '), where);
  const rest = text.slice('I look. '.length);
  if (errors.length === 0) {
    assert.equal(rest, words, where);
    return true;
  }
  assert.deepEqual(errors, ['Failed to process tool results. Please try again.'], where);
  assert.ok(rest !== '' && words.startsWith(rest), `${where}: ${rest}`);
  return false;
}
