// Tool calls for readers that cannot take text back. The effect of a client's tool is not known here, so arguments are
// never completed or guessed: a call that needs a guess passes as it came where that is JSON, else it is an error.
// Invariants of a stream:
//   1. Calls leave one at a time, in the order of their indexes. The first streams as its arguments become certain; the
//      others wait, up to a limit.
//   2. Fragments that were sent are never closed by us. A call that was cut stays open: at the token limit the stop
//      reason says so, otherwise the stream fails.
//   3. A reader gets one start and one end for each call, and nothing of a call after its end.

import { parseToolCall } from '../../core/assembler.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, StopReason, StreamEvent, ToolCallDelta, ToolCallStart } from '../../core/event.ts';
import { isRecord, type JsonSchema } from '../../core/json.ts';
import { argumentsOf, type HealingFlag, type ToolCallBlock } from '../../core/message.ts';
import {
  describeGuesses,
  healArgumentText,
  HealError,
  isGuess,
  type HealedArguments,
  type HealOptions,
} from '../../heal/index.ts';
import { toToolSchemaError } from './healing.ts';

/** The end of a tool call. */
export interface HealedCallEnd extends BlockEnd {
  readonly block: ToolCallBlock;
}

/** Tells what was changed in the arguments of a call. */
export type ReportFlags = (changes: readonly HealingFlag[], tool: string) => void;

/** What becomes of the tool calls of one answer. Events in, events out. */
export interface HealedCalls {
  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[];
  /** What is left when the answer ends. Throws `bad-response` for a call that cannot be used as it came. */
  finish(stopReason: StopReason): readonly StreamEvent[];
}

/** Calls of a target whose bytes pass where they can, in an answer that is sent whole. */
export class ReceivedCalls implements HealedCalls {
  readonly #report: ReportFlags;
  readonly #broken: HealedCallEnd[] = [];

  constructor(report: ReportFlags) {
    this.#report = report;
  }

  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[] {
    if (event.type !== 'block-end') return [event];
    const block = toReceived(event.block);
    if (block.error !== undefined) {
      this.#broken.push({ ...event, block });
      return [];
    }
    this.#report(block.flags ?? [], block.name);
    return [{ ...event, block }];
  }

  finish(stopReason: StopReason): readonly StreamEvent[] {
    const [first] = this.#broken;
    if (first === undefined || stopReason === 'length') return this.#broken;
    throw toFailure(first.block.name, first.block.error, first.block.raw);
  }
}

/** The same for a stream: fragments pass as they came, but one call at a time. */
export class OrderedCalls implements HealedCalls {
  readonly #calls = new StreamedCalls(new Map(), {}, () => undefined);

  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[] {
    return this.#calls.push(event);
  }

  /** A call that is not JSON passes too, whatever the stop reason. */
  finish(): readonly StreamEvent[] {
    return this.#calls.finish('length');
  }
}

/** The call as healing left it, or as it came where healing had to guess. `error`: it is not JSON. */
function toReceived(block: ToolCallBlock): ToolCallBlock {
  const { id, name, raw, flags = [], error } = block;
  const guesses = flags.filter(isGuess);
  if (error === undefined && guesses.length === 0 && isRecord(block.input)) return block;
  if (raw !== undefined) return withReason(parseToolCall(id, name, raw), guesses);
  const problem = guesses.length === 0 ? notAnObject : describeGuesses(guesses);
  return { ...block, input: null, raw: argumentsOf(block), error: error ?? problem };
}

const notAnObject = 'the arguments are not an object';

function withReason(block: ToolCallBlock, guesses: readonly HealingFlag[]): ToolCallBlock {
  if (block.error === undefined && !isRecord(block.input))
    return { ...block, raw: argumentsOf(block), error: notAnObject };
  return block.error === undefined || guesses.length === 0 ? block : { ...block, error: describeGuesses(guesses) };
}

function toFailure(name: string, problem = 'its arguments are not JSON', raw = ''): SimpleAgentsError {
  const message = `the call of ${name} cannot be healed: ${problem}`;
  return new SimpleAgentsError('bad-response', message, { text: raw });
}

/** Why a call cannot be completed. Throws what is not the model's fault. */
function problemOf(tool: string, error: unknown): string {
  if (error instanceof HealError && error.kind !== 'schema-too-complex') return error.message;
  throw toThrown(tool, error);
}

function toThrown(tool: string, error: unknown): unknown {
  return error instanceof HealError ? toToolSchemaError(tool, error) : error;
}

