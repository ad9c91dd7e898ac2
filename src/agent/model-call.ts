// One model call with retries. This is the only retry in an agent: the layers below are asked not to retry. A stream that
// breaks off after content was shown starts over, and a `stream-restart` event says so.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import type { CallContext } from '../core/call.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import { isContent, isUnpaid, type StreamEvent } from '../core/event.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { macrotask } from '../core/macrotask.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { unlessAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { Emit } from './event-queue.ts';
import type { RetryWait } from './event.ts';

export interface ModelCallOptions {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly retry: RetryPlan;
  readonly progress: ResponseProgress;
  readonly emit: Emit;
  /** Called with every response for which tokens were reported, including truncated and cancelled ones: those are billed. */
  readonly onUsage: (response: ModelResponse) => void;
}

export interface ModelResponse {
  readonly message: AssembledMessage;
  /** The target that responded. */
  readonly target: string;
  /** It came from a cache and cost nothing. */
  readonly isUnpaid: boolean;
}

export interface RetryPlan {
  /** Milliseconds before each retry; their number is the number of retries. `Retry-After` takes precedence. */
  readonly delays: readonly number[];
  /**
   * Whether a response that was truncated after part of it was shown starts over or fails. `before-text`: it starts over
   * only if no text was shown, for renderers that show only text and cannot take it back.
   */
  readonly restart: boolean | 'before-text';
}

export const defaultRetry: RetryPlan = { delays: [2_000, 4_000, 8_000, 16_000], restart: true };

const longestDelay = 60_000;

/** What has arrived of the current response. A cancelled turn keeps it. */
export class ResponseProgress {
  #assembler = new MessageAssembler();
  hasContent = false;
  hasText = false;
  isUnpaid = false;

  begin(): void {
    this.#assembler = new MessageAssembler();
    this.hasContent = false;
    this.hasText = false;
    this.isUnpaid = false;
  }

  push(event: StreamEvent): void {
    this.#assembler.push(event);
    if (isContent(event)) this.hasContent = true;
    if (isText(event)) this.hasText = true;
    if (event.type === 'notice' && isUnpaid(event)) this.isUnpaid = true;
  }

  get message(): AssembledMessage {
    return this.#assembler.message();
  }
}

function isText(event: StreamEvent): boolean {
  if (event.type === 'text-delta') return event.text !== '';
  return event.type === 'block-end' && event.block.type === 'text' && event.block.text !== '';
}

/** Throws the error of the last attempt, or the signal's reason. */
export async function callModel(
  request: ChatRequest,
  options: ModelCallOptions,
  signal: AbortSignal,
): Promise<ModelResponse> {
  const { progress, retry, clock, emit } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callOnce(request, options, signal);
    } catch (thrown) {
      if (signal.aborted || !mayRestart(progress, retry)) throw thrown;
      const wait = waitAfter(toError(thrown), attempt, retry.delays);
      await emit(wait);
      await clock.sleep(wait.delay, signal);
      if (progress.hasContent) await emit({ type: 'stream-restart', attempt });
    }
  }
}

function mayRestart({ hasContent, hasText }: ResponseProgress, { restart }: RetryPlan): boolean {
  return restart === 'before-text' ? !hasText : restart || !hasContent;
}

async function callOnce(request: ChatRequest, options: ModelCallOptions, signal: AbortSignal): Promise<ModelResponse> {
  const { provider, progress } = options;
  progress.begin();
  signal.throwIfAborted();
  const stream = await unlessAborted(provider.open(request, signal, callContext()), signal);
  try {
    return await readStream(stream, options);
  } catch (error) {
    // The outcome is known by now, but a stream that never reports one must not block the turn.
    const { usage = noUsage } = (await Promise.race([stream.ended, macrotask()])) ?? {};
    if (usage.missing !== true) options.onUsage(toModelResponse(stream, progress, usage));
    throw error;
  }
}

async function readStream(stream: ModelStream, { progress, emit, onUsage }: ModelCallOptions): Promise<ModelResponse> {
  const { target } = stream;
  for await (const event of stream) {
    progress.push(event);
    await emit({ type: 'model-event', event });
  }
  const response = toModelResponse(stream, progress);
  if (response.message.stopReason === undefined) {
    throw new SimpleAgentsError('network', 'the stream stopped without a stop reason', { target });
  }
  onUsage(response);
  return response;
}

function toModelResponse({ target }: ModelStream, progress: ResponseProgress, usage?: Usage): ModelResponse {
  const { message } = progress;
  return { message: { ...message, usage: usage ?? message.usage }, target, isUnpaid: progress.isUnpaid };
}

function callContext(): CallContext {
  return { id: crypto.randomUUID(), observe: () => undefined, retry: false };
}

/** The wait before the next attempt. Throws the error if a retry cannot help. */
function waitAfter(error: SimpleAgentsError, attempt: number, delays: readonly number[]): RetryWait {
  const delay = delays[attempt - 1];
  if (!error.retryable || delay === undefined) throw error;
  const actual = error.retryAfterMs === undefined ? delay : Math.min(error.retryAfterMs, longestDelay);
  return { type: 'retry-wait', attempt, limit: delays.length, delay: actual, error };
}
