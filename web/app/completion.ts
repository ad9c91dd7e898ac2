// Streams a model's answer from `POST /v1/chat/completions`, as events for the views.

import { readEvents } from '../kit/event-stream.ts';
import { CallError, postJson } from './access.ts';

export type CompletionEvent =
  | { readonly type: 'start'; readonly id: string; readonly target: string }
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly json: string;
    }
  | ({ readonly type: 'end' } & CompletionEnd);

export interface CompletionEnd {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly reason?: string;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number; readonly cost?: number };
  readonly error?: { readonly message?: string };
}

/** Throws `CallError`. A stream that ends before its end is an error too. */
export async function* streamCompletion(
  body: object,
  signal: AbortSignal,
): AsyncGenerator<CompletionEvent, void, undefined> {
  const request = { ...body, stream: true, stream_options: { include_usage: true } };
  const response = await postJson('/v1/chat/completions', request, signal);
  const header = (name: string): string => response.headers.get(name) ?? '';
  yield { type: 'start', id: header('x-request-id'), target: header('x-simple-agents-target') };
  let end: CompletionEnd = {};
  for await (const line of readEvents(response)) {
    if ('comment' in line) {
      const cost = /^x-simple-agents-cost: (.+)$/.exec(line.comment)?.[1];
      if (cost !== undefined) end = { ...end, cost: Number(cost) };
    } else if (line.data === '[DONE]') {
      yield { type: 'end', ...end };
      return;
    } else {
      const chunk = JSON.parse(line.data) as Chunk;
      if (chunk.error !== undefined) throw new CallError(502, chunk.error.message ?? 'The answer failed.');
      end = { ...end, ...endOf(chunk) };
      yield* eventsOf(chunk);
    }
  }
  throw new CallError(0, 'The connection was lost before the answer was complete.');
}

function endOf({ usage, choices }: Chunk): CompletionEnd {
  const reason = choices?.[0]?.finish_reason;
  return {
    ...(usage?.prompt_tokens !== undefined && { inputTokens: usage.prompt_tokens }),
    ...(usage?.completion_tokens !== undefined && { outputTokens: usage.completion_tokens }),
    ...(usage?.cost !== undefined && { cost: usage.cost }),
    ...(typeof reason === 'string' && { reason }),
  };
}

function* eventsOf({ choices }: Chunk): Generator<CompletionEvent, void, undefined> {
  const delta = choices?.[0]?.delta;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') yield { type: 'reasoning', text: reasoning };
  if (typeof delta?.content === 'string' && delta.content !== '') yield { type: 'text', text: delta.content };
  for (const { index, id, function: called } of delta?.tool_calls ?? []) {
    const named = { ...(id && { id }), ...(called?.name && { name: called.name }) };
    yield { type: 'tool', index, ...named, json: called?.arguments ?? '' };
  }
}
