// One ACP session: runs prompts one after the other and sends their updates. Invariants:
//   1. Every prompt resolves. After `cancel` it resolves with `cancelled`, whatever the agent reports.
//   2. All updates of a turn are sent before its prompt resolves, and none after it.
//   3. A question about a call is sent after the updates that announce the call.

import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import { isAbort, SimpleAgentsError, toError } from '../core/error.ts';
import type { Clock } from '../core/clock.ts';
import type { Block } from '../core/message.ts';
import type { AgentSession, AskReply, PermissionAsk } from './agent-session.ts';
import { stopReasons } from './prompt-outcome.ts';
import type { AcpStopReason, SessionUpdate } from './types.ts';
import type { UpdateEncoder } from './update-encoder.ts';

export interface AcpSessionOptions {
  readonly session: AgentSession;
  readonly folder: string;
  readonly encoder: UpdateEncoder;
  readonly send: (update: SessionUpdate) => void;
  readonly clock: Clock;
  /** Messages for the user that wait until the client knows the session. */
  readonly untold: string[];
}

/** How a prompt ended. */
export type PromptOutcome =
  | { readonly kind: 'stop'; readonly stopReason: AcpStopReason }
  | { readonly kind: 'error'; readonly error: SimpleAgentsError };

export interface RunningPrompt {
  readonly outcome: Promise<PromptOutcome>;
  cancel(): void;
}

/** Milliseconds between two updates with live output of the same call. */
const outputPause = 100;

const cancelled: PromptOutcome = { kind: 'stop', stopReason: 'cancelled' };

export class AcpSession {
  readonly session: AgentSession;
  readonly folder: string;
  readonly encoder: UpdateEncoder;
  readonly untold: string[];
  readonly #options: AcpSessionOptions;
  /** Resolves when the last prompt that was sent has ended. */
  #last: Promise<unknown> = Promise.resolve();
  /** The prompts that have not ended. */
  readonly #prompts = new Set<AbortController>();
  /** Resolved when the question about a call may be sent. */
  readonly #asking = new Map<string, PromiseWithResolvers<void>>();
  #isTelling = false;
  #isClosed = false;

  constructor(options: AcpSessionOptions) {
    this.session = options.session;
    this.folder = options.folder;
    this.encoder = options.encoder;
    this.untold = options.untold;
    this.#options = options;
  }

  /** Runs after the prompts that were sent before. */
  prompt(blocks: readonly Block[]): RunningPrompt {
    const controller = new AbortController();
    this.#prompts.add(controller);
    const outcome = this.#last
      .then(() => this.#run(blocks, controller.signal))
      .finally(() => this.#prompts.delete(controller));
    this.#last = outcome;
    return { outcome, cancel: () => controller.abort() };
  }

  /** Ends the running prompt and those that wait. */
  cancel(): void {
    for (const controller of this.#prompts) controller.abort();
  }

  /** Resolves when everything before the question about this call was sent. */
  async reached({ callId }: PermissionAsk, signal: AbortSignal): Promise<void> {
    const asked = this.#asked(callId);
    if (signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    await Promise.race([asked.promise, aborted.promise]);
    this.#asking.delete(callId);
  }

  /** The call continues, or ends with a result that says that it was refused. */
  answered(toolCallId: string, reply: AskReply): void {
    if (reply === 'once' || reply === 'always') this.#send(this.encoder.calls.resume(toolCallId));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.cancel();
    await this.#last;
    await this.session.close();
  }

  async #run(blocks: readonly Block[], signal: AbortSignal): Promise<PromptOutcome> {
    if (signal.aborted) return cancelled;
    const end = await this.#runTurn(blocks, signal);
    this.#asking.clear();
    return signal.aborted ? cancelled : outcomeOf(end);
  }

  async #runTurn(blocks: readonly Block[], signal: AbortSignal): Promise<TurnEnd> {
    const turn = new AbortController();
    try {
      return await this.session.run(blocks, (event) => this.#show(event, turn.signal), signal);
    } catch (error) {
      const failed: TurnEnd = { ...emptyEnd, reason: isAbort(error) ? 'cancelled' : 'error', error: toError(error) };
      this.#show(failed, turn.signal);
      return failed;
    } finally {
      turn.abort();
    }
  }

  #show(event: AgentEvent, turn: AbortSignal): void {
    if (turn.aborted) return;
    this.#send(this.encoder.push(event));
    const inner = innermost(event);
    if (inner.type === 'permission-request') this.#asked(inner.id).resolve();
    if (this.encoder.calls.isBehind) void this.#flushSoon(turn);
  }

  /** Live output arrives in many small parts. */
  async #flushSoon(turn: AbortSignal): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    await this.#options.clock.sleep(outputPause, turn).catch(() => undefined);
    this.#isTelling = false;
    if (!turn.aborted) this.#send(this.encoder.flush());
  }

  #asked(callId: string): PromiseWithResolvers<void> {
    const known = this.#asking.get(callId) ?? Promise.withResolvers<void>();
    this.#asking.set(callId, known);
    return known;
  }

  #send(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#options.send(update);
  }
}

function outcomeOf({ reason, error }: TurnEnd): PromptOutcome {
  if (reason !== 'error') return { kind: 'stop', stopReason: stopReasons[reason] };
  return { kind: 'error', error: error ?? new SimpleAgentsError('internal', 'the turn ended with an unknown error') };
}

const emptyEnd: TurnEnd = {
  type: 'turn-end',
  reason: 'end',
  text: '',
  usage: { input: 0, output: 0, missing: true },
  iterations: 0,
  duration: 0,
};

function innermost(event: AgentEvent): AgentEvent {
  return event.type === 'subagent-event' ? innermost(event.event) : event;
}
