// A temperature that a model may do without. Newer ones refuse a request that names any, and no list of them stays true: a
// model that refuses is asked once more without it, and when that was it, is asked so from then on.

import type { ModelSource } from '../../agent/agent.ts';
import { toError } from '../../core/error.ts';
import type { ModelStream } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';

export class OptionalTemperature {
  /** Models that take none. */
  readonly #without = new Set<string>();
  readonly #learnt: (model: string) => void;

  /** Told of each model that takes none. */
  constructor(learnt: (model: string) => void) {
    this.#learnt = learnt;
  }

  /** Names may mean other models now. */
  clear(): void {
    this.#without.clear();
  }

  wrap(provider: ModelSource): ModelSource {
    return {
      name: provider.name,
      open: (request, signal, context) => this.#open(request, signal, (asked) => provider.open(asked, signal, context)),
      costOf: (answer) => provider.costOf?.(answer),
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
      if (signal.aborted || !isRefusal(error)) throw error;
      // Refused again, it was something else, and the first word stands.
      const stream = await open(bare).catch((second: unknown) => Promise.reject(isRefusal(second) ? error : second));
      this.#without.add(bare.model);
      this.#learnt(bare.model);
      return stream;
    }
  }
}

function isRefusal(thrown: unknown): boolean {
  return toError(thrown).kind === 'bad-request';
}
