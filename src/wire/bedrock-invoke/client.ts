// Claude at Amazon Bedrock in Anthropic's own format: the Anthropic Messages wire inside `InvokeModel`. The model is in
// the path, the version and the preview features are in the body, and each message of the stream has one of Anthropic's
// events in base64. Everything else is the Anthropic Messages wire, so that its clients get the responses unchanged.

import { fromBase64, toBase64 } from '../../core/base64.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ChatRequest } from '../../core/request.ts';
import { anthropicMessages } from '../anthropic-messages/client.ts';
import { decodeAwsError, toFailureReport } from '../aws-error.ts';
import { awsFraming, exceptionEvent, parseRecord, type AwsEvent } from '../aws-event-frames.ts';
import { pathOf } from '../bedrock-converse/client-request.ts';
import { bedrockCounting } from '../bedrock-converse/count-tokens.ts';
import type { EncodedRequest, EncodeOptions, WireClient } from '../wire.ts';

const anthropicVersion = 'bedrock-2023-05-31';

export const bedrockAnthropic: WireClient = {
  ...anthropicMessages,
  // Every request has its own.
  path: '/model',
  framing: awsFraming(toAnthropicEvent),
  counting: bedrockCounting((request, options) => {
    const { body } = encodeRequest({ maxTokens: 1, ...request, stream: false }, options);
    return { invokeModel: { body: toBase64(JSON.stringify(body)) } };
  }),
  encodeRequest,
  decodeError: decodeAwsError,
};

function encodeRequest(request: ChatRequest, options?: EncodeOptions): EncodedRequest {
  const { body, headers: _betas, ...encoded } = anthropicMessages.encodeRequest(request, options);
  const { model: _model, stream, ...rest } = body;
  const { model, betas } = request;
  const versioned = { anthropic_version: anthropicVersion, anthropic_beta: betas?.length ? betas : undefined, ...rest };
  const operation = stream === false ? 'invoke' : 'invoke-with-response-stream';
  return { ...encoded, body: omitUndefined(versioned), path: pathOf(model, operation) };
}

function toAnthropicEvent(event: AwsEvent): AwsEvent {
  const data = parseRecord(event.data);
  if (event.name === exceptionEvent) {
    const { type = 'api_error', message } = toFailureReport(String(data['type']), data['message']);
    return { name: 'error', data: JSON.stringify({ type: 'error', error: { type, message } }) };
  }
  if (typeof data['bytes'] !== 'string') return event;
  const inner = decodeBytes(data['bytes']);
  return { name: String(parseRecord(inner)['type']), data: inner };
}

/** Text that is not base64 is passed on, so that the decoder reports it. */
function decodeBytes(bytes: string): string {
  try {
    return fromBase64(bytes);
  } catch {
    return bytes;
  }
}
