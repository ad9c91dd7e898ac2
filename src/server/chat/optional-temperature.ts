// Sends a temperature only to models that accept one. Some newer models reject every request with a temperature, and a
// list of them would go out of date. A rejected request is sent once more without it. If that succeeds, later requests to
// the model are sent without it too.

import type { ModelSource } from '../../agent/agent.ts';
import { toError } from '../../core/error.ts';
import type { ModelStream } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';

export class OptionalTemperature {
  /** Models that reject a temperature. */
  readonly #without = new Set<string>();
  readonly #onRejected: (model: string) => void;

  /** `onRejected` is called once for each model that rejects a temperature. */
  constructor(onRejected: (model: string) => void) {
    this.#onRejected = onRejected;
  }

  /** For a new configuration, in which names may refer to other models. */
  clear(): void {
    this.#without.clear();
  }

  wrap(provider: ModelSource): ModelSource {
    return {
      name: provider.name,
      open: (request, signal, context) => this.#open(request, signal, (sent) => provider.open(sent, signal, context)),
      costOf: (billed) => provider.costOf?.(billed),
      contextWindowOf: (model) => provider.contextWindowOf?.(model),
    };
  }

  async #open(
    { temperature, ...bare }: ChatRequest,
    signal: AbortSignal,
    open: (request: ChatRequest) => Promise<ModelStream>,
  ): Promise<ModelStream> {
    if (temperature === undefined || this.#without.has(bare.model)) return open(bare);
    try {
      return await open({ ...bare, temperature });
    } catch (error) {
      if (signal.aborted || !isBadRequest(error)) throw error;
      // If it is rejected again, the temperature was not the reason, and the first error is reported.
      const stream = await open(bare).catch((second: unknown) => Promise.reject(isBadRequest(second) ? error : second));
      this.#without.add(bare.model);
      this.#onRejected(bare.model);
      return stream;
    }
  }
}

function isBadRequest(thrown: unknown): boolean {
  return toError(thrown).kind === 'bad-request';
}
