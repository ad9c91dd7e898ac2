// What a library user imports: one client for every model of every provider. Knows requests and answers; who
// answers, and how, is the gateway's business.

import type { ModelStream } from '../core/provider.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Target } from '../gateway/resolve.ts';
import type { Completion } from './completion.ts';
import { checkOptions, loadGateway, type ClientOptions } from './options.ts';
import { signalOf, toChatRequest, type Ask } from './request.ts';
import { CompletionStream } from './stream.ts';

export interface Client {
  complete(ask: Ask, model?: string): Promise<Completion>;
  stream(ask: Ask, model?: string): CompletionStream;
  /** Who would answer to a model name. */
  resolve(model?: string): Promise<Target>;
  /** Ends idle connections. Calls under way fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so a mistake in a file shows there. */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions(options);
  return new GatewayClient(options);
}

class GatewayClient implements Client {
  readonly #options: ClientOptions;
  #gateway: Promise<Gateway> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async complete(ask: Ask, model?: string): Promise<Completion> {
    const stream = new CompletionStream((signal) => this.#open(ask, model, { stream: false, signal }));
    return stream.final();
  }

  stream(ask: Ask, model?: string): CompletionStream {
    return new CompletionStream((signal) => this.#open(ask, model, { stream: true, signal }));
  }

  async resolve(model?: string): Promise<Target> {
    const { provider, model: ownModel = '' } = this.#options;
    if (typeof provider !== 'object') return (await this.#load()).resolve(model);
    return { provider: { name: provider.name, type: provider.name }, model: model ?? ownModel };
  }

  async close(): Promise<void> {
    // Settings that could not be loaded were told to whoever called; there is nothing to close.
    const gateway = await this.#gateway?.catch(() => undefined);
    await gateway?.close();
  }

  async #open(
    ask: Ask,
    model: string | undefined,
    call: { stream: boolean; signal: AbortSignal },
  ): Promise<ModelStream> {
    const own = signalOf(ask);
    const signal = own === undefined ? call.signal : AbortSignal.any([own, call.signal]);
    const { provider, model: ownModel } = this.#options;
    if (typeof provider === 'object') return provider.open(toChatRequest(ask, model ?? ownModel, call.stream), signal);
    const request = toChatRequest(ask, model, call.stream);
    return (await this.#load()).open(request, signal);
  }

  #load(): Promise<Gateway> {
    if (this.#gateway === undefined) {
      this.#gateway = loadGateway(this.#options);
      // A file that was mended is read at the next call.
      this.#gateway.catch(() => (this.#gateway = undefined));
    }
    return this.#gateway;
  }
}
