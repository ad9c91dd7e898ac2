// The conversation as it is kept and sent. It is valid for every wire at any time.
// Invariants, after every method:
//   1. User and assistant messages alternate, starting with the user. No message is empty and no text is blank.
//   2. The results of a response's calls are in the next message, in call order, before anything else.
//   3. Call ids are unique in the conversation.

import type { AssembledMessage } from '../core/assembler.ts';
import { text, toolCallsOf, type Block, type Message, type ToolResultBlock } from '../core/message.ts';

/** Called at every change of the conversation. Exceptions it throws are ignored. */
export type HistoryObserver = (change: HistoryChange) => void;

export type HistoryChange = (
  | { readonly type: 'append'; readonly message: Message }
  | { readonly type: 'replace'; readonly messages: readonly Message[] }
) & {
  /** The model response that caused the change, if one did. */
  readonly answer?: AnswerRecord;
};

export type AnswerRecord = Pick<AssembledMessage, 'id' | 'model' | 'usage' | 'stopReason'>;

/** Texts in place of missing messages, so that roles alternate. */
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

  /** Closes an open conversation first. */
  addPrompt(content: readonly Block[]): void {
    this.close(placeholders.interrupted);
    this.#append({ role: 'user', content });
  }

  /** A response after a pause continues the previous one. */
  addResponse(content: readonly Block[], answer?: AnswerRecord): void {
    const { last } = this;
    if (last?.role !== 'assistant') return this.#append({ role: 'assistant', content }, answer);
    const joined: Message = { role: 'assistant', content: [...last.content, ...content] };
    this.replace([...this.#messages.slice(0, -1), joined], answer);
  }

  addResults(results: readonly ToolResultBlock[]): void {
    this.#append({ role: 'user', content: results });
  }

  /** Adds an assistant message if the last message is the user's. */
  close(note: string): void {
    if (this.last?.role === 'user') this.#append({ role: 'assistant', content: [text(note)] });
  }

  /** Removes calls of the last response that will have no results. */
  withdrawCalls(note: string): void {
    const { last } = this;
    if (last?.role !== 'assistant' || toolCallsOf(last.content).length === 0) return;
    const rest = withoutCalls(last.content);
    const content = rest.length === 0 ? [text(note)] : rest;
    this.replace([...this.#messages.slice(0, -1), { role: 'assistant', content }]);
  }

  /**
   * After a request that failed permanently: removes the message that was sent last, and the calls whose results it held.
   * Earlier batches stay, because their effects happened.
   */
  recover(): void {
    if (this.last?.role !== 'user') return;
    let kept = this.#messages.slice(0, -1);
    const calling = kept.at(-1);
    if (calling?.role === 'assistant' && toolCallsOf(calling.content).length > 0) {
      const content = withoutCalls(calling.content);
      kept = content.length > 0 ? [...kept.slice(0, -1), { role: 'assistant', content }] : kept.slice(0, -1);
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
      // An observer must not break the turn.
    }
  };
}

/** The content without tool calls, and without reasoning at its end. */
export function withoutCalls(content: readonly Block[]): readonly Block[] {
  return toHistoryContent(content.filter(({ type }) => type !== 'tool-call'));
}

/** The content that may enter the conversation: no blank text, and no reasoning at the end, which providers reject. */
export function toHistoryContent(content: readonly Block[]): readonly Block[] {
  const blocks = content.filter((block) => !isBlank(block));
  const end = blocks.findLastIndex(({ type }) => type !== 'reasoning');
  return blocks.slice(0, end + 1);
}

export function isBlank(block: Block): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

/** A result always has text: providers reject an error without any, and an empty result would confuse the model. */
export function toResult(
  callId: string,
  { content, isError }: Pick<ToolResultBlock, 'content' | 'isError'>,
): ToolResultBlock {
  const parts = content.filter((part) => !isBlank(part));
  const result = { type: 'tool-result', callId, content: parts.length === 0 ? [text('(no output)')] : parts } as const;
  return isError === true ? { ...result, isError } : result;
}
