// The embeddings of a provider over HTTP, in OpenAI's wire or in one of its own.

import type { EmbeddingRequest, EmbeddingResponse } from '../core/embedding.ts';
import type { CallContext } from '../core/call.ts';
import { attribute } from './remote-error.ts';
import { bedrockEmbeddings } from '../wire/bedrock-embeddings/client.ts';
import type { DecodedEmbeddings, EmbeddingWire } from '../wire/embedding-wire.ts';
import { geminiEmbeddings, vertexEmbeddings } from '../wire/gemini/embedding.ts';
import { openaiEmbeddings } from '../wire/openai-embeddings/client.ts';
import { callJson, type JsonCallOptions } from './remote-json.ts';
import type { EmbeddingTraits } from './vendors.ts';

export type RemoteEmbeddingOptions = Omit<JsonCallOptions, 'errors'> & EmbeddingTraits;

const embeddingWires: Readonly<Record<NonNullable<EmbeddingTraits['format']>, EmbeddingWire>> = {
  openai: openaiEmbeddings,
  bedrock: bedrockEmbeddings,
  gemini: geminiEmbeddings,
  vertex: vertexEmbeddings,
};

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
  const { name, base64 = false, format = 'openai' } = options;
  const wire = embeddingWires[format];
  const { path, body } = wire.encode(request, { base64 });
  const errors = { name: wire.errorWire, decodeError: wire.decodeError };
  const received = await callJson({ ...options, errors }, { path, body, signal, context });
  const { vectors, usage, model = request.model } = decode(wire, received, { request, target: name });
  return {
    target: name,
    model,
    vectors,
    usage,
    ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }),
  };
}

function decode(
  wire: EmbeddingWire,
  body: unknown,
  { request, target }: { readonly request: EmbeddingRequest; readonly target: string },
): DecodedEmbeddings {
  try {
    return wire.decode(body, request);
  } catch (error) {
    throw attribute(error, { target, requestId: undefined, secrets: [] });
  }
}
