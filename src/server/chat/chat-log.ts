// The agent's events as lines of the log, all beginning with `[Chat]`: which tool ran for whom, for how long and with which
// outcome. What the model gave to a tool is in them only where that is asked for; what was said never is.

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
        return this.#tell('warn', `the model is asked again in ${event.delay} ms`, {
          attempt: event.attempt,
          limit: event.limit,
          ...describe(event.error),
        });
      case 'notice':
        return this.#notice(event);
      case 'model-event':
        if (event.event.type === 'notice' && event.event.kind === 'warning') this.#tell('warn', event.event.detail, {});
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
    const words = `tool end: ${name} (${durationMs} ms) ${outcome}`;
    if (outcome === 'success') return this.#info(words, about);
    return this.#tell('warn', words, { ...about, error: textOf(result.content).slice(0, longestDetail) });
  }

  #notice({ kind, detail }: AgentNotice): void {
    const isExpected = kind === 'continuation' || kind === 'history-repair';
    this.#tell(isExpected ? 'debug' : 'warn', detail, { notice: kind });
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
    return this.#tell('error', `answer failed: ${error.kind}`, { ...about, ...describe(error) });
  }

  #info(words: string, about: object): void {
    this.#tell('info', words, about);
  }

  #tell(level: 'debug' | 'info' | 'warn' | 'error', words: string, about: object): void {
    const { logger, request, user } = this.#options;
    logger[level]({ type: 'chat', message: `[Chat] ${words}`, request, user, ...about });
  }
}

/** A provider's own words may hold anything, a part of the prompt too: they stay out, as in the log of calls. */
function describe({ kind, status, code, target, message }: SimpleAgentsError): object {
  const words = status === undefined ? message.slice(0, longestDetail) : undefined;
  return omitUndefined({ kind, status, code, target, error: words });
}
