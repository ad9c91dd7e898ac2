// What a library user imports: one client for every model of every provider. Knows requests and answers; who
// answers, and how, is the gateway's business.

import { compact } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream } from '../core/provider.ts';
import { isGateway, type Gateway } from '../gateway/gateway.ts';
import { withHealing } from '../gateway/heal.ts';
import { withObservation } from '../gateway/observe.ts';
import type { Target } from '../gateway/resolve.ts';
import type { InferOutput, PartialOf, SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';
import { checkOptions, loadGateway, type ClientOptions, type Connection } from './options.ts';
import { contextOf, isTyped, signalOf, toChatRequest, type Ask, type TypedRequestInput } from './request.ts';
import { CompletionStream } from './stream.ts';
import { TypedStream } from './typed-stream.ts';
import type { TypedCompletion } from './typed.ts';

export interface Client {
  /** With a schema the completion has a typed `value`; beside tools there is none while the model calls them. */
  complete<const S extends SchemaInput>(
    ask: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S>>>;
  complete<const S extends SchemaInput>(
    ask: TypedRequestInput<S>,
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S> | undefined>>;
  complete(ask: Ask, model?: string): Promise<Completion>;
  /** With a schema the stream has typed `partials()`. */
  stream<const S extends SchemaInput>(
    ask: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): TypedStream<InferOutput<S>, PartialOf<S>>;
  stream<const S extends SchemaInput>(
    ask: TypedRequestInput<S>,
    model?: string,
  ): TypedStream<InferOutput<S> | undefined, PartialOf<S>>;
  stream(ask: Ask, model?: string): CompletionStream;
  /** Who would answer to a model name. */
  resolve(model?: string): Promise<Target>;
  /** Ends idle connections. Calls under way fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so a mistake in a file shows there. */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions(options);
  const client = new GatewayClient(options);
  return {
    complete: (ask: Ask | TypedRequestInput, model?: string) => client.read(ask, model, false).final(),
    stream: (ask: Ask | TypedRequestInput, model?: string) => client.read(ask, model, true),
    resolve: (model) => client.resolve(model),
    close: () => client.close(),
    // What the overloads promise follows from the schema in the request, which the compiler cannot see here.
  } as Client;
}

class GatewayClient {
  readonly #options: ClientOptions;
  #gateway: Promise<Connection<Gateway>> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  read(
    ask: Ask | TypedRequestInput,
    model: string | undefined,
    isStream: boolean,
  ): CompletionStream | TypedStream<unknown, unknown> {
    const open = async (since: readonly Message[], signal: AbortSignal): Promise<ModelStream> => {
      const request = toChatRequest(ask, model ?? this.#ownModel(), isStream);
      const { provider } = await this.#connect();
      const messages = [...request.messages, ...since];
      return provider.open({ ...request, messages }, join(signalOf(ask), signal), contextOf(ask));
    };
    if (!isTyped(ask)) return new CompletionStream((signal) => open([], signal));
    const healing = async () => ({ ...(await this.#connect()).healing, ...ask.healing });
    return new TypedStream({ schema: ask.schema, healing, open });
  }

  async resolve(model?: string): Promise<Target> {
    const { provider, model: ownModel = '' } = this.#options;
    if (typeof provider !== 'object') return (await this.#load()).provider.resolve(model);
    return { provider: { name: provider.name, type: provider.name }, model: model ?? ownModel };
  }

  async close(): Promise<void> {
    // Settings that could not be loaded were told to whoever called; there is nothing to close.
    const loaded = await this.#gateway?.catch(() => undefined);
    await loaded?.provider.close();
  }

  /** The gateway knows the client's model as its default. */
  #ownModel(): string | undefined {
    return typeof this.#options.provider === 'object' ? this.#options.model : undefined;
  }

  async #connect(): Promise<Connection> {
    const { provider, healing = {}, observer } = this.#options;
    if (typeof provider !== 'object') return this.#load();
    if (isGateway(provider)) return { provider, healing };
    return { provider: withObservation(withHealing(provider, healing), compact({ observer })), healing };
  }

  #load(): Promise<Connection<Gateway>> {
    if (this.#gateway === undefined) {
      this.#gateway = loadGateway(this.#options);
      // A file that was mended is read at the next call.
      this.#gateway.catch(() => (this.#gateway = undefined));
    }
    return this.#gateway;
  }
}

function join(own: AbortSignal | undefined, signal: AbortSignal): AbortSignal {
  return own === undefined ? signal : AbortSignal.any([own, signal]);
}
