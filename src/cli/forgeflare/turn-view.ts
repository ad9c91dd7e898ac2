// Shows a turn: text, tool calls, retries. At a terminal the text goes to stdout as it arrives. Text cannot be taken back
// from a pipe, so there only the final response is written, at the end. Everything else goes to stderr.

import type { AgentEvent, SubagentEvent, ToolEnd, ToolStart } from '../../agent/event.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { Usage } from '../../core/usage.ts';
import { ResponseWriter } from '../response-writer.ts';
import { painter, write, type Paint, type Terminal } from '../terminal/terminal.ts';
import { WaitIndicator } from '../terminal/wait-indicator.ts';
import { describeEvent } from './event-lines.ts';
import { LiveLines } from './live-lines.ts';
import { SubagentLines } from './subagent-lines.ts';
import { describeCall, describeResult, isFileChange, paintDiffLine, toSafeLine, toSafeText } from './tool-lines.ts';

export interface TurnViewOptions {
  readonly terminal: Terminal;
  readonly verbose: boolean;
  /** Show only the text, errors and warnings. */
  readonly quiet: boolean;
  /** `live`: text as it arrives. `held`: the response at the end. `silent`: nothing on stdout. */
  readonly words: 'live' | 'held' | 'silent';
}

const asides: ReadonlySet<AgentEvent['type']> = new Set(['tool-start', 'tool-output', 'tool-end', 'context-trim']);

export class TurnView {
  readonly #options: TurnViewOptions;
  readonly #answer: ResponseWriter;
  readonly #paint: Paint;
  readonly #output: LiveLines;
  readonly #subagents: SubagentLines;
  readonly #wait: WaitIndicator;
  #lastUsage: Usage | undefined;
  /** Text of the current response that was not shown yet. */
  #held = '';
  /** Calls with a permission question, by call id. Resolved when the question is due. */
  readonly #questions = new Map<string, PromiseWithResolvers<void>>();
  #isAsking = false;
  /** Events that arrived while the user was asked. */
  readonly #delayed: AgentEvent[] = [];
  #resuming: Promise<void> | undefined;
  /** The call whose line was shown last: its result needs no name. */
  #named = '';

  constructor(options: TurnViewOptions) {
    const { stdout, stderr, env } = options.terminal;
    this.#options = options;
    this.#answer = new ResponseWriter(stdout);
    this.#paint = painter(stderr, env);
    const most = options.verbose ? Number.POSITIVE_INFINITY : mostLines;
    this.#output = new LiveLines(most);
    this.#subagents = new SubagentLines({ paint: this.#paint, verbose: options.verbose, most });
    this.#wait = new WaitIndicator(options.words === 'live' ? stdout : undefined, painter(stdout, env));
  }

  /** The usage of the last response. Its prompt was the complete context. */
  get lastUsage(): Usage | undefined {
    return this.#lastUsage;
  }

  async show(event: AgentEvent): Promise<void> {
    if (this.#isAsking && !isPermissionRequest(event)) return this.#delay(event);
    return this.#show(event);
  }

  /** Holds back everything else that happens, such as the calls of other subagents, while the user is asked. */
  async whileAsking<T>(work: () => Promise<T>): Promise<T> {
    this.#isAsking = true;
    try {
      return await work();
    } finally {
      await this.#resume();
    }
  }

  /** The end of the turn also ends an open question. */
  async #delay(event: AgentEvent): Promise<void> {
    const isText = event.type === 'subagent-event' && event.event.type === 'model-event';
    if (!isText) this.#delayed.push(event);
    if (event.type === 'turn-end') await this.#resume();
  }

