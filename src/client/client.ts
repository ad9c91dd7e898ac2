// The client of the library: one interface to every model of every provider. It handles requests and responses; the
// gateway chooses the target and the policies.

import { SimpleAgentsError } from '../core/error.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { CostOf } from '../core/usage.ts';
import { withConfiguredCache, type ClosableProvider } from '../gateway/cache/configured-cache.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { withHealing } from '../gateway/output/healing.ts';
import { withObservation } from '../gateway/observe/observe.ts';
import type { Target } from '../gateway/routing/resolve.ts';
import type { InferOutput, PartialOf, SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';
import { toEmbeddingCall, toEmbeddings, type EmbedInput, type Embeddings } from './embedding.ts';
import { openConnection, type LiveConnection } from './connection.ts';
import { checkOptions, toCacheSettings, type ClientOptions, type ClientConnection } from './options.ts';
import {
  checkModel,
  contextOf,
  isTyped,
  signalOf,
  toChatRequest,
  type PromptInput,
  type TypedRequestInput,
} from './request.ts';
import type { ClientRuntime } from './runtime.ts';
import { CompletionStream } from './completion-stream.ts';
import { TypedStream } from './typed-stream.ts';
import type { TypedCompletion } from './typed.ts';

export interface Client {
  /** With a schema the completion has a typed `value`. If there are also tools, it is `undefined` while the model calls them. */
  complete<const S extends SchemaInput>(
    input: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S>>>;
  complete<const S extends SchemaInput>(
    input: TypedRequestInput<S>,
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S> | undefined>>;
  complete(input: PromptInput, model?: string): Promise<Completion>;
  /** With a schema the stream has typed `partials()`. */
  stream<const S extends SchemaInput>(
    input: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): TypedStream<InferOutput<S>, PartialOf<S>>;
  stream<const S extends SchemaInput>(
    input: TypedRequestInput<S>,
    model?: string,
  ): TypedStream<InferOutput<S> | undefined, PartialOf<S>>;
  stream(input: PromptInput, model?: string): CompletionStream;
  /**
   * One vector for each text, in order. Large inputs are sent in several requests. Falls back only among targets with the
   * same model, because vectors of different models cannot be compared.
   */
  embed(input: EmbedInput, model?: string): Promise<Embeddings>;
  /** The client as a provider, for agents and policies. It accepts the same model names as the client. */
  readonly provider: Provider & Pick<Gateway, 'costOf' | 'contextWindowOf'>;
  /** The target of a model name. */
  resolve(model?: string): Promise<Target>;
  /**
   * Reads the configuration file and the environment again. Calls in progress keep the old settings. If the new settings
   * are invalid, this rejects and nothing changes.
   */
  reload(): Promise<void>;
  /** Closes idle connections. Calls in progress fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so the first call reports a mistake in a file. */
export function createClient(options: ClientOptions, runtime: ClientRuntime): Client {
  checkOptions(options);
  const client = new GatewayClient(options, runtime);
  return {
    complete: (input: PromptInput | TypedRequestInput, model?: string) => client.read(input, model, false).final(),
    stream: (input: PromptInput | TypedRequestInput, model?: string) => client.read(input, model, true),
    embed: (input: EmbedInput, model?: string) => client.embed(input, model),
    provider: client.toProvider(),
    resolve: (model) => client.resolve(model),
    reload: () => client.reload(),
    close: () => client.close(),
    // The overloads follow from the schema in the request, which the compiler cannot see here.
  } as Client;
}

class GatewayClient {
  readonly #options: ClientOptions;
  readonly #runtime: ClientRuntime;
  #gateway: Promise<LiveConnection> | undefined;
  /** The user's own provider with the client's policies. */
  #own: ClosableProvider | undefined;
  /** Prices are known to a gateway, but not necessarily to the user's own provider. */
  #prices: Partial<Pick<Gateway, 'costOf' | 'contextWindowOf'>> | undefined;

  constructor(options: ClientOptions, runtime: ClientRuntime) {
    this.#options = options;
    this.#runtime = runtime;
  }

  read(
    input: PromptInput | TypedRequestInput,
    model: string | undefined,
    isStream: boolean,
  ): CompletionStream | TypedStream<unknown, unknown> {
    const open = async (since: readonly Message[], signal: AbortSignal): Promise<ModelStream> => {
      const request = toChatRequest(input, model ?? this.#ownModel(), isStream);
      const { provider } = await this.#connect();
      const messages = [...request.messages, ...since];
      return provider.open({ ...request, messages }, join(signalOf(input), signal), contextOf(input));
    };
    const costOf: CostOf = (answer) => this.#prices?.costOf?.(answer);
    if (!isTyped(input)) return new CompletionStream((signal) => open([], signal), costOf);
    const healing = async () => ({ ...(await this.#connect()).healing, ...input.healing });
    return new TypedStream({ schema: input.schema, healing, open, costOf });
  }

  async embed(input: EmbedInput, model: string | undefined): Promise<Embeddings> {
    const {
      request,
      signal = new AbortController().signal,
      context,
    } = toEmbeddingCall(input, model ?? this.#options.model);
    const { provider } = await this.#connect();
    if (provider.embed === undefined) {
      throw new SimpleAgentsError('not-found', `${provider.name} has no embeddings: it has no method \`embed\``);
    }
    return toEmbeddings(await provider.embed(request, signal, context), (answer) => this.#prices?.costOf?.(answer));
  }

  toProvider(): Client['provider'] {
    return {
      name: 'client',
      open: async (request, signal, context) => {
        const { provider } = await this.#connect();
        const model = request.model || this.#ownModel() || '';
        return provider.open({ ...request, model }, signal, context);
      },
      costOf: (answer) => this.#prices?.costOf?.(answer),
      contextWindowOf: (model) => this.#prices?.contextWindowOf?.(model),
    };
  }

  async resolve(model?: string): Promise<Target> {
    checkModel(model);
    const { provider, model: ownModel = '' } = this.#options;
    if (typeof provider !== 'object') return (await this.#load()).provider.resolve(model);
    return { provider: { name: provider.name, type: provider.name }, model: model ?? ownModel };
  }

  async close(): Promise<void> {
    // If the settings could not be loaded, the call reported it, and there is nothing to close.
    const loaded = await this.#gateway?.catch(() => undefined);
    await loaded?.close();
    await this.#own?.close();
  }

  async reload(): Promise<void> {
    // Before the first call nothing has been loaded yet.
    await (await this.#gateway)?.provider.reload();
  }

  /** Only for the user's own provider: a gateway has the client's model as its default. */
  #ownModel(): string | undefined {
    return typeof this.#options.provider === 'object' ? this.#options.model : undefined;
  }

  async #connect(): Promise<ClientConnection> {
    const { provider, healing = {} } = this.#options;
    if (typeof provider === 'object') {
      this.#prices = provider as Partial<Gateway>;
      this.#own ??= withClientPolicies(provider, this.#options, this.#runtime);
      return { provider: this.#own, healing };
    }
    const connection = await this.#load();
    this.#prices = connection.provider;
    return connection;
  }

  #load(): Promise<LiveConnection> {
    if (this.#gateway === undefined) {
      this.#gateway = openConnection(this.#options, this.#runtime);
      // The next call tries again, because the file may have been corrected.
      this.#gateway.catch(() => (this.#gateway = undefined));
    }
    return this.#gateway;
  }
}

/** Adds the policies that a gateway adds to its own providers. If the provider is a gateway, healing has nothing left to do. */
function withClientPolicies(
  own: Provider,
  { healing = {}, cache, observer }: ClientOptions,
  { sha256 }: ClientRuntime,
): ClosableProvider {
  const { name } = own;
  const healed = withHealing(own, healing);
  const settings = toCacheSettings(cache);
  const cached = settings?.enabled
    ? withConfiguredCache(healed, settings, { sha256, identify: (model) => ({ provider: name, model, healing }) })
    : undefined;
  const inner = cached ?? healed;
  const provider = observer === undefined ? inner : withObservation(inner, { observer });
  return {
    name,
    open: (request, signal, context) => provider.open(request, signal, context),
    ...(own.embed && { embed: own.embed.bind(own) }),
    close: async () => cached?.close(),
  };
}

function join(own: AbortSignal | undefined, signal: AbortSignal): AbortSignal {
  return own === undefined ? signal : AbortSignal.any([own, signal]);
}
