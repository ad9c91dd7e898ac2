// Calls as records for a log, one for each call when it has ended. What was asked, what was answered and what a provider
// said about it stay out, for they may hold anything; so does everything of a key.

import type { CallEvent, Observer } from '../core/call.ts';
import { compact } from '../core/json.ts';
import type { Usage } from '../core/usage.ts';

export interface CallRecord {
  readonly type: 'call';
  readonly call: string;
  /** As it was asked for. */
  readonly model: string;
  readonly stream: boolean;
  readonly outcome: 'complete' | 'failed' | 'left';
  /** `provider/model`, of the one that answered. */
  readonly target?: string;
  readonly durationMs: number;
  readonly firstTokenMs?: number;
  readonly attempts: number;
  readonly retries: number;
  readonly fallbacks: number;
  /** How the cache was used, if it was. */
  readonly cache?: 'hit' | 'miss' | 'failure';
  /** The answer came from elsewhere: from the cache, or from an identical call. */
  readonly shared?: boolean;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly error?: { readonly kind: string; readonly status?: number; readonly code?: string };
}

/** Filled in member by member: it is made for every call, and most members are absent from most. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

type Tally = { -readonly [Key in 'model' | 'stream' | 'attempts' | 'retries' | 'fallbacks']: CallRecord[Key] } & {
  firstTokenMs?: number;
  cache?: 'hit' | 'miss' | 'failure';
};

/** Takes every event and gives a record with a call's last one. */
export function createCallLog(): (event: CallEvent) => CallRecord | undefined {
  const tallies = new Map<string, Tally>();
  return (event) => {
    if (event.type === 'call-start') {
      const { call, model, stream } = event;
      tallies.set(call, { model, stream, attempts: 0, retries: 0, fallbacks: 0 });
      return undefined;
    }
    const tally = tallies.get(event.call);
    // A breaker may change its mind when no call is under way.
    if (tally === undefined) return undefined;
    if (event.type === 'call-end') {
      tallies.delete(event.call);
      return toRecord(event, tally);
    }
    count(event, tally);
    return undefined;
  };
}

/** An observer that hands each record on, for instance to a logger. */
export function logCalls(write: (record: CallRecord) => void): Observer {
  const take = createCallLog();
  return (event) => {
    const record = take(event);
    if (record !== undefined) write(record);
  };
}

function count(event: CallEvent, tally: Tally): void {
  switch (event.type) {
    case 'attempt-start':
      tally.attempts++;
      break;
    case 'retry-wait':
      tally.retries++;
      break;
    case 'fallback':
    case 'continuation':
      tally.fallbacks++;
      break;
    case 'first-token':
      tally.firstTokenMs = Math.round(event.duration);
      break;
    case 'cache-hit':
      tally.cache = 'hit';
      break;
    case 'cache-miss':
      tally.cache = 'miss';
      break;
    case 'cache-failure':
      tally.cache = 'failure';
      break;
    default:
  }
}

function toRecord(end: Extract<CallEvent, { type: 'call-end' }>, { cache, firstTokenMs, ...tally }: Tally): CallRecord {
  const { call, outcome, target, duration, usage, cost, shared, error } = end;
  const told = error && compact({ kind: error.kind, status: error.status, code: error.code });
  const { model, stream, attempts, retries, fallbacks } = tally;
  const record: Writable<CallRecord> = {
    type: 'call',
    call,
    model,
    stream,
    attempts,
    retries,
    fallbacks,
    outcome,
    durationMs: Math.round(duration),
  };
  if (target !== undefined) record.target = target;
  if (firstTokenMs !== undefined) record.firstTokenMs = firstTokenMs;
  if (cache !== undefined) record.cache = cache;
  if (shared !== undefined) record.shared = shared;
  if (!usage.missing) addTokens(record, usage);
  if (cost !== undefined) record.cost = cost;
  if (told !== undefined) record.error = told;
  return record;
}

function addTokens(record: Writable<CallRecord>, { input, output, cacheRead, cacheWrite, reasoning }: Usage): void {
  record.inputTokens = input;
  record.outputTokens = output;
  if (cacheRead !== undefined) record.cacheReadTokens = cacheRead;
  if (cacheWrite !== undefined) record.cacheWriteTokens = cacheWrite;
  if (reasoning !== undefined) record.reasoningTokens = reasoning;
}
