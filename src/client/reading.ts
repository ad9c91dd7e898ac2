// One answer being read: the events as they come, and in the end the whole. The one place where a client turns a
// stream into a completion.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import { toCompletion, type Completion } from './completion.ts';

export class Reading {
  readonly #assembler = new MessageAssembler();
  readonly #notices: Notice[] = [];
  /** There when the answer has come to its end. */
  completion: Completion | undefined;

  /** What has arrived so far, also after a failure. */
  get message(): AssembledMessage {
    return this.#assembler.message();
  }

  async *read(stream: ModelStream): AsyncGenerator<StreamEvent, void, undefined> {
    for await (const event of stream) {
      this.#assembler.push(event);
      if (event.type === 'notice') this.#notices.push(event);
      if (event.type === 'message-end') this.completion = toCompletion(this.message, stream.target, this.#notices);
      yield event;
    }
  }
}

/** Opens a call that ends with the signal. */
export type Open = (signal: AbortSignal) => Promise<ModelStream>;
