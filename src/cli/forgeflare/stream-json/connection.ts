// The lines between the agent and its host: standard input and output. Nothing but lines of JSON is written to standard
// output. Invariants:
//   1. A line that is malformed or too long is answered with one error, and reading goes on.
//   2. Lines are handled in the order in which they arrive.

import { randomUUID } from 'node:crypto';
import { defaultLineLimit, LineSplitter, type SplitLine } from '../../../rpc/line-splitter.ts';
import { ControlPeer, encodeControlReply, type ControlPeerOptions } from '../../../streamjson/control.ts';
import { parseLine, recordOf, stringOf, type StreamJsonLine } from '../../../streamjson/line.ts';
import type { Invocation } from '../../invocation.ts';
import { bytesOf } from '../../terminal/input.ts';
import { write, type Terminal } from '../../terminal/terminal.ts';

export interface HostConnectionOptions {
  readonly terminal: Terminal;
  readonly onRequest: ControlPeerOptions['onRequest'];
  /** A prompt. */
  readonly onPrompt: (line: StreamJsonLine) => void;
  /** The id of the session; empty before it has started. */
  readonly sessionId: () => string;
  /** In bytes. */
  readonly lineLimit?: number;
}

export class HostConnection {
  readonly peer: ControlPeer;
  readonly #options: HostConnectionOptions;

  constructor(options: HostConnectionOptions) {
    this.#options = options;
    const { onRequest } = options;
    this.peer = new ControlPeer({ send: (line) => this.send(line), onRequest, createId: randomUUID });
  }

  /** Reads until the host closes standard input, or the signal aborts. */
  async read(signal: AbortSignal): Promise<void> {
    const splitter = new LineSplitter(this.#options.lineLimit ?? defaultLineLimit);
    const invocation: Invocation = { terminal: this.#options.terminal, signal };
    for await (const bytes of bytesOf(undefined, invocation)) {
      for (const line of splitter.push(bytes)) this.#onLine(line);
    }
    for (const line of splitter.end()) this.#onLine(line);
  }

  send(line: StreamJsonLine): void {
    this.#options.terminal.stdout.write(toText(line));
  }

  /** Resolves when the lines are written, so that a slow host slows the agent down. */
  async write(lines: readonly StreamJsonLine[]): Promise<void> {
    if (lines.length > 0) await write(this.#options.terminal.stdout, lines.map(toText).join(''));
  }

  #onLine(split: SplitLine): void {
    if (split.kind === 'too-long') {
      const limit = this.#options.lineLimit ?? defaultLineLimit;
      return this.#reject(`A line of ${split.bytes} bytes is longer than ${limit} bytes. Line: ${split.start}...`);
    }
    if (split.text.trim() === '') return;
    const parsed = parseLine(split.text);
    if (parsed.kind === 'error') return this.#reject(parsed.message, split.text);
    this.#receive(parsed.line);
  }

  #receive(line: StreamJsonLine): void {
    if (line.type === 'keep_alive' || this.peer.receive(line)) return;
    if (line.type === 'user') return this.#options.onPrompt(line);
    this.#reject(`A host cannot send a line of type ${JSON.stringify(line.type)}.`);
  }

  /** A control request whose id can be read gets a reply, because its sender waits for one. */
  #reject(message: string, text = ''): void {
    const id = requestIdOf(text);
    if (id !== undefined) return this.send(encodeControlReply(id, { kind: 'error', message }));
    const ids = { session_id: this.#options.sessionId(), uuid: randomUUID() };
    this.send({ type: 'system', subtype: 'input_error', level: 'warning', content: message, ...ids });
  }
}

function toText(line: StreamJsonLine): string {
  return `${JSON.stringify(line)}\n`;
}

function requestIdOf(text: string): string | undefined {
  try {
    const line = recordOf(JSON.parse(text));
    return line['type'] === 'control_request' ? stringOf(line['request_id']) : undefined;
  } catch {
    return undefined;
  }
}
