// The simulated model as a provider, without a key and without a network. It sends events and no bytes, so faults of a
// script that need bytes are rejected when the provider is created.

import { classifyFailure, SimpleAgentsError, unsupportedField } from '../../core/error.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { isContent, type MessageEnd, type StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import type { Usage } from '../../core/usage.ts';
import { findUnsupported } from '../../wire/unsupported.ts';
import { countInputTokens, embedInput } from './embedding.ts';
import { replacesResponse, type Fault, type FaultName } from './fault.ts';
import { SimulatedModel, type SimulatedResponse, type ModelOptions } from './model.ts';
import { Pacer, tokensOf, wait, type StreamPace } from './pace.ts';
import type { Script } from './script.ts';

export interface SimulatedOptions extends ModelOptions, Omit<StreamPace, 'slow'> {
  readonly name?: string;
  /** Fails an attempt whose first token takes longer. Left out: no limit. */
  readonly firstTokenTimeoutMs?: number;
  /** The fault of the next attempt. Its fields replace those of the script. */
  readonly nextFault?: () => Fault;
}

export function createSimulatedProvider(options: SimulatedOptions = {}): Provider {
  const { name = 'simulated', firstTokenDelayMs = 0, tokensPerSecond, firstTokenTimeoutMs, nextFault } = options;
  if (options.script !== undefined) checkFaults(options.script);
  const model = new SimulatedModel(options);
  return {
    name,
    async open(request: ChatRequest, signal: AbortSignal): Promise<ModelStream> {
      signal.throwIfAborted();
      refuseUnsupported(name, request);
      const switched = nextFault?.() ?? {};
      const { damage, omitUsage } = switched;
      const origin = { wire: 'simulated', provider: name };
      const composed = model.respond(request, omitUndefined({ origin, damage, omitUsage }));
      const fault = { ...composed.fault, ...switched };
      const response = { ...composed, fault };
      const delay = response.delayMs + firstTokenDelayMs + (fault.stallBeforeMs ?? 0);
      await wait(Math.min(delay, firstTokenTimeoutMs ?? delay), signal);
      if (firstTokenTimeoutMs !== undefined && delay > firstTokenTimeoutMs) throw stallError(name, firstTokenTimeoutMs);
      const failure = failureOf(fault, name);
      if (failure !== undefined && !eventsBeforeFault(response).some(isContent)) throw failure;
      const pace = { ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }), slow: fault.slow ?? 0 };
      return new SimulatedStream(name, { response, failure, pace }, signal);
    },
    async embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResponse> {
      signal.throwIfAborted();
      const fault = nextFault?.() ?? {};
      await wait(firstTokenDelayMs + (fault.stallBeforeMs ?? 0), signal);
      const failure = failureOf(fault, name);
      if (failure !== undefined) throw failure;
      return embed(name, request);
    },
  };
}

/** As a provider with a wire of its own would: fields and tools that only another wire has. */
function refuseUnsupported(name: string, request: ChatRequest): void {
  const unsupported = findUnsupported(request, { wire: 'simulated', provider: name });
  if (unsupported === undefined) return;
  const { field, problem } = unsupported;
  const message = `${field}: the simulated model ${problem}`;
  throw new SimpleAgentsError('bad-request', message, { target: name, field, code: unsupportedField });
}

function embed(target: string, { model, inputs, dimensions }: EmbeddingRequest): EmbeddingResponse {
  const usage = { input: countInputTokens(inputs), output: 0 };
  const settings = omitUndefined({ model, dimensions });
  return {
    target,
    model,
    vectors: inputs.map((input) => embedInput(input, settings)),
    usage,
    ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }),
  };
}

interface PlannedResponse {
  readonly response: SimulatedResponse;
  /** Thrown after the number of events in the fault. */
  readonly failure: SimpleAgentsError | undefined;
  readonly pace: StreamPace;
}

class SimulatedStream implements ModelStream {
  readonly target: string;
  readonly ended: Promise<Outcome>;
  readonly #planned: PlannedResponse;
  readonly #signal: AbortSignal;
  readonly #settle: (outcome: Outcome) => void;
  #sentTokens = 0;

  constructor(target: string, planned: PlannedResponse, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.target = target;
    this.ended = promise;
    this.#settle = resolve;
    this.#planned = planned;
    this.#signal = signal;
    // Ends a stream that is no longer read.
    const onAbort = (): void => this.#fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(() => signal.removeEventListener('abort', onAbort));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    const { response, failure, pace } = this.#planned;
    const pacer = new Pacer(pace);
    try {
      for (const event of failure === undefined ? response.events : eventsBeforeFault(response)) {
        await wait(pacer.delayBefore(event), this.#signal);
        this.#sentTokens += tokensOf(event);
        if (event.type === 'message-end') this.#settle(completed(event));
        yield event;
      }
      if (failure !== undefined) throw failure;
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#settle({ type: 'left', usage: this.#usageSoFar() });
    }
  }

  #fail(error: unknown): void {
    this.#settle({ type: 'failed', error, usage: this.#usageSoFar() });
  }

  #usageSoFar(): Usage {
    const { input } = (this.#planned.response.events.at(-1) as MessageEnd).usage;
    return { input, output: this.#sentTokens };
  }
}

/** The events before the fault. */
function eventsBeforeFault({ events, fault }: SimulatedResponse): readonly StreamEvent[] {
  return replacesResponse(fault) ? [] : events.slice(0, fault.errorAfterEvents);
}

function completed({ stopReason, usage }: MessageEnd): Outcome {
  return { type: 'complete', stopReason, usage };
}

function failureOf(fault: Fault, target: string): SimpleAgentsError | undefined {
  const {
    status,
    errorAfterEvents,
    retryAfter,
    message = 'The simulated model failed, as the script demands.',
  } = fault;
  if (fault.reset === true)
    return new SimpleAgentsError('network', 'The connection was reset, as the script demands.', { target });
  if (status === undefined && errorAfterEvents === undefined) return undefined;
  const type = fault.errorType ?? (status === undefined ? 'overloaded_error' : undefined);
  const retryAfterMs = retryAfter === undefined ? Number.NaN : Number(retryAfter) * 1000;
  return classifyFailure({
    message,
    target,
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
  });
}

/** Classified like a real time-out, which has a setting to raise. */
function stallError(name: string, limit: number): SimpleAgentsError {
  return new SimpleAgentsError('timeout', `${name}: no first token within ${limit} ms (simulated)`, {
    code: 'first-token-timeout',
  });
}

const playable: ReadonlySet<string> = new Set<FaultName>([
  'status',
  'retryAfter',
  'errorType',
  'message',
  'stallBeforeMs',
  'errorAfterEvents',
  'slow',
  'reset',
  'damage',
  'omitUsage',
]);

/** A field that only the HTTP simulator can play. */
export function unplayableField(fault: Fault): string | undefined {
  return Object.keys(fault).find((name) => !playable.has(name));
}

function checkFaults({ replies }: Script): void {
  for (const [index, { fault = {} }] of replies.entries()) {
    const name = unplayableField(fault);
    if (name === undefined) continue;
    const field = `replies[${index}].fault.${name}`;
    throw new SimpleAgentsError(
      'configuration',
      `${field}: requires an HTTP connection; serve the script with \`simple-agents simulate\``,
      { field },
    );
  }
}
