// Asks the models of the current conversation and fills in their answers while they stream. Text that arrives between two
// frames is shown with the next frame.

import { computed, signal } from '@preact/signals';
import { CallError } from '../app/access.ts';
import { streamCompletion, type CompletionEvent } from '../app/completion.ts';
import {
  change,
  changeAnswer,
  current,
  emptyAnswer,
  keep,
  type Answer,
  type ToolCall,
  type Turn,
} from './conversation.ts';
import { toRequest } from './request.ts';

const running = signal<readonly AbortController[]>([]);
export const isAsking = computed(() => running.value.length > 0);

const titleLength = 60;

/** Adds a turn and asks every model. */
export function ask(text: string, images: readonly string[]): void {
  const { turns, models, title } = current.value;
  const answers = models.map((model): Answer[] => [{ ...emptyAnswer, model }]);
  const turn: Turn = { id: crypto.randomUUID(), text, images, answers };
  const named = turns.length === 0 ? text.trim().slice(0, titleLength) || 'Picture' : title;
  change({ turns: [...turns, turn], title: named });
  for (const column of models.keys()) void answerTurn(turn.id, column);
}

/** Replaces a message and everything after it. */
export function askAgain(turnId: string, text: string): void {
  stop();
  const index = current.value.turns.findIndex(({ id }) => id === turnId);
  const turn = current.value.turns[index];
  if (turn === undefined) return;
  change({ turns: current.value.turns.slice(0, index) });
  ask(text, turn.images);
}

/** Continues after the user entered the results of the tools that an answer calls. */
export function continueAnswer(turnId: string, column: number): void {
  changeAnswer(turnId, column, (list) => [...list, { ...emptyAnswer, model: list.at(-1)?.model ?? '' }]);
  void answerTurn(turnId, column);
}

export function retry(turnId: string, column: number): void {
  changeAnswer(turnId, column, (list) => [...list.slice(0, -1), { ...emptyAnswer, model: list.at(-1)?.model ?? '' }]);
  void answerTurn(turnId, column);
}

export function stop(): void {
  for (const controller of running.value) controller.abort();
}

async function answerTurn(turnId: string, column: number): Promise<void> {
  const controller = new AbortController();
  running.value = [...running.value, controller];
  const writer = new AnswerWriter(turnId, column);
  try {
    const { model } = writer.answer;
    const request = toRequest(upTo(turnId), column, model);
    for await (const event of streamCompletion(request, controller.signal)) writer.take(event);
    writer.end({ state: 'done' });
  } catch (error) {
    if (controller.signal.aborted) writer.end({ state: 'stopped' });
    else writer.end({ state: 'failed', problem: describe(error) });
  } finally {
    running.value = running.value.filter((other) => other !== controller);
    keep();
  }
}

/** The conversation up to a turn. */
function upTo(turnId: string): typeof current.value {
  const { turns } = current.value;
  const index = turns.findIndex(({ id }) => id === turnId);
  return { ...current.value, turns: turns.slice(0, index + 1) };
}

function describe(error: unknown): string {
  if (error instanceof SyntaxError) return `The tools are not JSON: ${error.message}`;
  return error instanceof CallError || error instanceof Error ? error.message : String(error);
}

class AnswerWriter {
  answer: Answer;
  readonly #turnId: string;
  readonly #column: number;
  readonly #begun = performance.now();
  #frame: number | undefined;

  constructor(turnId: string, column: number) {
    this.#turnId = turnId;
    this.#column = column;
    const found = current.value.turns.find(({ id }) => id === turnId)?.answers[column]?.at(-1);
    this.answer = found ?? { ...emptyAnswer, model: '' };
  }

  take(event: CompletionEvent): void {
    this.#update(changesFor(event, this.answer));
    if (event.type !== 'start' && event.type !== 'end' && this.answer.firstToken === undefined)
      this.#update({ firstToken: performance.now() - this.#begun });
  }

  end(changes: Partial<Answer>): void {
    this.#update({ ...changes, total: performance.now() - this.#begun });
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#show();
  }

  #update(changes: Partial<Answer>): void {
    this.answer = { ...this.answer, ...changes };
    this.#frame ??= requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    this.#frame = undefined;
    changeAnswer(this.#turnId, this.#column, (list) => [...list.slice(0, -1), this.answer]);
  }
}

function changesFor(event: CompletionEvent, answer: Answer): Partial<Answer> {
  switch (event.type) {
    case 'start':
      return { state: 'streaming', call: event.id, target: event.target };
    case 'text':
      return { text: answer.text + event.text };
    case 'reasoning':
      return { reasoning: answer.reasoning + event.text };
    case 'tool':
      return { tools: withToolPart(answer.tools, event) };
    case 'end': {
      const { type: _type, reason: _reason, ...figures } = event;
      return figures;
    }
  }
}

type ToolEvent = Extract<CompletionEvent, { type: 'tool' }>;

function withToolPart(tools: readonly ToolCall[], { index, id, name, json }: ToolEvent): readonly ToolCall[] {
  const known = tools[index] ?? { id: '', name: '', json: '' };
  const next = { id: known.id || (id ?? ''), name: known.name || (name ?? ''), json: known.json + json };
  return [...tools.slice(0, index), next, ...tools.slice(index + 1)];
}
