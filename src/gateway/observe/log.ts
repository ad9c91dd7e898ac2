// Log records of calls, one for each call when it has ended. They contain no prompts, responses, provider messages or
// keys.

import type { CallEvent, Observer } from '../../core/call.ts';
import { addressesIn, type SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export interface CallRecord {
  readonly type: 'call';
  readonly call: string;
  /** The name of the client's gateway key, if there are keys. */
  readonly key?: string;
  /** As requested. */
  readonly model: string;
  readonly stream: boolean;
  readonly outcome: 'complete' | 'failed' | 'left';
  /** The `provider/model` that responded. */
  readonly target?: string;
  readonly durationMs: number;
  readonly firstTokenMs?: number;
  readonly attempts: number;
  readonly retries: number;
  readonly fallbacks: number;
  /** The result of the cache lookup, if there was one. */
  readonly cache?: 'hit' | 'miss' | 'failure';
  /** The response came from the cache or from an identical call. */
  readonly shared?: boolean;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly error?: CallFailure;
}

export interface CallFailure {
  readonly kind: string;
  readonly status?: number;
  readonly code?: string;
  /** Where no connection could be made, or where it was lost. */
  readonly address?: string;
}

/** A record under construction. Most members are absent in most records. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Clients choose model names, so their length in the log is limited. */
const longestName = 200;

/** One call, from its first event to its last. */
export class CallTally {
  #model = '';
  #stream = true;
  #attempts = 0;
  #retries = 0;
  #fallbacks = 0;
  #firstTokenMs: number | undefined;
  #cache: CallRecord['cache'];
  readonly #key: string | undefined;

  constructor(key?: string) {
    this.#key = key;
  }

  /** Takes an event of the call; returns the record with the last one. */
  take(event: CallEvent): CallRecord | undefined {
    switch (event.type) {
      case 'call-start':
        this.#model = event.model.slice(0, longestName);
        this.#stream = event.stream;
        break;
      case 'attempt-start':
        this.#attempts++;
        break;
      case 'retry-wait':
        this.#retries++;
        break;
      case 'fallback':
      case 'continuation':
        this.#fallbacks++;
        break;
      case 'first-token':
        this.#firstTokenMs = Math.round(event.duration);
        break;
      case 'cache-hit':
        this.#cache = 'hit';
        break;
      case 'cache-miss':
        this.#cache = 'miss';
        break;
      case 'cache-failure':
        this.#cache = 'failure';
        break;
      case 'call-end':
        return this.#toRecord(event);
      default:
    }
    return undefined;
  }

  #toRecord({ call, outcome, target, duration, usage, cost, shared, error }: LastEvent): CallRecord {
    const record: Writable<CallRecord> = {
      type: 'call',
      call,
      model: this.#model,
      stream: this.#stream,
      attempts: this.#attempts,
      retries: this.#retries,
      fallbacks: this.#fallbacks,
      outcome,
      durationMs: Math.round(duration),
    };
    if (this.#key !== undefined) record.key = this.#key;
    if (target !== undefined) record.target = target.slice(0, longestName);
    if (this.#firstTokenMs !== undefined) record.firstTokenMs = this.#firstTokenMs;
    if (this.#cache !== undefined) record.cache = this.#cache;
    if (shared !== undefined) record.shared = shared;
    if (!usage.missing) addTokens(record, usage);
    if (cost !== undefined) record.cost = cost;
    if (error !== undefined) record.error = toFailure(error);
    return record;
  }
}

function toFailure(error: SimpleAgentsError): CallFailure {
  const { kind, status, code } = error;
  const [address = ''] = addressesIn(error) ?? [];
  // A provider that redirects chooses the path.
  return omitUndefined({ kind, status, code, address: URL.parse(address)?.origin });
}

type LastEvent = Extract<CallEvent, { type: 'call-end' }>;

/** Takes the events of all calls; returns a record with the last event of a call. */
export function createCallLog(): (event: CallEvent) => CallRecord | undefined {
  const tallies = new Map<string, CallTally>();
  return (event) => {
    if (event.type === 'call-start') tallies.set(event.call, new CallTally());
    // A breaker may change its state after the call has ended.
    const record = tallies.get(event.call)?.take(event);
    if (record !== undefined) tallies.delete(event.call);
    return record;
  };
}

/** An observer that passes each record to `write`, for instance to a logger. */
export function logCalls(write: (record: CallRecord) => void): Observer {
  const take = createCallLog();
  return (event) => {
    const record = take(event);
    if (record !== undefined) write(record);
  };
}

function addTokens(record: Writable<CallRecord>, { input, output, cacheRead, cacheWrite, reasoning }: Usage): void {
  record.inputTokens = input;
  record.outputTokens = output;
  if (cacheRead !== undefined) record.cacheReadTokens = cacheRead;
  if (cacheWrite !== undefined) record.cacheWriteTokens = cacheWrite;
  if (reasoning !== undefined) record.reasoningTokens = reasoning;
}
