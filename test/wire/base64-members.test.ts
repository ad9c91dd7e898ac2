// Media in any spelling of base64 reach every wire in the standard one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Block } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { bedrockAnthropic } from '../../src/wire/bedrock-invoke/client.ts';
import { bedrockConverse } from '../../src/wire/bedrock-converse/client.ts';
import { gemini } from '../../src/wire/gemini/client.ts';
import { geminiServer } from '../../src/wire/gemini/server.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import { openaiResponsesServer } from '../../src/wire/openai-responses/server.ts';

const bytes = Buffer.from([0xfb, 0xef, 0xff, 0xfe, 0x3f]);
const standard = bytes.toString('base64');
const spellings = {
  'the standard alphabet': standard,
  'without padding': standard.replace('=', ''),
  'the URL-safe alphabet': bytes.toString('base64url'),
  'the URL-safe alphabet, padded': standard.replaceAll('+', '-').replaceAll('/', '_'),
  'in lines': `${standard.slice(0, 4)}\r\n${standard.slice(4)}\n`,
};
const types = ['image/png', 'application/pdf', 'audio/wav'];

const clients = [anthropicMessages, bedrockAnthropic, bedrockConverse, gemini, openaiChat, openaiResponses];

function toBlock(mediaType: string, data: string): Block {
  const source = { kind: 'base64', mediaType, data } as const;
  if (mediaType === 'audio/wav') return { type: 'audio', format: 'wav', data };
  return mediaType === 'image/png' ? { type: 'image', source } : { type: 'document', source };
}

/** The request of a client with one file. */
const servers: Readonly<Record<string, (mediaType: string, data: string) => ChatRequest>> = {
  library: (type, data) => ({ model: 'm', messages: [{ role: 'user', content: [toBlock(type, data)] }] }),
  gemini: (mimeType, data) =>
    geminiServer.decodeRequest({ model: 'm', contents: [{ parts: [{ inlineData: { mimeType, data } }] }] }),
  'anthropic-messages': (type, data) =>
    anthropicMessagesServer.decodeRequest({
      model: 'm',
      'max_tokens': 9,
      messages: [
        { role: 'user', content: [{ type: kindOf(type), source: { type: 'base64', 'media_type': type, data } }] },
      ],
    }),
  'openai-chat': (type, data) =>
    openaiChatServer.decodeRequest({ model: 'm', messages: [{ role: 'user', content: [chatPart(type, data)] }] }),
  'openai-responses': (type, data) => {
    const url = `data:${type};base64,${data}`;
    const part =
      type === 'image/png'
        ? { type: 'input_image', 'image_url': url }
        : { type: 'input_file', filename: 'f', 'file_data': url };
    return openaiResponsesServer.decodeRequest({ model: 'm', input: [{ role: 'user', content: [part] }] });
  },
};

function kindOf(type: string): string {
  return type === 'image/png' ? 'image' : 'document';
}

function chatPart(type: string, data: string): object {
  const url = `data:${type};base64,${data}`;
  if (type === 'audio/wav') return { type: 'input_audio', 'input_audio': { data, format: 'wav' } };
  if (type === 'image/png') return { type: 'image_url', 'image_url': { url } };
  return { type: 'file', file: { filename: 'f', 'file_data': url } };
}

const hasAudio = ['library', 'gemini', 'openai-chat'];

for (const [from, decode] of Object.entries(servers)) {
  describe(`media from ${from}`, () => {
    for (const [spelling, data] of Object.entries(spellings)) {
      test(spelling, () => {
        for (const type of types) {
          if (type === 'audio/wav' && !hasAudio.includes(from)) continue;
          for (const wire of clients) {
            const request = decode(type, data);
            if (wire.findUnsupported(request) !== undefined) continue;
            const sent = JSON.stringify(wire.encodeRequest(request).body);
            assert.match(sent, new RegExp(`[",]${standard.replaceAll('+', '\\+')}"`), `${wire.name} ${type}: ${sent}`);
          }
        }
      });
    }
  });
}
