// Request fields whose result only the upstream's own bytes can contain, because events have one response, no log
// probabilities and no audio. Such a response is passed through unchanged, or the request is rejected.

import type { JsonObject } from '../../core/json.ts';
import type { ChatRequest } from '../../core/request.ts';

/** The name of the field on the client's wire. `omitted`: fields that the target did not get. */
export function bytesOnlyField(request: ChatRequest, omitted: ReadonlySet<string> = none): string | undefined {
  const { choices = 1, completion, extra } = request;
  if (choices > 1 && !omitted.has('choices')) return 'n';
  const fields = [completion && unreadCompletionField(completion), extra && unreadField(extra)];
  return fields.find((field) => field !== undefined && !omitted.has(field));
}

const none: ReadonlySet<string> = new Set();

function unreadField(extra: NonNullable<ChatRequest['extra']>): string | undefined {
  const { include, background } = extra['openai-responses'] ?? {};
  if (background === true) return 'background';
  if (Array.isArray(include) && include.includes('message.output_text.logprobs')) return 'include';
  if (extra['gemini']?.['generationConfig.responseLogprobs'] === true) return 'generationConfig.responseLogprobs';
  const { logprobs, modalities } = extra['openai-chat'] ?? {};
  if (logprobs === true) return 'logprobs';
  return Array.isArray(modalities) && modalities.includes('audio') ? 'modalities' : undefined;
}

/** A list of numbers is one prompt, as tokens. */
function unreadCompletionField({ prompt, n, logprobs }: JsonObject): string | undefined {
  if (Array.isArray(prompt) && prompt.length > 1 && typeof prompt[0] !== 'number') return 'prompt';
  if (typeof n === 'number' && n > 1) return 'n';
  return logprobs === undefined || logprobs === null ? undefined : 'logprobs';
}
