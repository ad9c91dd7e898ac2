// The embeddings of a provider over HTTP, in OpenAI's wire or in one of its own.

import type { EmbeddingRequest, EmbeddingResponse } from '../core/embedding.ts';
import type { CallContext } from '../core/call.ts';
import { attribute } from './remote-error.ts';
import { decodeAwsError } from '../wire/aws-error.ts';
import { bedrockEmbeddings } from '../wire/bedrock-embeddings/client.ts';
import type { DecodedEmbeddings, EmbeddingWire } from '../wire/embedding-wire.ts';
import { openaiChat } from '../wire/openai-chat/client.ts';
import { openaiEmbeddings } from '../wire/openai-embeddings/client.ts';
import type { WireClient } from '../wire/wire.ts';
import { callJson, type JsonCallOptions } from './remote-json.ts';
import type { EmbeddingTraits } from './vendors.ts';

export type RemoteEmbeddingOptions = Omit<JsonCallOptions, 'decodeError'> & EmbeddingTraits;

export interface EmbeddingCall {
  readonly signal: AbortSignal;
  readonly context: CallContext | undefined;
}

type EmbeddingCodec = EmbeddingWire & Pick<WireClient, 'decodeError'>;

const openai: EmbeddingCodec = { ...openaiEmbeddings, decodeError: (body) => openaiChat.decodeError(body) };
const codecs: Readonly<Record<NonNullable<EmbeddingTraits['format']>, EmbeddingCodec>> = {
  bedrock: { ...bedrockEmbeddings, decodeError: decodeAwsError },
};

/** One request upstream. `gateway/embedding` divides a large request into several. */
export async function callEmbeddings(
  options: RemoteEmbeddingOptions,
  request: EmbeddingRequest,
  { signal, context }: EmbeddingCall,
): Promise<EmbeddingResponse> {
  const { name, base64 = false, format } = options;
  const codec = format === undefined ? openai : codecs[format];
  const { path, body } = codec.encode(request, { base64 });
  const { decodeError } = codec;
  const received = await callJson({ ...options, decodeError }, { path, body, signal, context });
  const { vectors, usage, model = request.model } = decode(codec, received, { request, target: name });
  return {
    target: name,
    model,
    vectors,
    usage,
    ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }),
  };
}

function decode(
  codec: EmbeddingCodec,
  body: unknown,
  { request, target }: { readonly request: EmbeddingRequest; readonly target: string },
): DecodedEmbeddings {
  try {
    return codec.decode(body, request);
  } catch (error) {
    throw attribute(error, { target, requestId: undefined, secrets: [] });
  }
}
