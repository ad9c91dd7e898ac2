// A streamed response without a schema.

import type { AssembledMessage } from '../core/assembler.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import type { CostOf } from '../core/usage.ts';
import { ResponseStream } from './response-stream.ts';
import { CompletionBuilder, type Completion } from './completion.ts';

export class CompletionStream extends ResponseStream<Completion> {
  readonly #open: (signal: AbortSignal) => Promise<ModelStream>;
  readonly #builder: CompletionBuilder;

  constructor(open: (signal: AbortSignal) => Promise<ModelStream>, costOf?: CostOf) {
    super();
    this.#builder = new CompletionBuilder(costOf);
    this.#open = open;
  }

  /** The message so far, also after a failure. It contains only complete tool calls. */
  get partial(): AssembledMessage {
    return this.#builder.message;
  }

  protected override async open(signal: AbortSignal): Promise<ModelStream> {
    const stream = await this.#open(signal);
    this.target = stream.target;
    return stream;
  }

  protected override take(event: StreamEvent): Completion | undefined {
    return this.#builder.take(event, this.target);
  }
}
