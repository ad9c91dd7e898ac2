// One question to the model, asked again while that may help. The only retry an agent has: whatever is underneath is told
// not to. A stream that breaks off after words were shown begins anew, and that is told.

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
  /** Takes every answer the provider reported tokens of, also one that was cut or cancelled: it is billed. */
  readonly onUsage: (response: ModelResponse) => void;
}

export interface ModelResponse {
  readonly message: AssembledMessage;
  /** Who answered. */
  readonly target: string;
  /** It came from a cache, and nobody paid. */
  readonly isUnpaid: boolean;
}

export interface RetryPlan {
  /** Milliseconds before each further try; as many tries as there are. `Retry-After` goes before them. */
  readonly delays: readonly number[];
  /**
   * Whether an answer that was cut after a part of it was shown begins anew, or fails. `before-text`: it may while none of
   * its words were, for whoever shows nothing else and cannot take words back.
   */
  readonly restart: boolean | 'before-text';
}

export const defaultRetry: RetryPlan = { delays: [2_000, 4_000, 8_000, 16_000], restart: true };

const longestDelay = 60_000;

/** What has arrived of the answer under way, for whoever must leave in the middle. */
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

/** Throws what the last try failed with, or the signal's reason. */
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
    // It is known by now; but a stream that never says how it ended must not hold up the turn.
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

/** How long to wait; throws the error when another try is not worth it. */
function waitAfter(error: SimpleAgentsError, attempt: number, delays: readonly number[]): RetryWait {
  const delay = delays[attempt - 1];
  if (!error.retryable || delay === undefined) throw error;
  const asked = error.retryAfterMs === undefined ? delay : Math.min(error.retryAfterMs, longestDelay);
  return { type: 'retry-wait', attempt, limit: delays.length, delay: asked, error };
}
