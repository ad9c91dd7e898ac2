// Request fields whose result only the upstream's own bytes can contain, because events have one response, no log
// probabilities and no audio. Such a response is passed through unchanged, or the request is rejected.

import type { ChatRequest } from '../../core/request.ts';

/** The name of the field on the client's wire. */
export function bytesOnlyField({ choices = 1, extra }: ChatRequest): string | undefined {
  if (choices > 1) return 'n';
  const { include, background } = extra?.['openai-responses'] ?? {};
  if (background === true) return 'background';
  if (Array.isArray(include) && include.includes('message.output_text.logprobs')) return 'include';
  if (extra?.['gemini']?.['generationConfig.responseLogprobs'] === true) return 'generationConfig.responseLogprobs';
  const { logprobs, modalities } = extra?.['openai-chat'] ?? {};
  if (logprobs === true) return 'logprobs';
  return Array.isArray(modalities) && modalities.includes('audio') ? 'modalities' : undefined;
}
