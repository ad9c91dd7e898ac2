// The frame every stream decoder shares: events collected until taken, deltas assembled into blocks, and the
// failure kept beside the events instead of thrown over them. A wire supplies only what a piece of JSON means.

import { MessageAssembler, type BlockDetails } from '../core/assembler.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { SseReader } from './sse.ts';
import type { StreamDecoder } from './wire.ts';

export class EventSink {
  done = false;
  failure: SimpleAgentsError | undefined;
  /** What the provider has reported so far. */
  usage: Usage = noUsage;
  readonly #assembler = new MessageAssembler();
  readonly #toolCallIds = new Set<string>();
  #events: StreamEvent[] = [];

  emit(event: StreamEvent): void {
    this.#assembler.push(event);
    this.#events.push(event);
  }

  warn(detail: string): void {
    this.emit({ type: 'notice', kind: 'warning', detail });
  }

  /** Whether the call was begun; a second call with the same id is one too many and is left out. */
  startToolCall(index: number, id: string, name: string): boolean {
    if (this.#toolCallIds.has(id)) {
      this.warn(`the tool call ${id} came twice; the second was left out`);
      return false;
    }
    this.#toolCallIds.add(id);
    this.emit({ type: 'tool-call-start', index, id, name });
    return true;
  }

  get toolCallCount(): number {
    return this.#toolCallIds.size;
  }

  finishBlock(index: number, details?: BlockDetails): void {
    const block = this.#assembler.finish(index, details);
    if (block !== undefined) this.emit({ type: 'block-end', index, block });
  }

  get openIndices(): number[] {
    return this.#assembler.openIndices;
  }

  take(): StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** What a wire makes of a stream. `onEnd` is told that no more data will come. */
export interface StreamMachine {
  readonly sink: EventSink;
  onData(data: string, eventName: string | undefined): void;
  onEnd(): void;
}

export function decoderOf(machine: StreamMachine): StreamDecoder {
  return new SseStreamDecoder(machine);
}

class SseStreamDecoder implements StreamDecoder {
  readonly #machine: StreamMachine;
  readonly #reader: SseReader;
  #ending = false;
  #hasRead = false;

  constructor(machine: StreamMachine) {
    this.#machine = machine;
    this.#reader = new SseReader({
      onEvent: ({ data, event }) => this.#handle(data, event),
      onMalformedLine: (line) => {
        throw malformedLine(line);
      },
    });
  }

  get done(): boolean {
    return this.#machine.sink.done;
  }

  get failure(): SimpleAgentsError | undefined {
    return this.#machine.sink.failure;
  }

  get usage(): Usage {
    return this.#machine.sink.usage;
  }

  push(chunk: Uint8Array): StreamEvent[] {
    this.#guard(() => this.#reader.push(chunk));
    return this.#machine.sink.take();
  }

  end(): StreamEvent[] {
    this.#ending = true;
    this.#guard(() => {
      this.#reader.end();
      if (!this.#finished) this.#machine.onEnd();
    });
    return this.#machine.sink.take();
  }

  get #finished(): boolean {
    return this.#machine.sink.done || this.#machine.sink.failure !== undefined;
  }

  #handle(data: string, event: string | undefined): void {
    if (this.#finished) return;
    try {
      this.#machine.onData(data, event);
      this.#hasRead = true;
    } catch (error) {
      if (error instanceof SimpleAgentsError) throw error;
      const isText = error instanceof SyntaxError;
      // Half an event at the end of the bytes is a cut, which `onEnd` reports.
      if (isText && this.#ending) return;
      // A stream that was understood so far was damaged on the way; another try may bring it whole.
      if (isText) throw malformedEvent(data, error);
      if (this.#hasRead) throw cutError(`an event is not of the expected shape: ${excerpt(data)}`, error);
      throw toBadResponse(error, 'an event of the stream', data);
    }
  }

  #guard(step: () => void): void {
    if (this.#finished) return;
    try {
      step();
    } catch (error) {
      this.#machine.sink.failure = toError(error);
    }
  }
}

/** A stream that ended early or was damaged on the way: worth another try. */
export function cutError(how = 'it ended without a stop reason', cause?: unknown): SimpleAgentsError {
  return new SimpleAgentsError('network', `the stream was cut: ${how}`, { cause });
}

export function malformedEvent(data: string, cause: unknown): SimpleAgentsError {
  return cutError(`an event is not JSON: ${excerpt(data)}`, cause);
}

export function malformedLine(line: string): SimpleAgentsError {
  return cutError(`a line is not a server-sent event: ${excerpt(line)}`);
}

function excerpt(data: string): string {
  return data.slice(0, 100);
}

/** For a plain body: what cannot be read as expected is a fault of the provider's, not of ours. */
export function readBody<T>(body: unknown, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toBadResponse(error, 'the body', JSON.stringify(body));
  }
}

function toBadResponse(error: unknown, what: string, data: string): SimpleAgentsError {
  if (error instanceof SimpleAgentsError) return error;
  const problem = error instanceof SyntaxError ? 'is not JSON' : 'is not of the shape that was expected';
  return new SimpleAgentsError('bad-response', `${what} ${problem}: ${excerpt(data)}`, { cause: error });
}
