// Heals tool calls for readers that cannot take text back. The effects of a client's tools are unknown here, so arguments
// are never completed or guessed. A call that would need a guess passes unchanged if it is JSON, else it is an error.
// Invariants of a stream:
//   1. Calls are sent one at a time, in the order of their indexes. The first is streamed as its arguments become final;
//      the others wait, up to a limit.
//   2. Arguments that were cut off are never completed. At the token limit the stop reason shows it, otherwise the stream
//      fails.
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

/** Reports what was changed in the arguments of a call. */
export type ReportFlags = (changes: readonly HealingFlag[], tool: string) => void;

/** Handles the tool calls of one response. Events in, events out. */
export interface HealedCalls {
  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[];
  /** Returns the remaining events at the end of the response. Throws `bad-response` for a call that cannot be used. */
  finish(stopReason: StopReason): readonly StreamEvent[];
}

/** The calls of a plain response from a target whose bytes may be passed through. */
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

/** The same for a stream: fragments pass unchanged, but one call at a time. */
export class OrderedCalls implements HealedCalls {
  readonly #calls = new StreamedCalls(new Map(), {}, () => undefined);

  push(event: ToolCallStart | ToolCallDelta | HealedCallEnd): readonly StreamEvent[] {
    return this.#calls.push(event);
  }

  /** A call that is not JSON also passes, whatever the stop reason. */
  finish(): readonly StreamEvent[] {
    return this.#calls.finish('length');
  }
}

/** The healed call, or the original one if healing had to guess. With an `error`, it is not JSON. */
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
  const message = `the call to ${name} cannot be healed: ${problem}`;
  return new SimpleAgentsError('bad-response', message, { text: raw });
}

/** The reason why a call cannot be completed. Throws errors that are not the model's fault. */
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
  /** `undefined` if the tool's schema is unknown: then fragments pass unchanged. */
  readonly healed: HealedArguments | undefined;
  /** The complete text that the model wrote. */
  written: string;
  readonly brackets: BracketCount;
  /** The length at which all brackets were closed but the text was not JSON. */
  unparsed?: number;
  /** The part that waits for the calls before it. */
  waiting: string;
  hasStarted: boolean;
  hasEnded: boolean;
  /** The part of the arguments that was sent. */
  sent: string;
  block?: ToolCallBlock;
  /** The reason why it cannot be completed. */
  problem?: string;
}

/** Detects the end of a JSON object by counting brackets. Reads each character once, however the text is split. */
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

/** The maximum text that may wait for an earlier call to end, in characters. */
const mostWaiting = 16 * 1024 * 1024;

export class StreamedCalls implements HealedCalls {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  readonly #options: HealOptions;
  readonly #report: ReportFlags;
  /** Sorted by index; the first call is being sent. */
  readonly #queue: OpenHealedCall[] = [];
  /** Complete calls that were sent before their end arrived. */
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
      // An unreadable schema is not the model's fault.
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

  /** More text for a complete call that was already sent. */
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

  /** The part of the first call that can be sent now. */
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

  /** The events that end a call; none while it may continue or if it cannot be completed. */
  #settle(call: OpenHealedCall): StreamEvent[] {
    if (call.problem !== undefined) return [];
    if (call.block === undefined) return this.#leaveWhole(call);
    return call.healed?.hasBegun === true ? this.#endHealed(call, call.healed) : this.#endWritten(call, call.block);
  }

  /** The end of a call may arrive only at the end of the response. Calls after a complete one do not wait for it. */
  #leaveWhole(call: OpenHealedCall): StreamEvent[] {
    const { healed, brackets, id, name, index, written } = call;
    if (this.#queue.length < 2 || !brackets.isClosed || healed?.hasBegun === false) return [];
    // Every event of a later call leads here; the same text need not be parsed again.
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

  /** Nothing was healed while streaming, so the end of the block has the arguments. */
  #endWritten(call: OpenHealedCall, block: ToolCallBlock): StreamEvent[] {
    const received = toReceived(block);
    if (received.error !== undefined) {
      call.problem = received.error;
      // Official clients fail on a fragment that cannot start an object, before they read the error that follows.
      return call.sent === '' && /^\s*\{/.test(call.written) ? this.#send(call, call.written) : [];
    }
    this.#report(received.flags ?? [], call.name);
    return [...(call.sent === '' ? this.#send(call, argumentsOf(received)) : []), this.#endOf(call)];
  }

  /** The token limit cut off the first call. Its text has been sent. */
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

/** Joins fragments of one call that are sent together. */
function joinDeltas(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: StreamEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type !== 'tool-call-delta' || last?.type !== 'tool-call-delta') joined.push(event);
    else joined[joined.length - 1] = { ...last, json: last.json + event.json };
  }
  return joined;
}
