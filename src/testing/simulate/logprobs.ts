// Log probabilities of the simulated model. Each fragment of text counts as one token. The probabilities follow from the
// token, so a stream and a plain body have the same. The token itself is always the most probable.

import type { StreamEvent } from '../../core/event.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { asksForLogprobs } from '../../wire/openai-responses/types.ts';
import { createRandom } from '../model/random.ts';

/** Adds the log probabilities to one response. */
export interface LogprobWriter {
  /** Edits the data of a frame. Called for each frame of a stream in order. */
  editFrame(data: Record<string, unknown>): void;
  /** Returns the plain body of a response with these events. */
  editBody(body: JsonObject, events: readonly StreamEvent[]): JsonObject;
}

/** Undefined if the request of the chat wire does not ask for log probabilities. */
export function chatLogprobs(body: unknown): LogprobWriter | undefined {
  if (!isRecord(body) || body['logprobs'] !== true) return undefined;
  const alternatives = alternativesIn(body);
  const write = (texts: readonly string[]): JsonObject => ({ content: toEntries(texts, alternatives), refusal: null });
  return {
    editFrame({ choices }) {
      const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
      const delta = isRecord(choice) && isRecord(choice['delta']) ? choice['delta'] : {};
      const { content } = delta;
      if (isRecord(choice) && typeof content === 'string' && content !== '') choice['logprobs'] = write([content]);
    },
    editBody(plain, events) {
      const choices = plain['choices'] as readonly JsonObject[];
      const logprobs = write(textsOf(events).flat());
      return { ...plain, choices: choices.map((choice) => ({ ...choice, logprobs })) };
    },
  };
}

/** Undefined if the request of the Responses wire does not ask for log probabilities. */
export function responsesLogprobs(body: unknown): LogprobWriter | undefined {
  if (!isRecord(body) || !asksForLogprobs(body['include'])) return undefined;
  return new ResponsesLogprobs(alternativesIn(body));
}

class ResponsesLogprobs implements LogprobWriter {
  readonly #alternatives: number;
  /** The entries of the messages that were streamed, by their position in the output. */
  readonly #entries = new Map<number, JsonValue[]>();

  constructor(alternatives: number) {
    this.#alternatives = alternatives;
  }

  editFrame(data: Record<string, unknown>): void {
    const { type, output_index: position, delta, part, item, response } = data;
    if (isRecord(response)) this.#editOutput(response);
    if (typeof position !== 'number') return;
    const entries = this.#entries.get(position) ?? [];
    this.#entries.set(position, entries);
    if (type === 'response.output_text.delta') {
      const added = toEntries([String(delta)], this.#alternatives);
      entries.push(...added);
      data['logprobs'] = added;
    } else if (type === 'response.output_text.done') data['logprobs'] = entries;
    else if (type === 'response.content_part.done' && isRecord(part)) part['logprobs'] = entries;
    else if (type === 'response.output_item.done' && isRecord(item)) setParts(item, entries);
  }

  editBody(body: JsonObject, events: readonly StreamEvent[]): JsonObject {
    const edited = structuredClone(body) as Record<string, unknown>;
    const texts = textsOf(events);
    const messages = itemsOf(edited).filter(({ type }) => type === 'message');
    for (const [index, item] of messages.entries()) setParts(item, toEntries(texts[index] ?? [], this.#alternatives));
    return edited as JsonObject;
  }

  #editOutput(response: Record<string, unknown>): void {
    for (const [position, item] of itemsOf(response).entries()) setParts(item, this.#entries.get(position) ?? []);
  }
}

function itemsOf({ output }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

function setParts({ content }: Record<string, unknown>, entries: readonly JsonValue[]): void {
  for (const part of Array.isArray(content) ? content : [])
    if (isRecord(part) && part['type'] === 'output_text') part['logprobs'] = entries;
}

function alternativesIn({ top_logprobs: alternatives }: Record<string, unknown>): number {
  return typeof alternatives === 'number' ? alternatives : 0;
}

/** The fragments of each text block. */
function textsOf(events: readonly StreamEvent[]): string[][] {
  const deltas = events.filter((event) => event.type === 'text-delta');
  return [...Map.groupBy(deltas, ({ index }) => index).values()].map((block) => block.map(({ text }) => text));
}

function toEntries(texts: readonly string[], alternatives: number): JsonValue[] {
  return texts.map((text) => toEntry(text, alternatives));
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
