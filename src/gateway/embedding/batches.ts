// `withBatches`: divides a request with more inputs than the vendor accepts into several. Invariants:
//   1. The vectors are in the order of the inputs, and all of them come from the same target.
//   2. The first failure ends the call: its error says which inputs failed, and no vectors are returned.
//   3. At most `maxParallel` requests are in progress.

import type { CallContext } from '../../core/call.ts';
import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { isAbort, SimpleAgentsError, toError } from '../../core/error.ts';
import type { Callable } from '../../core/provider.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import { addUsage } from '../../core/usage.ts';
import { usualMaxInputs, type EmbeddingTraits } from '../../providers/vendors.ts';

export type Embedder = Callable<EmbeddingRequest, EmbeddingResponse>;

const maxParallel = 4;

/** Estimates of tokens may be too low, above all for text that is not English. */
const estimateMargin = 2;

export function withBatches(inner: Embedder, traits: EmbeddingTraits): Embedder {
  return {
    name: inner.name,
    open(request, signal, context) {
      const isSingle = traits.oneInput?.test(request.model) === true;
      const batches = toBatches(request.inputs, isSingle ? { ...traits, maxInputs: 1 } : traits);
      if (batches.length === 1) return inner.open(request, signal, context);
      return new BatchedCall(inner, request, { signal, context }).run(batches);
    },
  };
}

interface Batch {
  /** The index of its first input. */
  readonly start: number;
  readonly inputs: readonly EmbeddingInput[];
}

export function toBatches(
  inputs: readonly EmbeddingInput[],
  { maxInputs = usualMaxInputs, maxTokens = Number.POSITIVE_INFINITY }: EmbeddingTraits,
): readonly Batch[] {
  const batches: Batch[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const size = typeof input === 'string' ? estimateTokens(input) * estimateMargin : input.length;
    const isFull = index - start >= maxInputs || (index > start && tokens + size > maxTokens);
    if (isFull) {
      batches.push({ start, inputs: inputs.slice(start, index) });
      start = index;
      tokens = 0;
    }
    tokens += size;
  }
  return [...batches, { start, inputs: inputs.slice(start) }];
}

interface CallScope {
  readonly signal: AbortSignal;
  readonly context: CallContext | undefined;
}

class BatchedCall {
  readonly #inner: Embedder;
  readonly #request: EmbeddingRequest;
  readonly #signal: AbortSignal;
  readonly #context: CallContext | undefined;
  /** Ends the other requests after a failure. */
  readonly #failed = new AbortController();

  constructor(inner: Embedder, request: EmbeddingRequest, { signal, context }: CallScope) {
    this.#inner = inner;
    this.#request = request;
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
    this.#context = context;
  }

  async run(batches: readonly Batch[]): Promise<EmbeddingResponse> {
    const responses: EmbeddingResponse[] = [];
    const waiting = batches.entries();
    const work = async (): Promise<void> => {
      for (const [index, batch] of waiting) responses[index] = await this.#embed(batch);
    };
    try {
      await Promise.all(Array.from({ length: maxParallel }, work));
    } catch (error) {
      this.#failed.abort(error);
      throw error;
    }
    return join(responses);
  }

  async #embed({ start, inputs }: Batch): Promise<EmbeddingResponse> {
    try {
      return await this.#inner.open({ ...this.#request, inputs }, this.#signal, this.#context);
    } catch (thrown) {
      if (isAbort(thrown, this.#signal)) throw thrown;
      const error = toError(thrown);
      const place = `inputs ${start} to ${start + inputs.length - 1} of ${this.#request.inputs.length} failed`;
      throw new SimpleAgentsError(error.kind, `${place}, so there are no embeddings: ${error.message}`, {
        ...withoutMessage(error),
        cause: error,
      });
    }
  }
}

/** `field`, `code` and the rest, as the target reported them. */
function withoutMessage(error: SimpleAgentsError): object {
  const { status, retryAfterMs, target, field, code, requestId } = error;
  return { status, retryAfterMs, target, field, code, requestId };
}

function join(responses: readonly EmbeddingResponse[]): EmbeddingResponse {
  const [first] = responses as readonly [EmbeddingResponse, ...EmbeddingResponse[]];
  const usage = responses.map((response) => response.usage).reduce(addUsage);
  return {
    target: first.target,
    model: first.model,
    vectors: responses.flatMap(({ vectors }) => vectors),
    usage,
    ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }),
  };
}
