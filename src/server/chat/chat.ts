// The chat of one server: who may ask and how often, with which tools, of which model. It outlives reloads, so that a new
// configuration gives nobody a new allowance.

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
  /** The name of the key a request has, where users are not known by `authenticate`. Throws 401. */
  readonly identify: (exchange: Exchange) => string;
  readonly authenticate?: Authenticate;
  readonly tools?: ToolSource;
  readonly settings?: ChatSettings;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** What one answer is made with. */
export interface ConversationOptions {
  readonly user: ChatUser;
  readonly before: readonly Message[];
  /** What the names of its calls begin with. */
  readonly id: string;
  /** The hash of the key it asked with, where users are keys. */
  readonly key?: string | undefined;
  /** Gives who is to be told what happens to one of them. */
  readonly recordCall: () => Observer;
}

/** A user waits: twice, and not for long. Words that were sent cannot be taken back. */
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
      logger?.warn({ type: 'chat', message: '[Chat] the model takes no temperature, and is asked without', model }),
    );
    this.#tools = checkTools(tools);
    this.settings = checkSettings(settings);
    this.#limit = this.#createLimit();
  }

  get logger(): Logger | undefined {
    return this.#options.logger;
  }

  /** Throws, and changes nothing, when they are wrong. */
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

  /** Throws 401. Nobody gets in because something failed. */
  async authenticate(exchange: Exchange): Promise<ChatUser> {
    const { authenticate, identify, logger } = this.#options;
    const { request, id } = exchange;
    if (authenticate === undefined) return { id: identify(exchange) };
    try {
      const user = await authenticate(toWebRequest(request));
      if (isUser(user)) return user;
      if (user !== undefined && user !== null) throw new Error('authenticate gave no user: an object with an id');
    } catch (error) {
      const about = { request: id, error: toError(error).message };
      logger?.error({ type: 'chat', message: '[Chat] authentication failed', ...about });
    }
    return throwHttpError(401, 'sign in first', { kind: 'auth', headers: { 'x-should-retry': 'false' } });
  }

  /** Throws 429. */
  admit({ id }: ChatUser): void {
    const wait = this.#limit.take(id);
    if (wait === 0) return;
    const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
    throwHttpError(429, `too many questions; ask again in ${seconds} s`, {
      kind: 'rate-limit',
      headers: { 'retry-after': seconds },
    });
  }

  /** One conversation, for one answer. */
  async createAgent({ user, before, id, key, recordCall }: ConversationOptions): Promise<Agent> {
    const { system, model, temperature, maxTokens } = this.settings;
    const caller = this.#options.authenticate === undefined ? key : `user ${user.id}`;
    return createAgent({
      provider: this.#temperature.wrap(withCallIdentity(this.#options.provider, { id, caller, recordCall })),
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

type CallIdentity = Pick<ConversationOptions, 'id' | 'recordCall'> & { readonly caller: string | undefined };

/** Adds the observer and the caller to each call of an agent, which knows nothing of servers. Every call of an answer gets a name of its own. */
function withCallIdentity(provider: ModelSource, { id, caller, recordCall }: CallIdentity): ModelSource {
  let calls = 0;
  return {
    name: provider.name,
    open: (request, signal, context) => {
      calls += 1;
      const about = omitUndefined({ id: `${id}.${calls}`, observe: recordCall(), caller });
      return provider.open(request, signal, { ...context, ...about });
    },
    costOf: (answer) => provider.costOf?.(answer),
    contextWindowOf: (model) => provider.contextWindowOf?.(model),
  };
}

function checkTools(tools: ToolSource): ToolSource {
  if (typeof tools !== 'function') indexTools(tools);
  return tools;
}

function checkSettings(said: ChatSettings = {}): KnownChatSettings {
  const settings = { ...defaultChatSettings, ...omitUndefined({ ...said }) };
  const { rateLimit, rateWindow } = settings;
  check('rateLimit', Number.isSafeInteger(rateLimit) && rateLimit >= 0, 'must be a whole number, 0 for no limit');
  check('rateWindow', rateWindow > 0, 'must be longer than nothing');
  return settings;
}

function check(field: string, isRight: boolean, problem: string): void {
  if (!isRight) throw new SimpleAgentsError('configuration', `chat.${field}: ${problem}`, { field: `chat.${field}` });
}
