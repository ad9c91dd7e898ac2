// Images, audio and documents on every wire to a provider: each is sent or refused by name. None is lost silently, in a
// user's message and in the result of a tool.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { toBase64 } from '../../src/core/base64.ts';
import type { Block, MediaSource, ToolResultBlock } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { bedrockAnthropic } from '../../src/wire/bedrock-invoke/client.ts';
import type { WireClient } from '../../src/wire/wire.ts';
import { wires } from '../support/cassette.ts';

const clients: readonly (readonly [name: string, client: WireClient])[] = [
  ...wires.map(({ client }) => [client.name, client] as const),
  ['bedrock-anthropic', bedrockAnthropic],
];

const text = 'the text of a document';
const data = toBase64('the bytes of a file');

function base64(mediaType: string): MediaSource {
  return { kind: 'base64', mediaType, data };
}

const url: MediaSource = { kind: 'url', url: 'https://media.example/marked' };
const file: MediaSource = { kind: 'file', id: 'file-marked' };

/** What must be in the body for the block to be there. */
interface Row {
  readonly block: Block;
  readonly marks: readonly string[];
}

const rows: Readonly<Record<string, Row>> = {
  'an image': { block: { type: 'image', source: base64('image/png') }, marks: [data] },
  'an image of another type': { block: { type: 'image', source: base64('image/bmp') }, marks: [data] },
  'an image by URL': { block: { type: 'image', source: url }, marks: ['media.example/marked'] },
  'an image by file id': { block: { type: 'image', source: file }, marks: ['file-marked'] },
  'a PDF': { block: { type: 'document', source: base64('application/pdf'), title: 'a.pdf' }, marks: [data] },
  'a spreadsheet': { block: { type: 'document', source: base64('text/csv') }, marks: [data, 'the bytes of a file'] },
  'a document by URL': { block: { type: 'document', source: url }, marks: ['media.example/marked'] },
  'a document by file id': { block: { type: 'document', source: file }, marks: ['file-marked'] },
  'a document as text': {
    block: { type: 'document', source: { kind: 'text', text } },
    marks: [text, toBase64(text)],
  },
  'audio': { block: { type: 'audio', format: 'wav', data }, marks: [data] },
};

function inMessage(block: Block): ChatRequest {
  return { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, block] }] };
}

function inResult(block: Block): ChatRequest {
  const result = { type: 'tool-result', callId: 'c', content: [block] } as ToolResultBlock;
  return {
    model: 'claude-sonnet-4-5',
    tools: [{ name: 'f', inputSchema: { type: 'object' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Look' }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [result] },
    ],
  };
}

/** What the wire does: the problem that it names, or `sent`. */
function outcomeOf(client: WireClient, request: ChatRequest, marks: readonly string[]): string {
  const refusal = client.findUnsupported(request);
  if (refusal !== undefined) {
    assert.equal(refusal.field, 'messages');
    assert.match(refusal.problem, /image|audio|document/);
    return refusal.problem;
  }
  const body = JSON.stringify(client.encodeRequest(request).body);
  assert.ok(
    marks.some((mark) => body.includes(mark)),
    `lost silently: ${body}`,
  );
  return 'sent';
}

for (const [name, client] of clients) {
  describe(name, () => {
    for (const [what, { block, marks }] of Object.entries(rows)) {
      test(`${what} is sent or refused by name`, () => {
        outcomeOf(client, inMessage(block), marks);
        if (block.type !== 'audio') outcomeOf(client, inResult(block), marks);
      });
    }
  });
}

test('what each wire refuses', () => {
  const refused = Object.fromEntries(
    clients.map(([name, client]) => {
      const named = Object.entries(rows).filter(
        ([, { block, marks }]) => outcomeOf(client, inMessage(block), marks) !== 'sent',
      );
      return [name, named.map(([what]) => what)];
    }),
  );
  assert.deepEqual(refused, {
    'anthropic-messages': ['audio'],
    'openai-chat': ['an image by file id', 'a document by URL'],
    'openai-responses': ['audio'],
    'bedrock-converse': [
      'an image of another type',
      'an image by URL',
      'an image by file id',
      'a document by URL',
      'a document by file id',
    ],
    'bedrock-anthropic': ['audio'],
    'gemini': ['an image by file id', 'a document by file id'],
  });
});
