// A streamed answer in words.

import type { AssembledMessage } from '../core/assembler.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import { AnswerStream } from './answer-stream.ts';
import type { Completion, CostOf } from './completion.ts';
import { Reading } from './reading.ts';

export class CompletionStream extends AnswerStream<Completion> {
  readonly #open: (signal: AbortSignal) => Promise<ModelStream>;
  readonly #reading: Reading;

  constructor(open: (signal: AbortSignal) => Promise<ModelStream>, costOf?: CostOf) {
    super();
    this.#reading = new Reading(costOf);
    this.#open = open;
  }

  /** What has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#reading.message;
  }

  protected override async open(signal: AbortSignal): Promise<ModelStream> {
    const stream = await this.#open(signal);
    this.target = stream.target;
    return stream;
  }

  protected override take(event: StreamEvent): Completion | undefined {
    return this.#reading.take(event, this.target);
  }
}
