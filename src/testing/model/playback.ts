// Plays a script: selects the reply to each request. The only part of the simulated model with state between requests.

import { SimpleAgentsError } from '../../core/error.ts';
import { textOf, type Block, type Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';
import type { Match, Script, ScriptedReply } from './script.ts';

export class Playback {
  readonly #script: Script;
  readonly #used: number[];

  constructor(script: Script) {
    this.#script = script;
    this.#used = script.replies.map(() => 0);
  }

  /** A matching reply, else the next in order, else undefined (the model composes a reply) or `bad-request`. */
  next(request: ChatRequest): ScriptedReply | undefined {
    const { replies, otherwise } = this.#script;
    const free = [...replies.entries()].filter(([index, reply]) => this.#used[index]! < timesOf(reply));
    const found =
      free.find(([, { match }]) => match !== undefined && matches(match, request)) ??
      free.find(([, { match }]) => match === undefined);
    if (found !== undefined) {
      this.#used[found[0]]! += 1;
      return found[1];
    }
    if (otherwise === 'reply') return undefined;
    throw new SimpleAgentsError('bad-request', this.#exhausted());
  }

  #exhausted(): string {
    const ordered = this.#script.replies.filter(({ match }) => match === undefined).length;
    const used =
      ordered === 0
        ? 'no reply in the script matches this request'
        : `all ${ordered} ordered replies in the script are used up, and no other reply matches this request`;
    return `${used}; add a reply, or set "otherwise": "reply"`;
  }
}

function timesOf(reply: ScriptedReply): number {
  return reply.times ?? (reply.match === undefined ? 1 : Number.POSITIVE_INFINITY);
}

function matches(match: Match, request: ChatRequest): boolean {
  const last = request.messages.at(-1);
  const words = last === undefined ? '' : wordsOf(last.content);
  if (match.contains !== undefined && !includes(words, match.contains)) return false;
  if (match.regex !== undefined && !new RegExp(match.regex, 'iu').test(words)) return false;
  if (match.model !== undefined && match.model !== request.model) return false;
  if (match.lastRole !== undefined && match.lastRole !== lastRoleOf(last)) return false;
  if (match.system !== undefined && !includes(systemOf(request), match.system)) return false;
  return (
    match.tool === undefined || (request.tools ?? []).some((tool) => !isOpaqueTool(tool) && tool.name === match.tool)
  );
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** The text of a message and of its tool results. */
function wordsOf(content: readonly Block[]): string {
  return content
    .map((block) => {
      if (block.type === 'text') return block.text;
      return block.type === 'tool-result' ? textOf(block.content) : '';
    })
    .join('\n');
}

function lastRoleOf(message: Message | undefined): string | undefined {
  return message?.content.some(({ type }) => type === 'tool-result') === true ? 'tool' : message?.role;
}

function systemOf(request: ChatRequest): string {
  return request.messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
    .join('\n');
}
