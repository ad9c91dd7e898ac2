// Request fields whose result only the upstream's own bytes can contain, because events have one response, no log
// probabilities and no audio. Such a response is passed through unchanged, or the request is rejected.

import type { JsonObject } from '../../core/json.ts';
import type { ChatRequest } from '../../core/request.ts';

/** The name of the field on the client's wire. */
export function bytesOnlyField({ choices = 1, completion, extra }: ChatRequest): string | undefined {
  if (choices > 1) return 'n';
  const unread = completion && unreadCompletionField(completion);
  if (unread !== undefined) return unread;
  const { include, background } = extra?.['openai-responses'] ?? {};
  if (background === true) return 'background';
  if (Array.isArray(include) && include.includes('message.output_text.logprobs')) return 'include';
  if (extra?.['gemini']?.['generationConfig.responseLogprobs'] === true) return 'generationConfig.responseLogprobs';
  const { logprobs, modalities } = extra?.['openai-chat'] ?? {};
  if (logprobs === true) return 'logprobs';
  return Array.isArray(modalities) && modalities.includes('audio') ? 'modalities' : undefined;
}

/** A list of numbers is one prompt, as tokens. */
function unreadCompletionField({ prompt, n, logprobs }: JsonObject): string | undefined {
  if (Array.isArray(prompt) && prompt.length > 1 && typeof prompt[0] !== 'number') return 'prompt';
  if (typeof n === 'number' && n > 1) return 'n';
  return logprobs === undefined || logprobs === null ? undefined : 'logprobs';
}
