// The context budget: before each model call it checks whether the conversation fits the context window, and trims or
// summarises it if not. context.ts and compaction.ts decide what to remove; this file applies it and emits the events.

import { SimpleAgentsError, toError } from '../core/error.ts';
import { textOf, type Message } from '../core/message.ts';
import { planCompaction } from './compaction.ts';
import { goalOf, sizeOf, trim, type TrimGoal } from './context.ts';
import type { Emit } from './event-queue.ts';
import type { ContextTrim } from './event.ts';
import type { History } from './history.ts';
import type { TurnState } from './turn-state.ts';

export interface ContextBudgetOptions {
  readonly history: History;
  readonly turn: TurnState;
  /** Bytes sent with every request in addition to the conversation. */
  readonly overhead: number;
  readonly compaction: boolean;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly windowOf: (model: string) => number;
  /** Calls the model outside the conversation. */
  readonly ask: (messages: readonly Message[]) => Promise<Message>;
}

export class ContextBudget {
  readonly #options: ContextBudgetOptions;

  constructor(options: ContextBudgetOptions) {
    this.#options = options;
  }

  async enforce(): Promise<void> {
    const { history, compaction } = this.#options;
    const goal = this.#goal();
    if (goal === undefined) return;
    if (compaction) await this.#emit(await this.#tryCompaction());
    if (!compaction || sizeOf(history.messages) > goal.wanted) await this.#emit(this.#trim(goal));
  }

  /** After a context-overflow error. Resolves to false if nothing can be removed. */
  async halve(): Promise<boolean> {
    const half = sizeOf(this.#options.history.messages) / 2;
    const trimmed = this.#trim({ wanted: half, most: half });
    await this.#emit(trimmed);
    return trimmed !== undefined;
  }

  /** Replaces all but the last `keep` exchanges by a summary. Resolves to undefined if there are none. */
  async compact(keep: number): Promise<ContextTrim | undefined> {
    const { history, ask } = this.#options;
    const plan = planCompaction(history.messages, keep);
    if (plan === undefined) return undefined;
    const before = sizeOf(history.messages);
    const summary = await ask(plan.question);
    if (textOf(summary.content).trim() === '') throw new SimpleAgentsError('bad-response', 'the summary is empty');
    history.replace(plan.apply(summary));
    const { exchanges, messages } = plan;
    const after = sizeOf(history.messages);
    return { type: 'context-trim', how: 'summary', exchanges, messages, blocks: 0, before, after };
  }

  #goal(): TrimGoal | undefined {
    const { history, turn, overhead, windowOf } = this.#options;
    const { reported, reportedSize } = turn;
    return goalOf(history.messages, { window: windowOf(turn.model), overhead, reported, reportedSize });
  }

  async #tryCompaction(): Promise<ContextTrim | undefined> {
    const { emit, signal } = this.#options;
    try {
      return await this.compact(1);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const detail = `the conversation could not be summarised: ${toError(thrown).message}`;
      await emit({ type: 'notice', kind: 'compaction-failure', detail });
      return undefined;
    }
  }

  #trim(goal: TrimGoal): ContextTrim | undefined {
    const { history } = this.#options;
    const before = sizeOf(history.messages);
    const { messages, exchanges, removed, blocks } = trim(history.messages, goal);
    if (removed === 0 && blocks === 0) return undefined;
    history.replace(messages);
    return { type: 'context-trim', how: 'trim', exchanges, messages: removed, blocks, before, after: sizeOf(messages) };
  }

  async #emit(event: ContextTrim | undefined): Promise<void> {
    if (event !== undefined) await this.#options.emit(event);
  }
}
