// The chat of one server: authentication, rate limit, tools and model. It survives a reload of the configuration, so that
// a reload does not reset the rate limits.

import { createAgent, type Agent, type ModelSource } from '../../agent/agent.ts';
import { indexTools, type Tool } from '../../agent/tool.ts';
import type { Observer } from '../../core/call.ts';
import { SimpleAgentsError, toError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Logger } from '../logger.ts';
import { throwHttpError } from '../http/http-error.ts';
import { toWebRequest } from '../http/web-request.ts';
import { OptionalTemperature } from './optional-temperature.ts';
import { RateLimit } from './rate-limit.ts';
import { defaultChatSettings, type ChatSettings, type KnownChatSettings } from './settings.ts';
import { isUser, type Authenticate, type ChatUser, type ToolSource } from './user.ts';

export interface ChatOptions {
  readonly provider: ModelSource;
  /** Without `authenticate`: the name of the request's key. Throws 401. */
  readonly identify: (exchange: Exchange) => string;
  readonly authenticate?: Authenticate;
  readonly tools?: ToolSource;
  readonly settings?: ChatSettings;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** The options of one conversation. */
export interface ConversationOptions {
  readonly user: ChatUser;
  readonly before: readonly Message[];
  /** The prefix of the ids of its model calls. */
  readonly id: string;
  /** The hash of the request's key, where users are identified by keys. */
  readonly key?: string | undefined;
  /** Creates the observer of one model call. */
  readonly observeCall: () => Observer;
}

/** Few and short retries, because a user is waiting. Text that was sent cannot be taken back. */
const retry = { delays: [1000, 2000], restart: 'before-text' } as const;

export class Chat {
  settings: KnownChatSettings;
  readonly #options: ChatOptions;
  readonly #clock: Clock;
  readonly #temperature: OptionalTemperature;
  #tools: ToolSource;
  #limit: RateLimit;

  constructor(options: ChatOptions) {
    const { tools = [], settings, clock = systemClock, logger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#temperature = new OptionalTemperature((model) =>
      logger?.warn({ type: 'chat', message: '[Chat] the model rejects a temperature; calling it without', model }),
    );
    this.#tools = checkTools(tools);
    this.settings = checkSettings(settings);
    this.#limit = this.#createLimit();
  }

  get logger(): Logger | undefined {
    return this.#options.logger;
  }

  /** Throws, and changes nothing, when the new settings or tools are invalid. */
  update({ tools = this.#tools, settings }: { readonly tools?: ToolSource; readonly settings?: ChatSettings }): void {
    checkTools(tools);
    const before = this.settings;
    this.settings = settings === undefined ? before : checkSettings(settings);
    this.#tools = tools;
    this.#temperature.clear();
    const { rateLimit, rateWindow } = this.settings;
    if (rateLimit === before.rateLimit && rateWindow === before.rateWindow) return;
    this.#limit.close();
    this.#limit = this.#createLimit();
  }

  close(): void {
    this.#limit.close();
  }

  /** Throws 401, also when `authenticate` fails. */
  async authenticate(exchange: Exchange): Promise<ChatUser> {
    const { authenticate, identify, logger } = this.#options;
    const { request, id } = exchange;
    if (authenticate === undefined) return { id: identify(exchange) };
    try {
      const user = await authenticate(toWebRequest(request));
      if (isUser(user)) return user;
      if (user !== undefined && user !== null)
        throw new Error('authenticate must return a user, an object with an id, or nothing');
    } catch (error) {
      const about = { request: id, error: toError(error).message };
      logger?.error({ type: 'chat', message: '[Chat] authentication failed', ...about });
    }
    return throwHttpError(401, 'not signed in; sign in and try again', {
      kind: 'auth',
      headers: { 'x-should-retry': 'false' },
    });
  }

  /** Throws 429. */
  admit({ id }: ChatUser): void {
    const wait = this.#limit.take(id);
    if (wait === 0) return;
    const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
    throwHttpError(429, `too many messages; try again in ${seconds} s`, {
      kind: 'rate-limit',
      headers: { 'retry-after': seconds },
    });
  }

  /** Creates the agent of one conversation, for one turn. */
  async createAgent({ user, before, id, key, observeCall }: ConversationOptions): Promise<Agent> {
    const { system, model, temperature, maxTokens } = this.settings;
    const caller = this.#options.authenticate === undefined ? key : `user ${user.id}`;
    return createAgent({
      provider: this.#temperature.wrap(withCallIdentity(this.#options.provider, { id, caller, observeCall })),
      tools: await this.#toolsOf(user),
      messages: before,
      ...omitUndefined({ system, model }),
      temperature,
      maxTokens,
      retry,
      clock: this.#clock,
    });
  }

  async #toolsOf(user: ChatUser): Promise<readonly Tool[]> {
    return typeof this.#tools === 'function' ? this.#tools(user) : this.#tools;
  }

  #createLimit(): RateLimit {
    const { rateLimit: limit, rateWindow: window } = this.settings;
    const { logger } = this.#options;
    return new RateLimit(
      { limit, window },
      {
        now: () => this.#clock.now(),
        swept: (users) => logger?.debug({ type: 'chat', message: '[Chat] rate limits swept', users }),
      },
    );
  }
}

type CallIdentity = Pick<ConversationOptions, 'id' | 'observeCall'> & { readonly caller: string | undefined };

/** Adds an id, the caller and an observer to each model call of an agent. */
function withCallIdentity(provider: ModelSource, { id, caller, observeCall }: CallIdentity): ModelSource {
  let calls = 0;
  return {
    name: provider.name,
    open: (request, signal, context) => {
      calls += 1;
      const about = omitUndefined({ id: `${id}.${calls}`, observe: observeCall(), caller });
      return provider.open(request, signal, { ...context, ...about });
    },
    costOf: (billed) => provider.costOf?.(billed),
    contextWindowOf: (model) => provider.contextWindowOf?.(model),
  };
}

function checkTools(tools: ToolSource): ToolSource {
  if (typeof tools !== 'function') indexTools(tools);
  return tools;
}

function checkSettings(given: ChatSettings = {}): KnownChatSettings {
  const settings = { ...defaultChatSettings, ...omitUndefined({ ...given }) };
  const { rateLimit, rateWindow } = settings;
  check('rateLimit', Number.isSafeInteger(rateLimit) && rateLimit >= 0, 'must be an integer, 0 for no limit');
  check('rateWindow', rateWindow > 0, 'must be greater than 0');
  return settings;
}

function check(field: string, isValid: boolean, problem: string): void {
  if (!isValid) throw new SimpleAgentsError('configuration', `chat.${field}: ${problem}`, { field: `chat.${field}` });
}
