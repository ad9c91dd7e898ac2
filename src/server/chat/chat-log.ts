// Writes the agent's events to the log, with messages that begin with `[Chat]`: which tool ran for which user, how long it
// took and how it ended. Tool input is logged only if `logToolInput` is set. The conversation is never logged.

import type { AgentEvent, AgentNotice, ToolEnd, TurnEnd } from '../../agent/event.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { Logger } from '../logger.ts';

export interface ChatLogOptions {
  readonly logger: Logger;
  /** The id of the request. */
  readonly request: string;
  readonly user: string;
  readonly logToolInput: boolean;
}

const longestDetail = 500;

export class ChatLog {
  readonly #options: ChatLogOptions;

  constructor(options: ChatLogOptions) {
    this.#options = options;
  }

  readonly write = (event: AgentEvent): void => {
    switch (event.type) {
      case 'tool-start':
        return this.#info(`tool start: ${event.name}`, {
          tool: event.name,
          call: event.id,
          ...(this.#options.logToolInput ? { input: event.input } : {}),
        });
      case 'tool-end':
        return this.#toolEnd(event);
      case 'retry-wait':
        return this.#write('warn', `the model call is retried in ${event.delay} ms`, {
          attempt: event.attempt,
          limit: event.limit,
          ...describe(event.error),
        });
      case 'notice':
        return this.#notice(event);
      case 'model-event':
        if (event.event.type === 'notice' && event.event.kind === 'warning')
          this.#write('warn', event.event.detail, {});
        return undefined;
      case 'turn-end':
        return this.#end(event);
      default:
        return undefined;
    }
  };

  #toolEnd({ name, id, duration, result }: ToolEnd): void {
    const durationMs = Math.round(duration);
    const outcome = result.isError === true ? 'failure' : 'success';
    const about = { tool: name, call: id, durationMs, outcome };
    const message = `tool end: ${name} (${durationMs} ms) ${outcome}`;
    if (outcome === 'success') return this.#info(message, about);
    return this.#write('warn', message, { ...about, error: textOf(result.content).slice(0, longestDetail) });
  }

  #notice({ kind, detail }: AgentNotice): void {
    const isExpected = kind === 'continuation' || kind === 'history-repair';
    this.#write(isExpected ? 'debug' : 'warn', detail, { notice: kind });
  }

  #end({ reason, error, iterations, usage, cost, duration }: TurnEnd): void {
    const { input, output } = usage;
    const durationMs = Math.round(duration);
    const about = {
      reason,
      iterations,
      durationMs,
      ...omitUndefined({ cost }),
      ...(usage.missing ? {} : { input, output }),
    };
    if (error === undefined) return this.#info(`answer end: ${reason} (${durationMs} ms)`, about);
    return this.#write('error', `answer failed: ${error.kind}`, { ...about, ...describe(error) });
  }

  #info(message: string, about: object): void {
    this.#write('info', message, about);
  }

  #write(level: 'debug' | 'info' | 'warn' | 'error', message: string, about: object): void {
    const { logger, request, user } = this.#options;
    logger[level]({ type: 'chat', message: `[Chat] ${message}`, request, user, ...about });
  }
}

/** The message of a provider is not logged, because it may contain parts of the prompt. */
function describe({ kind, status, code, target, message }: SimpleAgentsError): object {
  const error = status === undefined ? message.slice(0, longestDetail) : undefined;
  return omitUndefined({ kind, status, code, target, error });
}
