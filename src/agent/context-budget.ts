// Room in the model's context: before each question it looks whether the conversation still fits, and makes it fit. What
// must leave, and when, context.ts and compaction.ts decide; here it is done and told.

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
  /** What goes with every request beside the conversation, in bytes. */
  readonly overhead: number;
  readonly compaction: boolean;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly windowOf: (model: string) => number;
  /** Asks the model beside the conversation. */
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
    if (compaction) await this.#tell(await this.#tryCompaction());
    if (!compaction || sizeOf(history.messages) > goal.wanted) await this.#tell(this.#trim(goal));
  }

  /** For a model that says it was too much. False when nothing can leave. */
  async halve(): Promise<boolean> {
    const half = sizeOf(this.#options.history.messages) / 2;
    const told = this.#trim({ wanted: half, most: half });
    await this.#tell(told);
    return told !== undefined;
  }

  /** Puts a summary in the place of all but the last `keep` exchanges; nothing when there are none. */
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
      const detail = `the conversation could not be summed up: ${toError(thrown).message}`;
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

  async #tell(event: ContextTrim | undefined): Promise<void> {
    if (event !== undefined) await this.#options.emit(event);
  }
}
