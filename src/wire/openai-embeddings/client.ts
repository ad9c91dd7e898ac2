// OpenAI's embeddings API, spoken to a provider. Most vendors and local servers have the same route.
// Invariant: a decoded response has one vector for each input, in the order of the inputs, all of the same length.

import type { EmbeddingRequest, EmbeddingVector } from '../../core/embedding.ts';
import { isRecord, omitUndefined } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { openaiChat } from '../openai-chat/client.ts';
import { checkVectors, fail, isVector, type DecodedEmbeddings, type EmbeddingWire } from '../embedding-wire.ts';
import { decodeVector } from './vector-base64.ts';

const embeddingsPath = '/v1/embeddings';

export interface EncodeEmbeddingOptions {
  /** The provider can send vectors as base64, which is a quarter of the size. */
  readonly base64?: boolean;
}

export function encodeEmbeddingRequest(
  { model, inputs, dimensions, user, fields }: EmbeddingRequest,
  { base64 = false }: EncodeEmbeddingOptions = {},
): Record<string, unknown> {
  const encoding = base64 ? 'base64' : undefined;
  // A single input is sent as such, because some servers accept no list.
  const input = inputs.length === 1 ? inputs[0] : inputs;
  return omitUndefined({ ...fields, model, input, dimensions, 'encoding_format': encoding, user });
}

export const openaiEmbeddings: EmbeddingWire = {
  encode: (request, options) => ({ path: embeddingsPath, body: encodeEmbeddingRequest(request, options) }),
  decode: (body, { inputs }) => decodeEmbeddings(body, inputs.length),
  decodeError: (body) => openaiChat.decodeError(body),
  errorWire: openaiChat.name,
};

/** Throws `bad-response` if the vectors do not match the `count` inputs. */
export function decodeEmbeddings(body: unknown, count: number): DecodedEmbeddings {
  const { data, model, usage } = isRecord(body) ? body : {};
  if (!Array.isArray(data)) return fail('the response has no list of embeddings');
  if (data.length !== count) return fail(`the response has ${data.length} embeddings for ${count} inputs`);
  const vectors = checkVectors(orderByIndex(data.map(toEntry)), count);
  return { model: typeof model === 'string' ? model : undefined, vectors, usage: decodeUsage(usage) };
}

interface IndexedVector {
  readonly index: number;
  readonly vector: EmbeddingVector;
}

function toEntry(item: unknown, position: number): IndexedVector {
  const { embedding, index = position } = isRecord(item) ? item : {};
  const vector = typeof embedding === 'string' ? decodeVector(embedding) : embedding;
  if (!isVector(vector)) return fail(`embedding ${position} is not a list of finite numbers`);
  return { index: index as number, vector };
}

/** Providers usually send the vectors in order, but only the index is reliable. */
function orderByIndex(entries: readonly IndexedVector[]): EmbeddingVector[] {
  const ordered: EmbeddingVector[] = [];
  for (const { index, vector } of entries) {
    const isInRange = Number.isInteger(index) && index >= 0 && index < entries.length;
    if (!isInRange || ordered[index] !== undefined) return fail(`the index ${JSON.stringify(index)} is invalid`);
    ordered[index] = vector;
  }
  return ordered;
}

function decodeUsage(usage: unknown): Usage {
  const { prompt_tokens: prompt, total_tokens: total } = isRecord(usage) ? usage : {};
  const input = [prompt, total].find((tokens) => Number.isSafeInteger(tokens) && (tokens as number) >= 0);
  return input === undefined ? noUsage : { input: input as number, output: 0 };
}