interface OpenHealedCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** Nothing where the tool's schema is not known: then fragments pass as they come. */
  readonly healed: HealedArguments | undefined;
  /** All of its text, as the model wrote it. */
  written: string;
  readonly brackets: BracketCount;
  /** The length at which it was closed and yet not JSON. */
  unparsed?: number;
  /** The part that is waiting for the calls before it. */
  waiting: string;
  hasStarted: boolean;
  hasEnded: boolean;
  /** What was sent of the arguments. */
  sent: string;
  block?: ToolCallBlock;
  /** Why it cannot be completed. */
  problem?: string;
}

/** Whether a text that is JSON is a whole object. Counts each character once, however the text is cut. */
class BracketCount {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #hasOpened = false;

  get isClosed(): boolean {
    return this.#hasOpened && this.#depth === 0;
  }

  push(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '"') this.#isString = !this.#isString;
      else if (this.#isString) this.#isEscaped = character === '\\';
      else this.#count(character);
    }
  }

  #count(character: string): void {
    if (character === '{' || character === '[') {
      this.#depth++;
      this.#hasOpened = true;
    } else if (character === '}' || character === ']') this.#depth--;
  }
}

/** The longest text that waits for an earlier call to end, in characters. */
const mostWaiting = 16 * 1024 * 1024;

export class StreamedCalls implements HealedCalls {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  readonly #options: HealOptions;
  readonly #report: ReportFlags;
  /** By index; the first is the one that is sent. */
  readonly #queue: OpenHealedCall[] = [];
  /** Calls that were whole and left before their end came. */
  readonly #left = new Set<number>();
  #waiting = 0;
  #failure: SimpleAgentsError | undefined;

  constructor(schemas: ReadonlyMap<string, JsonSchema>, options: HealOptions, report: ReportFlags) {
    this.#schemas = schemas;
    this.#options = options;
    this.#report = report;
  }

  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[] {
    if (event.type === 'tool-call-start') this.#open(event);
    else if (event.type === 'tool-call-delta') this.#write(event.index, event.json);
    else this.#end(event);
    return this.#advance();
  }

  finish(stopReason: StopReason): readonly StreamEvent[] {
    const [first] = this.#queue;
    const failure = this.#failure ?? (first && toFailure(first.name, first.problem, first.written));
    if (failure !== undefined && stopReason !== 'length') throw failure;
    const events: StreamEvent[] = [];
    while (this.#queue.length > 0) events.push(...this.#leaveUnclosed(), ...this.#advance());
    return events;
  }

  #open({ index, id, name }: Pick<ToolCallStart, 'index' | 'id' | 'name'>): OpenHealedCall {
    const healed = this.#healerOf(name);
    const text = { written: '', waiting: '', sent: '' };
    const call: OpenHealedCall = {
      index,
      id,
      name,
      healed,
      ...text,
      brackets: new BracketCount(),
      hasStarted: false,
      hasEnded: false,
    };
    const place = this.#queue.findIndex((other, position) => position > 0 && other.index > index);
    this.#queue.splice(place === -1 ? this.#queue.length : place, 0, call);
    return call;
  }

  #healerOf(name: string): HealedArguments | undefined {
    const schema = this.#schemas.get(name);
    try {
      return schema && healArgumentText(schema, this.#options);
    } catch (error) {
      // The model is not to blame for a schema we cannot read.
      if (error instanceof HealError && error.kind !== 'schema-too-complex') return undefined;
      throw toThrown(name, error);
    }
  }