  #resume(): Promise<void> {
    this.#resuming ??= this.#showDelayed().finally(() => (this.#resuming = undefined));
    return this.#resuming;
  }

  /** Events that arrive meanwhile are shown after the others. */
  async #showDelayed(): Promise<void> {
    for (let next = this.#delayed.shift(); next !== undefined; next = this.#delayed.shift()) await this.#show(next);
    this.#isAsking = false;
  }

  async #show(event: AgentEvent): Promise<void> {
    if (this.#options.quiet && asides.has(event.type)) return;
    switch (event.type) {
      case 'turn-start':
        return this.#wait.show();
      case 'model-event':
        return this.#showModelEvent(event.event);
      case 'tool-start':
        return this.#start(event);
      case 'tool-output':
        return this.#showOutput(event.id, event.chunk);
      case 'tool-end':
        return this.#end(event);
      case 'turn-end':
        return this.#finish(event.text);
      case 'permission-request':
        return this.#questionOf(event.id).resolve();
      case 'subagent-event':
        return this.#showSubagent(event);
      default:
        return this.#tellEvent(event);
    }
  }

  /** Resolves when a question about this call is due, because everything before it has been shown. */
  reached(id: string): Promise<void> {
    return this.#questionOf(id).promise;
  }

  /** Writes a line to stderr, never in the middle of a line of the response. */
  async tell(line: string): Promise<void> {
    this.#wait.hide();
    await this.#answer.finishLine();
    await write(this.#options.terminal.stderr, `${line}\n`);
  }

  #questionOf(id: string): PromiseWithResolvers<void> {
    const known = this.#questions.get(id) ?? Promise.withResolvers<void>();
    this.#questions.set(id, known);
    return known;
  }

  async #showModelEvent(event: StreamEvent): Promise<void> {
    if (event.type === 'message-end') this.#lastUsage = event.usage;
    if (event.type === 'text-delta') await this.#showText(event.text);
  }

  async #showText(words: string): Promise<void> {
    this.#wait.hide();
    if (this.#options.words === 'live') return this.#answer.write(words);
    this.#held += words;
  }

  async #tellEvent(event: AgentEvent): Promise<void> {
    if (event.type === 'stream-restart') this.#held = '';
    const line = describeEvent(event);
    if (line !== undefined) await this.tell(this.#paint('yellow', line));
  }

  async #start({ id, name, input }: ToolStart): Promise<void> {
    // Text before a call is not the final response.
    if (this.#held.trim() !== '') await this.tell(toSafeText(this.#held.trim()));
    this.#held = '';
    this.#output.begin(id, name);
    this.#subagents.begin(id, input);
    await this.tell(`${this.#paint('cyan', '●')} ${describeCall(name, input)}`);
    if (this.#options.verbose) await this.tell(this.#paint('dim', `  ${toSafeLine(JSON.stringify(input))}`));
    this.#named = id;
  }

  async #showSubagent({ id, event }: SubagentEvent): Promise<void> {
    if (event.type === 'permission-request') return this.#questionOf(event.id).resolve();
    if (this.#options.quiet && asides.has(event.type)) return;
    const lines = this.#subagents.push(id, event);
    for (const line of lines) await this.tell(line);
    if (lines.length > 0) this.#named = '';
    if (event.type === 'tool-end') this.#questions.delete(event.id);
    if (event.type === 'turn-start' || event.type === 'tool-end') this.#wait.show();
  }

  async #showOutput(id: string, chunk: string): Promise<void> {
    const { terminal, verbose } = this.#options;
    const isDiff = isFileChange(this.#output.nameOf(id));
    if (!isDiff && !verbose && terminal.stderr.isTTY !== true) return;
    for (const line of this.#output.push(id, chunk)) await this.#tellOutput(line, isDiff);
  }

  async #tellOutput(line: string, isDiff: boolean): Promise<void> {
    const safe = toSafeText(line);
    await this.tell(`  ${isDiff ? paintDiffLine(safe, this.#paint) : this.#paint('dim', safe)}`);
  }

  async #end({ id, name, result, duration }: ToolEnd): Promise<void> {
    const isDiff = isFileChange(name);
    for (const line of this.#output.end(id)) await this.#tellOutput(line, isDiff);
    const subagent = this.#subagents.end(id);
    const title = `${toSafeLine(name)} ${subagent?.label ?? ''}`.trimEnd();
    const owner = this.#named === id ? '' : `${title}: `;
    const used = subagent === undefined ? '' : ` · ${subagent.used}`;
    const line = `  ${owner}${describeResult(result, duration)}${used}`;
    await this.tell(this.#paint(result.isError === true ? 'red' : 'dim', line));
    this.#named = '';
    this.#questions.delete(id);
    this.#wait.show();
  }

  async #finish(answer: string): Promise<void> {
    this.#wait.hide();
    if (this.#options.words === 'held') await this.#answer.write(answer);
    if (this.#options.words !== 'silent') await this.#answer.finishLine();
    this.#held = '';
  }
}

/** The maximum number of output lines shown per call. */
const mostLines = 40;

function isPermissionRequest(event: AgentEvent): boolean {
  return event.type === 'subagent-event' ? isPermissionRequest(event.event) : event.type === 'permission-request';
}
