// One run of a stream-json agent: its lines become events and requests. Invariants:
//   1. `turn` always resolves: with the end that the agent reports, or with an error when the process ends.
//   2. The result of a background task does not end a turn. Its events outside a turn are dropped.

import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Block, Message } from '../core/message.ts';
import { noUsage } from '../core/usage.ts';
import { ControlPeer, type ControlOutcome, type ControlReply, type ControlRequest } from '../streamjson/control.ts';
import { StreamJsonDecoder } from '../streamjson/decoder.ts';
import { numberOf, recordOf, stringOf, type StreamJsonLine } from '../streamjson/line.ts';
import { encodePrompt } from '../streamjson/prompt.ts';
import type { AgentProcess, StartAgentProcess } from './agent-process.ts';

export interface StreamJsonProcessOptions {
  readonly start: StartAgentProcess;
  readonly args: readonly string[];
  readonly sessionId: string;
  readonly createId: () => string;
  readonly onRequest: (request: ControlRequest, signal: AbortSignal) => Promise<ControlReply>;
  /** The agent changed its permission mode. */
  readonly onMode: (mode: string) => void;
  readonly log: (text: string) => void;
}

interface RunningTurn {
  readonly watch: (event: AgentEvent) => void;
  readonly end: PromiseWithResolvers<TurnEnd>;
}

export class StreamJsonProcess {
  contextWindow: number | undefined;
  /** US dollars of this process, if the agent reports it. */
  cost: number | undefined;
  readonly #options: StreamJsonProcessOptions;
  readonly #process: AgentProcess;
  readonly #decoder = new StreamJsonDecoder();
  readonly #control: ControlPeer;
  #turn: RunningTurn | undefined;
  /** Set when the process has ended. */
  #failure: SimpleAgentsError | undefined;

  constructor(options: StreamJsonProcessOptions) {
    this.#options = options;
    const { start, args, createId, onRequest, log } = options;
    const send = (line: StreamJsonLine): void => void this.#process.write(JSON.stringify(line));
    this.#control = new ControlPeer({ send, onRequest, createId });
    this.#process = start(args, { onLine: (line) => this.#onLine(line), onFault: log });
    void this.#process.ended.then((description) => this.#onEnd(description));
  }

  get isRunning(): boolean {
    return this.#failure === undefined;
  }

  /** A turn is running. */
  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  /** Throws if the agent refuses, or ends before it replies. */
  async request(request: ControlRequest): Promise<Readonly<Record<string, unknown>>> {
    const outcome: ControlOutcome = await this.#control.request(request);
    if (outcome.kind === 'success') return outcome.response;
    if (outcome.kind === 'error') throw new SimpleAgentsError('bad-request', `The agent refused: ${outcome.message}`);
    await this.#process.ended;
    throw this.#failure ?? new SimpleAgentsError('upstream', 'The agent process ended.');
  }

  turn(prompt: readonly Block[], watch: (event: AgentEvent) => void): Promise<TurnEnd> {
    const message: Message = { role: 'user', content: prompt };
    const turn: RunningTurn = { watch, end: Promise.withResolvers<TurnEnd>() };
    this.#turn = turn;
    this.#decoder.expectPrompt(message);
    const isWritten = this.#process.write(JSON.stringify(encodePrompt(message, this.#options.sessionId)));
    if (!isWritten && this.#failure !== undefined) this.#failTurn(this.#failure);
    return turn.end.promise;
  }

  interrupt(): Promise<ControlOutcome> {
    return this.#control.request({ subtype: 'interrupt' });
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  #onLine(text: string): void {
    const decoded = this.#decoder.push(text);
    if (decoded.kind === 'error') {
      this.#options.log(`the agent sent an invalid line. ${decoded.message}`);
      return;
    }
    const { line, events } = decoded;
    this.#note(line);
    const isBackground = recordOf(line['origin'])['kind'] === 'task-notification';
    for (const event of events) this.#onEvent(event, isBackground);
    this.#control.receive(line);
  }

  #note(line: StreamJsonLine): void {
    const mode = line.type === 'system' && line['subtype'] === 'status' ? stringOf(line['permissionMode']) : undefined;
    if (mode !== undefined) this.#options.onMode(mode);
    if (line.type !== 'result') return;
    this.cost = numberOf(line['total_cost_usd']) ?? this.cost;
    const windows = Object.values(recordOf(line['modelUsage'])).map((usage) =>
      numberOf(recordOf(usage)['contextWindow']),
    );
    this.contextWindow = windows.find((size) => size !== undefined && size > 0) ?? this.contextWindow;
  }

  #onEvent(event: AgentEvent, isBackground: boolean): void {
    const turn = this.#turn;
    if (turn === undefined || (isBackground && event.type === 'turn-end')) return;
    if (event.type === 'turn-end') this.#turn = undefined;
    turn.watch(event);
    if (event.type === 'turn-end') turn.end.resolve(event);
  }

  #onEnd(description: string): void {
    this.#failure = new SimpleAgentsError('upstream', `${description} The next prompt starts it again.`);
    this.#control.close();
    for (const event of this.#decoder.fail(this.#failure)) this.#onEvent(event, false);
    this.#failTurn(this.#failure);
  }

  #failTurn(error: SimpleAgentsError): void {
    const end = {
      type: 'turn-end',
      reason: 'error',
      error,
      text: '',
      usage: noUsage,
      iterations: 0,
      duration: 0,
    } as const;
    this.#onEvent(end, false);
  }
}