  #callAt(index: number): OpenHealedCall | undefined {
    return this.#queue.find((call) => call.index === index);
  }

  #write(index: number, json: string): void {
    const call = this.#callAt(index);
    if (call === undefined) return this.#writeLate(index, json);
    call.written += json;
    call.waiting += json;
    call.brackets.push(json);
    this.#waiting += json.length;
    if (this.#waiting > mostWaiting) {
      throw new SimpleAgentsError(
        'bad-response',
        `the arguments of tool calls are longer than ${mostWaiting} characters`,
      );
    }
  }

  /** More text for a call that was whole and has left. */
  #writeLate(index: number, json: string): void {
    if (!this.#left.has(index) || json.trim() === '') return;
    const message = `a tool call cannot be healed: more text followed its arguments: ${json.slice(0, 100)}`;
    this.#failure ??= new SimpleAgentsError('bad-response', message, { text: json });
  }

  /** A call may come without a start, and without deltas. */
  #end({ index, block }: HealedCallEnd): void {
    if (this.#left.delete(index)) return;
    const call = this.#callAt(index) ?? this.#open({ index, id: block.id, name: block.name });
    if (call.written === '') this.#write(index, block.raw ?? argumentsOf(block));
    call.block = block;
  }

  #advance(): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let [call] = this.#queue; call !== undefined; [call] = this.#queue) {
      events.push(...this.#stream(call), ...this.#settle(call));
      if (!call.hasEnded) break;
      this.#queue.shift();
    }
    return joinDeltas(events);
  }

  /** What can be sent of the first call now. */
  #stream(call: OpenHealedCall): StreamEvent[] {
    const { index, id, name } = call;
    const start: StreamEvent[] = call.hasStarted ? [] : [{ type: 'tool-call-start', index, id, name }];
    call.hasStarted = true;
    try {
      return [...start, ...this.#send(call, this.#feed(call))];
    } catch (error) {
      call.problem ??= problemOf(name, error);
      return start;
    }
  }

  #feed(call: OpenHealedCall): string {
    const { waiting } = call;
    call.waiting = '';
    this.#waiting -= waiting.length;
    if (waiting === '' || call.problem !== undefined) return '';
    return call.healed === undefined ? waiting : call.healed.push(waiting);
  }

  #send(call: OpenHealedCall, json: string): StreamEvent[] {
    call.sent += json;
    return json === '' ? [] : [{ type: 'tool-call-delta', index: call.index, json }];
  }

  /** What ends a call; nothing while it may go on, or cannot be completed. */
  #settle(call: OpenHealedCall): StreamEvent[] {
    if (call.problem !== undefined) return [];
    if (call.block === undefined) return this.#leaveWhole(call);
    return call.healed?.hasBegun === true ? this.#endHealed(call, call.healed) : this.#endWritten(call, call.block);
  }

  /** The end of a call may come only with that of the answer; a call behind one that is whole need not wait for it. */
  #leaveWhole(call: OpenHealedCall): StreamEvent[] {
    const { healed, brackets, id, name, index, written } = call;
    if (this.#queue.length < 2 || !brackets.isClosed || healed?.hasBegun === false) return [];
    // Every event of a later call asks again.
    if (call.unparsed === written.length) return [];
    if (parseToolCall(id, name, written).error !== undefined) {
      call.unparsed = written.length;
      return [];
    }
    const events = healed === undefined ? [this.#endOf(call)] : this.#endHealed(call, healed);
    if (call.hasEnded) this.#left.add(index);
    return events;
  }

  #endHealed(call: OpenHealedCall, healed: HealedArguments): StreamEvent[] {
    try {
      const { text, flags } = healed.end();
      this.#report(flags, call.name);
      return [...this.#send(call, text), this.#endOf(call)];
    } catch (error) {
      call.problem = problemOf(call.name, error);
      return this.#send(call, healed.unclosed());
    }
  }

  /** Nothing was healed on the way: the end of the block says what the arguments are. */
  #endWritten(call: OpenHealedCall, block: ToolCallBlock): StreamEvent[] {
    const received = toReceived(block);
    if (received.error !== undefined) {
      call.problem = received.error;
      // Official clients fail on a fragment that cannot begin an object, before they read the error that follows.
      return call.sent === '' && /^\s*\{/.test(call.written) ? this.#send(call, call.written) : [];
    }
    this.#report(received.flags ?? [], call.name);
    return [...(call.sent === '' ? this.#send(call, argumentsOf(received)) : []), this.#endOf(call)];
  }

  /** The token limit cut the first call: what came of it has been sent. */
  #leaveUnclosed(): StreamEvent[] {
    const { id, name, index, written: raw, problem } = this.#queue.shift() as OpenHealedCall;
    const error = problem ?? 'the arguments are not complete';
    return [{ type: 'block-end', index, block: { type: 'tool-call', id, name, input: null, raw, error } }];
  }

  #endOf(call: OpenHealedCall): StreamEvent {
    call.hasEnded = true;
    const { index, id, name, sent } = call;
    return { type: 'block-end', index, block: parseToolCall(id, name, sent) };
  }
}

/** Fragments of one call that leave together leave as one. */
function joinDeltas(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: StreamEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type !== 'tool-call-delta' || last?.type !== 'tool-call-delta') joined.push(event);
    else joined[joined.length - 1] = { ...last, json: last.json + event.json };
  }
  return joined;
}
