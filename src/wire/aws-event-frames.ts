// Translates Amazon's binary event streams into server-sent events, so that the rest of a wire reads one kind of stream.
// The name of an event is that of the message. An exception becomes the event `exception` with its type and message.

import { concat } from '../core/bytes.ts';
import { isRecord } from '../core/json.ts';
import { EventStreamDecoder, type EventStreamMessage } from './aws-event-stream.ts';
import type { FrameTranslator, StreamFraming } from './wire.ts';

const mediaType = 'application/vnd.amazon.eventstream';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An event of the service: its name, and its data in JSON. */
export interface AwsEvent {
  readonly name: string;
  readonly data: string;
}

/** The name of the event for an exception, whose data is `{"type", "message"}`. */
export const exceptionEvent = 'exception';

/** `map`: what an event means on the wire. Left out: the messages are the events of the wire. */
export function awsFraming(map: (event: AwsEvent) => AwsEvent = (event) => event): StreamFraming {
  return { mediaType, open: () => new EventTranslator(map) };
}

class EventTranslator implements FrameTranslator {
  readonly #messages = new EventStreamDecoder();
  readonly #map: (event: AwsEvent) => AwsEvent;

  constructor(map: (event: AwsEvent) => AwsEvent) {
    this.#map = map;
  }

  get failure() {
    return this.#messages.failure;
  }

  push(chunk: Uint8Array): Uint8Array {
    return concat(this.#messages.push(chunk).map((message) => toSse(this.#map(toEvent(message)))));
  }
}

function toEvent({ headers, payload }: EventStreamMessage): AwsEvent {
  const text = (name: string): string => {
    const { value } = headers[name] ?? {};
    return typeof value === 'string' ? value : '';
  };
  const data = decoder.decode(payload);
  switch (text(':message-type')) {
    case 'exception':
      return toException(text(':exception-type'), messageIn(data));
    case 'error':
      return toException(text(':error-code'), text(':error-message'));
    default:
      return { name: text(':event-type'), data };
  }
}

function toException(type: string, message: unknown): AwsEvent {
  return { name: exceptionEvent, data: JSON.stringify({ type, message }) };
}

function messageIn(data: string): unknown {
  const body = parseRecord(data);
  return body['message'] ?? body['Message'] ?? data;
}

/** An empty object for text that is not JSON. The decoder of the wire reports such data. */
export function parseRecord(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** A line end in JSON is only space between its tokens. */
function toSse({ name, data }: AwsEvent): Uint8Array {
  return encoder.encode(`event: ${oneLine(name)}\ndata: ${oneLine(data)}\n\n`);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}
