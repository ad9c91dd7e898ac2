// The embeddings of a provider over HTTP, in OpenAI's wire.

import type { EmbeddingRequest, EmbeddingResponse } from '../core/embedding.ts';
import type { CallContext } from '../core/call.ts';
import { attribute } from './remote-error.ts';
import { openaiChat } from '../wire/openai-chat/client.ts';
import { decodeEmbeddings, embeddingsPath, encodeEmbeddingRequest } from '../wire/openai-embeddings/client.ts';
import { callJson, type JsonCallOptions } from './remote-json.ts';
import type { EmbeddingTraits } from './vendors.ts';

export type RemoteEmbeddingOptions = Omit<JsonCallOptions, 'decodeError'> & EmbeddingTraits;

export interface EmbeddingCall {
  readonly signal: AbortSignal;
  readonly context: CallContext | undefined;
}

/** One request upstream. `gateway/embedding` divides a large request into several. */
export async function callEmbeddings(
  options: RemoteEmbeddingOptions,
  request: EmbeddingRequest,
  { signal, context }: EmbeddingCall,
): Promise<EmbeddingResponse> {
  const { name, base64 = false } = options;
  const body = encodeEmbeddingRequest(request, { base64 });
  const received = await callJson(
    { ...options, decodeError: (failure) => openaiChat.decodeError(failure) },
    { path: embeddingsPath, body, signal, context },
  );
  const { vectors, usage, model = request.model } = decode(received, request.inputs.length, name);
  return {
    target: name,
    model,
    vectors,
    usage,
    ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }),
  };
}

function decode(body: unknown, count: number, target: string): ReturnType<typeof decodeEmbeddings> {
  try {
    return decodeEmbeddings(body, count);
  } catch (error) {
    throw attribute(error, { target, requestId: undefined, secrets: [] });
  }
}
