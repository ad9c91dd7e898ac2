// What a client asks for that only the upstream's own bytes can hold: events carry one answer, without log probabilities
// and without sound. Such a request reaches an upstream of the client's wire and passes untouched, or it is refused.

import type { ChatRequest } from '../../core/request.ts';

/** The field, as the client's wire calls it. */
export function bytesOnlyField({ choices = 1, extra }: ChatRequest): string | undefined {
  if (choices > 1) return 'n';
  const { logprobs, modalities } = extra?.['openai-chat'] ?? {};
  if (logprobs === true) return 'logprobs';
  return Array.isArray(modalities) && modalities.includes('audio') ? 'modalities' : undefined;
}
