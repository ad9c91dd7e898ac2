// Embeddings: one vector of numbers for each input, in the order of the inputs.

import type { CallResponse } from './provider.ts';
import type { Usage } from './usage.ts';

export interface EmbeddingRequest {
  /** An empty name means the default model. */
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  /** The length of the vectors, for models that support several. */
  readonly dimensions?: number;
  /** The end user on whose behalf the call is made, for the provider's abuse monitoring. */
  readonly user?: string;
  /** Further fields of the provider's body, sent unchanged. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Embeddings are not streamed. */
  readonly stream: false;
}

/** A text, or the same text as tokens of the model. */
export type EmbeddingInput = string | readonly number[];

/** Vectors are plain arrays, because they are JSON and every vector store accepts them. */
export type EmbeddingVector = readonly number[];

export interface EmbeddingResponse extends CallResponse {
  readonly model: string;
  readonly vectors: readonly EmbeddingVector[];
  readonly usage: Usage;
  /** The response comes from the cache and costs nothing. */
  readonly isCached?: true;
}
