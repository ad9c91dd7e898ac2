// The vectors of the simulated model. A vector is the normalized sum of one random direction for each word, so that the same
// text always has the same vector, and texts that share words are near each other.

import type { EmbeddingInput } from '../../core/embedding.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import { createRandom } from './random.ts';

/** The lengths of the vectors of known models. */
const lengths: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
  'nomic-embed-text': 768,
  'all-minilm': 384,
  'gemini-embedding-001': 3072,
};
const usualLength = 1536;

export function vectorLengthOf(model: string): number {
  return lengths[model] ?? usualLength;
}

export interface EmbeddingModel {
  readonly model: string;
  readonly dimensions?: number;
}

/** As with real models, a shorter vector is the beginning of the long one, normalized again. */
export function embedInput(
  input: EmbeddingInput,
  { model, dimensions = vectorLengthOf(model) }: EmbeddingModel,
): number[] {
  const sum = new Float64Array(dimensions);
  for (const word of wordsOf(input)) {
    const random = createRandom(`${model} ${word}`);
    for (let index = 0; index < dimensions; index += 1) sum[index]! += random.next() - 0.5;
  }
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => Math.fround(value / length));
}

/** Text without words, such as punctuation, counts as one word. */
function wordsOf(input: EmbeddingInput): readonly string[] {
  if (typeof input !== 'string') return input.map((token) => `#${token}`);
  return input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input];
}

export function countInputTokens(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce((sum, input) => sum + (typeof input === 'string' ? estimateTokens(input) : input.length), 0);
}
