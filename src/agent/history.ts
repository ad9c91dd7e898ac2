// The conversation as it is kept and sent. Whatever happened, it can be sent to any wire.
// Invariants, after every method:
//   1. User and assistant take turns, the user first; nothing is empty and no text is blank.
//   2. All results of an answer's calls stand in the very next message, in call order, before anything else.
//   3. A call's id is unique in the conversation.

import type { AssembledMessage } from '../core/assembler.ts';
import { text, toolCallsOf, type Block, type Message, type ToolResultBlock } from '../core/message.ts';

/** Told of every change: what was added, or that the conversation is another now. What it throws is lost. */
export type HistoryObserver = (change: HistoryChange) => void;

export type HistoryChange = (
  | { readonly type: 'append'; readonly message: Message }
  | { readonly type: 'replace'; readonly messages: readonly Message[] }
) & {
  /** The answer that brought the change, where one did. */
  readonly answer?: AnswerRecord;
};

export type AnswerRecord = Pick<AssembledMessage, 'id' | 'model' | 'usage' | 'stopReason'>;

/** Stands for what is not there, so that turns alternate. */
export const placeholders = {
  truncated: '[Response truncated]',
  empty: '[Empty response]',
  interrupted: '[Interrupted]',
  failed: '[No response: the request failed]',
  noResult: '[No result: the tool call was interrupted]',
} as const;

export class History {
  #messages: readonly Message[];
  readonly #observe: HistoryObserver;

  /** The messages must be valid; see `repairHistory`. */
  constructor(messages: readonly Message[] = [], observe: HistoryObserver = () => undefined) {
    this.#messages = messages;
    this.#observe = quiet(observe);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get last(): Message | undefined {
    return this.#messages.at(-1);
  }

  /** A conversation that was left open is closed first. */
  addPrompt(content: readonly Block[]): void {
    this.close(placeholders.interrupted);
    this.#append({ role: 'user', content });
  }

  /** What follows a pause is the same answer. */
  addResponse(content: readonly Block[], answer?: AnswerRecord): void {
    const { last } = this;
    if (last?.role !== 'assistant') return this.#append({ role: 'assistant', content }, answer);
    const joined: Message = { role: 'assistant', content: [...last.content, ...content] };
    this.replace([...this.#messages.slice(0, -1), joined], answer);
  }

  addResults(results: readonly ToolResultBlock[]): void {
    this.#append({ role: 'user', content: results });
  }

  /** Lets the assistant have the last word. */
  close(note: string): void {
    if (this.last?.role === 'user') this.#append({ role: 'assistant', content: [text(note)] });
  }

  /** Takes back calls of the last answer that will have no results. */
  withdrawCalls(note: string): void {
    const { last } = this;
    if (last?.role !== 'assistant' || toolCallsOf(last.content).length === 0) return;
    const spoken = withoutCalls(last.content);
    const content = spoken.length === 0 ? [text(note)] : spoken;
    this.replace([...this.#messages.slice(0, -1), { role: 'assistant', content }]);
  }

  /**
   * After a request that failed for good: what was sent last leaves, and calls that lose their results with it. Batches
   * before it stay, for what the tools did is done.
   */
  recover(): void {
    if (this.last?.role !== 'user') return;
    let kept = this.#messages.slice(0, -1);
    const asked = kept.at(-1);
    if (asked?.role === 'assistant' && toolCallsOf(asked.content).length > 0) {
      const spoken = withoutCalls(asked.content);
      kept = spoken.length > 0 ? [...kept.slice(0, -1), { role: 'assistant', content: spoken }] : kept.slice(0, -1);
    }
    const left = kept.at(-1);
    if (left?.role === 'user') {
      const isBatch = left.content.some(({ type }) => type === 'tool-result');
      kept = isBatch ? [...kept, { role: 'assistant', content: [text(placeholders.failed)] }] : kept.slice(0, -1);
    }
    this.replace(kept);
  }

  replace(messages: readonly Message[], answer?: AnswerRecord): void {
    this.#messages = messages;
    this.#observe({ type: 'replace', messages, ...(answer === undefined ? {} : { answer }) });
  }

  #append(message: Message, answer?: AnswerRecord): void {
    this.#messages = [...this.#messages, message];
    this.#observe({ type: 'append', message, ...(answer === undefined ? {} : { answer }) });
  }
}

function quiet(observe: HistoryObserver): HistoryObserver {
  return (change) => {
    try {
      observe(change);
    } catch {
      // Watching must not break what is watched.
    }
  };
}

/** An answer's words without its calls, and without a thought that leads nowhere now. */
export function withoutCalls(content: readonly Block[]): readonly Block[] {
  return toHistoryContent(content.filter(({ type }) => type !== 'tool-call'));
}

/** What of an answer may stand in the conversation: no blank text, and no thought at the end, which is refused there. */
export function toHistoryContent(content: readonly Block[]): readonly Block[] {
  const blocks = content.filter((block) => !isBlank(block));
  const end = blocks.findLastIndex(({ type }) => type !== 'reasoning');
  return blocks.slice(0, end + 1);
}

export function isBlank(block: Block): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

/** A result always says something: an error without words is refused, and silence would puzzle the model. */
export function toResult(
  callId: string,
  { content, isError }: Pick<ToolResultBlock, 'content' | 'isError'>,
): ToolResultBlock {
  const said = content.filter((part) => !isBlank(part));
  const result = { type: 'tool-result', callId, content: said.length === 0 ? [text('(no output)')] : said } as const;
  return isError === true ? { ...result, isError } : result;
}
