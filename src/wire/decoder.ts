// The part that all stream decoders share: it collects events until they are taken, assembles deltas into blocks, and
// stores a failure instead of throwing it, so that the events before it are not lost. A wire supplies the meaning of each
// JSON event.

import { MessageAssembler, type BlockDetails } from '../core/assembler.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { SseReader } from './sse.ts';
import type { StreamDecoder } from './wire.ts';

export class EventSink {
  done = false;
  failure: SimpleAgentsError | undefined;
  /** Token counts that the provider has reported so far. */
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

  /** Returns false for a second call with the same id, which is ignored. */
  startToolCall(index: number, id: string, name: string): boolean {
    if (this.#toolCallIds.has(id)) {
      this.warn(`the provider sent the tool call ${id} twice; the second was ignored`);
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

/** The wire's part of a decoder. `onEnd` is called when no more data will arrive. */
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
      // An incomplete event at the end of the bytes means a cut stream, which `onEnd` reports.
      if (isText && this.#ending) return;
      // A stream that was valid so far was damaged in transit, so a retry may succeed.
      if (isText) throw malformedEvent(data, error);
      if (this.#hasRead) throw cutError(`an event does not have the expected shape: ${excerpt(data)}`, error);
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

/** A stream that ended early or was damaged in transit. A retry may succeed. */
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

/** Reads a plain body. A body of an unexpected shape is the provider's error: `bad-response`. */
export function readBody<T>(body: unknown, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toBadResponse(error, 'the body', JSON.stringify(body));
  }
}

function toBadResponse(error: unknown, what: string, data: string): SimpleAgentsError {
  if (error instanceof SimpleAgentsError) return error;
  const problem = error instanceof SyntaxError ? 'is not JSON' : 'does not have the expected shape';
  return new SimpleAgentsError('bad-response', `${what} ${problem}: ${excerpt(data)}`, { cause: error });
}
