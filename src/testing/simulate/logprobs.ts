// Log probabilities of the simulated model. Each fragment of text counts as one token. The probabilities follow from the
// token, so a stream and a plain body have the same. The token itself is always the most probable.

import type { StreamEvent } from '../../core/event.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { createRandom } from '../model/random.ts';

/** The number of alternatives to report; undefined if the request does not ask for log probabilities. */
export function requestedLogprobs(body: unknown): number | undefined {
  if (!isRecord(body) || body['logprobs'] !== true) return undefined;
  return typeof body['top_logprobs'] === 'number' ? body['top_logprobs'] : 0;
}

/** Adds the entry of a streamed fragment to the chunk that contains it. */
export function addToChunk(chunk: Record<string, unknown>, text: string, alternatives: number): void {
  const choice = firstChoice(chunk);
  if (choice !== undefined) choice['logprobs'] = toLogprobs([text], alternatives);
}

/** Adds the entries of all fragments to a plain body. */
export function addToBody(body: JsonObject, events: readonly StreamEvent[], alternatives: number): JsonObject {
  const texts = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  const choices = body['choices'] as readonly JsonObject[];
  return { ...body, choices: choices.map((choice) => ({ ...choice, logprobs: toLogprobs(texts, alternatives) })) };
}

function firstChoice({ choices }: Record<string, unknown>): Record<string, unknown> | undefined {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isRecord(choice) ? choice : undefined;
}

function toLogprobs(texts: readonly string[], alternatives: number): JsonObject {
  return { content: texts.map((text) => toEntry(text, alternatives)), refusal: null };
}

const others = [' the', ' a', ',', '.', ' and', ' of', ' to', ' in', ' is', ' it', '\n', ' on', ' as', ' at', ' by'];

/** Each alternative has half the probability that is left, so that all together have less than 1. */
function toEntry(token: string, alternatives: number): JsonValue {
  const probability = 0.6 + 0.39 * createRandom(token).next();
  const ranked = [token, ...others.filter((other) => other !== token)].slice(0, alternatives);
  const top = ranked.map((text, rank) => withBytes(text, rank === 0 ? probability : (1 - probability) / 2 ** rank));
  return { ...withBytes(token, probability), top_logprobs: top };
}

function withBytes(token: string, probability: number): JsonObject {
  return { token, logprob: Math.log(probability), bytes: [...new TextEncoder().encode(token)] };
}
