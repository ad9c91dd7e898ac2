// OpenAI's embeddings API, spoken to our own clients.

import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import { JsonField, unknownMembers } from '../json-field.ts';
import { encodeVector } from './vector-base64.ts';

/** The limit of OpenAI's API. It also limits the memory of a response. */
export const maxInputs = 2048;

export type EmbeddingFormat = 'float' | 'base64';

export interface DecodedEmbeddingRequest {
  readonly request: EmbeddingRequest;
  readonly format: EmbeddingFormat;
}

const known = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);

/** Throws `bad-request` naming the field. Unknown fields are sent to the provider unchanged. */
export function decodeEmbeddingRequest(body: unknown): DecodedEmbeddingRequest {
  const root = new JsonField(body);
  const format = root.optionalMember('encoding_format', (field) => field.oneOf(['float', 'base64'])) ?? 'float';
  const request: EmbeddingRequest = omitUndefined({
    model: root.optionalMember('model', (field) => field.string()) ?? '',
    inputs: decodeInputs(root.get('input')),
    dimensions: root.optionalMember('dimensions', decodeDimensions),
    user: root.optionalMember('user', (field) => field.string()),
    fields: unknownMembers(root.object(), known),
    stream: false as const,
  });
  return { request, format };
}

function decodeDimensions(field: JsonField): number {
  return field.integer() >= 1 ? field.integer() : field.fail('must be at least 1');
}

/** A text, a list of texts, a list of tokens, or a list of lists of tokens. */
function decodeInputs(field: JsonField): readonly EmbeddingInput[] {
  if (!Array.isArray(field.value)) return [decodeText(field)];
  const items = field.items();
  if (items.length === 0) return field.fail('must not be an empty array');
  if (typeof items[0]?.value === 'number') return [decodeTokens(field)];
  if (items.length > maxInputs) return field.fail(`must have at most ${maxInputs} inputs, but has ${items.length}`);
  return items.map((item) => (Array.isArray(item.value) ? decodeTokens(item) : decodeText(item)));
}

function decodeText(field: JsonField): string {
  if (typeof field.value !== 'string') return field.fail('must be a string, or an array of strings or of tokens');
  if (field.value === '') return field.fail('must not be an empty string');
  return field.value.isWellFormed() ? field.value : field.fail('must be valid Unicode, without lone surrogates');
}

function decodeTokens(field: JsonField): readonly number[] {
  const tokens = field.items().map((item) => (item.integer() >= 0 ? item.integer() : item.fail('must be a token')));
  return tokens.length > 0 ? tokens : field.fail('must not be an empty array');
}

export function encodeEmbeddings({ model, vectors, usage }: EmbeddingResponse, format: EmbeddingFormat): JsonObject {
  const encode = format === 'base64' ? encodeVector : (vector: readonly number[]) => vector;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
    model,
    usage: { 'prompt_tokens': usage.input, 'total_tokens': usage.input },
  };
}
