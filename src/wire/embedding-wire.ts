// What the embeddings of a vendor have in common, whatever their format. The checks of vectors are here, so that no format
// can return fewer vectors than inputs.

import type { EmbeddingRequest, EmbeddingVector } from '../core/embedding.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Usage } from '../core/usage.ts';
import type { WireClient } from './wire.ts';

export interface EmbeddingWire {
  encode(
    request: EmbeddingRequest,
    options: { readonly base64: boolean },
  ): { readonly path: string; readonly body: object };
  /** Throws `bad-response` if the vectors do not match the inputs. */
  decode(body: unknown, request: EmbeddingRequest): DecodedEmbeddings;
  readonly decodeError: WireClient['decodeError'];
  /** The wire whose shape its errors have. */
  readonly errorWire: string;
}

export interface DecodedEmbeddings {
  readonly model: string | undefined;
  readonly vectors: readonly EmbeddingVector[];
  readonly usage: Usage;
}

/** One vector for each input, all of the same length. */
export function checkVectors(vectors: unknown, count: number): readonly EmbeddingVector[] {
  if (!Array.isArray(vectors)) return fail('the response has no list of embeddings');
  if (vectors.length !== count) return fail(`the response has ${vectors.length} embeddings for ${count} inputs`);
  const length = (vectors[0] as EmbeddingVector | undefined)?.length ?? 0;
  for (const [position, vector] of vectors.entries()) {
    if (!isVector(vector)) return fail(`embedding ${position} is not a list of finite numbers`);
    if (vector.length !== length)
      return fail(`embedding ${position} has ${vector.length} numbers, but the first has ${length}`);
  }
  return vectors as readonly EmbeddingVector[];
}

export function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number));
}

export function fail(problem: string): never {
  throw new SimpleAgentsError('bad-response', problem);
}
