// Anthropic's messages inside InvokeModel: the request without model and stream, the events in base64, and exceptions.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { loadCassettes, loadGolden, openDecoder, decodeChunks, encodeEvents } from '../../../test/support/cassette.ts';
import { invokeMessages } from '../../testing/simulate/bedrock/frames.ts';
import { anthropicMessagesServer } from '../anthropic-messages/server.ts';
import { encodeMessage } from '../aws-event-stream.ts';
import { bedrockAnthropic } from './client.ts';

const request = {
  model: 'anthropic.claude-x-v1:0',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
} as const;

test('a request has the version and the betas in its body, and the model in its path', () => {
  const { body, path, headers } = bedrockAnthropic.encodeRequest({ ...request, maxTokens: 5, betas: ['a', 'b'] });
  assert.deepEqual(body, {
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['a', 'b'],
    max_tokens: 5,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
  assert.equal(path, '/model/anthropic.claude-x-v1%3A0/invoke-with-response-stream');
  assert.equal(headers, undefined);
  assert.match(bedrockAnthropic.encodeRequest({ ...request, stream: false }).path ?? '', /\/invoke$/);
});

test('a request to count tokens is the whole request in base64, for the model of a profile', () => {
  const { path, body } = bedrockAnthropic.counting?.encode({ ...request, model: 'us.anthropic.claude-x-v1:0' }) ?? {};
  assert.equal(path, '/model/anthropic.claude-x-v1%3A0/count-tokens');
  const { input } = body as { input: { invokeModel: { body: string } } };
  assert.deepEqual(JSON.parse(atob(input.invokeModel.body)), {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 1,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
  assert.equal(bedrockAnthropic.counting?.decode({ inputTokens: 3 }), 3);
});

describe('a stream', () => {
  const wire = { client: bedrockAnthropic, server: anthropicMessagesServer, frame: invokeMessages };
  const cassettes = loadCassettes().filter(({ wire: { client } }) => client.name === bedrockAnthropic.name);
  for (const cassette of cassettes) {
    const { events, failure } = loadGolden(cassette);
    if (failure !== undefined) continue;
    test(`has the events of ${cassette.name}, cut anywhere`, () => {
      const bytes = encodeEvents(wire, events);
      const whole = decodeChunks(openDecoder(bedrockAnthropic), [bytes]);
      assert.equal(whole.failure, undefined);
      assert.equal(whole.events.at(-1)?.type, 'message-end');
      const plain = encodeEvents({ client: bedrockAnthropic, server: anthropicMessagesServer }, events);
      assert.deepEqual(whole, decodeChunks(bedrockAnthropic.decodeStream(), [plain]));
      for (let at = 0; at <= bytes.length; at += 7) {
        const halves = [bytes.subarray(0, at), bytes.subarray(at)];
        assert.deepEqual(decodeChunks(openDecoder(bedrockAnthropic), halves), whole);
      }
    });
  }

  const exceptions: Readonly<Record<string, string>> = {
    throttlingException: 'rate-limit',
    modelStreamErrorException: 'upstream',
    modelTimeoutException: 'timeout',
    serviceUnavailableException: 'overloaded',
    validationException: 'bad-request',
    somethingNew: 'upstream',
  };
  for (const [type, kind] of Object.entries(exceptions)) {
    test(`${type} is ${kind}`, () => {
      const message = encodeMessage({
        headers: {
          ':exception-type': { type: 'string', value: type },
          ':message-type': { type: 'string', value: 'exception' },
        },
        payload: new TextEncoder().encode('{"message":"no"}'),
      });
      const decoder = openDecoder(bedrockAnthropic);
      decoder.push(message);
      assert.deepEqual([decoder.failure?.kind, decoder.failure?.message], [kind, 'no']);
    });
  }

  test('with data that is not base64 is cut', () => {
    const message = encodeMessage({
      headers: {
        ':event-type': { type: 'string', value: 'chunk' },
        ':message-type': { type: 'string', value: 'event' },
      },
      payload: new TextEncoder().encode('{"bytes":"%%%"}'),
    });
    const decoder = openDecoder(bedrockAnthropic);
    decoder.push(message);
    assert.equal(decoder.failure?.kind, 'network');
  });
});
