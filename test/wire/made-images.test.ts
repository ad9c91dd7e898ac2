// Images that a model made, in responses and in the conversations that follow: in the form of OpenRouter on OpenAI's chat
// wire, and as items on its Responses wire.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assemble } from '../../src/core/assembler.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { Block, ImageBlock } from '../../src/core/message.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { bedrockConverse } from '../../src/wire/bedrock-converse/client.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import { openaiResponsesServer } from '../../src/wire/openai-responses/server.ts';
import type { WireClient, WireServer } from '../../src/wire/wire.ts';

const jpeg: ImageBlock = { type: 'image', source: { kind: 'base64', mediaType: 'image/jpeg', data: '/9j/AAAA' } };
const linked: ImageBlock = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };
const text: Block = { type: 'text', text: 'Here it is.' };

function eventsOf(...blocks: readonly Block[]): StreamEvent[] {
  return [
    { type: 'message-start', id: 'gen_1', model: 'm' },
    ...blocks.map((block, index): StreamEvent => ({ type: 'block-end', index, block })),
    { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 2 } },
  ];
}

function throughStream(server: WireServer, client: WireClient, events: readonly StreamEvent[]): readonly Block[] {
  const encoder = server.encodeStream({ includeUsage: true });
  const decoder = client.decodeStream();
  const bytes = new TextEncoder().encode(events.map((event) => encoder.push(event)).join(''));
  return assemble([...decoder.push(bytes), ...decoder.end()]).content;
}

function throughBody(server: WireServer, client: WireClient, events: readonly StreamEvent[]): readonly Block[] {
  return assemble(client.decodeBody(server.encodeBody(assemble(events)))).content;
}

function withoutExtra(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => (block.type === 'image' ? { type: block.type, source: block.source } : block));
}

describe('OpenAI chat', () => {
  test('carries images by their bytes and by URL, in a stream and in a body', () => {
    for (const carry of [throughStream, throughBody])
      assert.deepEqual(carry(openaiChatServer, openaiChat, eventsOf(text, jpeg, linked)), [text, jpeg, linked]);
  });

  test('takes them back in the conversation', () => {
    const body = openaiChatServer.encodeBody(assemble(eventsOf(text, jpeg))) as { choices: { message: object }[] };
    const messages = [{ role: 'user', content: 'Draw' }, body.choices[0]?.message, { role: 'user', content: 'Larger' }];
    const { messages: decoded } = openaiChatServer.decodeRequest({ model: 'm', messages });
    assert.deepEqual(decoded[1]?.content, [text, jpeg]);
    assert.equal(decoded[1].extra, undefined);
  });

  test('reports an image without an address', () => {
    const choices = [{ message: { content: 'Hi', images: [{ type: 'image_url' }] }, finish_reason: 'stop' }];
    const events = openaiChat.decodeBody({ id: 'a', model: 'm', choices });
    assert.equal(events.find(({ type }) => type === 'notice')?.type, 'notice');
    assert.deepEqual(assemble(events).content, [{ type: 'text', text: 'Hi' }]);
  });
});

describe('OpenAI Responses', () => {
  test('carries images by their bytes as items, and those by URL as links', () => {
    for (const carry of [throughStream, throughBody]) {
      const blocks = carry(openaiResponsesServer, openaiResponses, eventsOf(text, jpeg, linked));
      const link = { type: 'text', text: '![image](https://example.com/a.png)' };
      assert.deepEqual(withoutExtra(blocks), [text, jpeg, link]);
    }
  });

  test('sends an item of the provider back as it was', () => {
    const item = { type: 'image_generation_call', id: 'ig_abc', status: 'completed', result: 'iVBORAAA', size: 'auto' };
    const events = openaiResponses.decodeBody({ id: 'resp_1', model: 'm', status: 'completed', output: [item] });
    const [image] = assemble(events).content;
    assert.deepEqual(image?.type === 'image' && image.source, {
      kind: 'base64',
      mediaType: 'image/png',
      data: 'iVBORAAA',
    });
    const { output } = openaiResponsesServer.encodeBody(assemble(events)) as { output: unknown };
    assert.deepEqual(output, [item]);
    const { messages } = openaiResponsesServer.decodeRequest({ model: 'm', input: [item] });
    assert.deepEqual(openaiResponses.encodeRequest({ model: 'm', messages }).body['input'], [item]);
  });

  test('reports an image of another provider in the conversation', () => {
    const messages = [{ role: 'assistant', content: [text, jpeg] } as const];
    const { body, losses } = openaiResponses.encodeRequest({ model: 'm', messages });
    assert.equal((body['input'] as unknown[]).length, 1);
    assert.deepEqual(losses, ['an image in a message of the assistant was left out']);
  });
});

test('providers that accept images of the user only get the conversation without them, which is reported', () => {
  const messages = [
    { role: 'user', content: [jpeg] },
    { role: 'assistant', content: [text, jpeg] },
    { role: 'user', content: [{ type: 'text', text: 'Larger' }] },
  ] as const;
  for (const wire of [anthropicMessages, bedrockConverse]) {
    const { body, losses } = wire.encodeRequest({ model: 'm', messages, maxTokens: 9 });
    assert.deepEqual(losses, ['an image in a message of the assistant was left out']);
    assert.equal(JSON.stringify(body).split('/9j/AAAA').length, 2);
  }
});
