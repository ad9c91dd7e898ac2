// Makes the binary messages of Bedrock's streams from server-sent events.

import { encodeMessage, type EventStreamHeader } from '../../../wire/aws-event-stream.ts';
import { exceptionEvent } from '../../../wire/aws-event-frames.ts';

const encoder = new TextEncoder();

/** The name and the data of an event; no name for the malformed frame that the simulator injects. */
const event = /(?:event: ([^\n]*)\n)?data: ([^\n]*)\n\n/gu;

/** One message for each event. `events`: complete frames. */
export function converseMessages(events: string): Uint8Array {
  return messagesOf(events, (name, data) => toMessage(name, data));
}

/** For `InvokeModelWithResponseStream`: each message has an event of the model's own API in base64. */
export function invokeMessages(events: string): Uint8Array {
  return messagesOf(events, (name, data) => {
    if (name !== 'error') return toMessage('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64') }));
    const { error } = JSON.parse(data) as { error: { type: string; message: string } };
    const isException = error.type.endsWith('Exception');
    const type = isException ? error.type : (exceptionNames[error.type] ?? 'internalServerException');
    return toMessage(exceptionEvent, JSON.stringify({ type, message: error.message }));
  });
}

const exceptionNames: Readonly<Record<string, string>> = {
  overloaded_error: 'serviceUnavailableException',
  rate_limit_error: 'throttlingException',
  invalid_request_error: 'validationException',
  timeout_error: 'modelTimeoutException',
};

function messagesOf(events: string, encode: (name: string, data: string) => Uint8Array): Uint8Array {
  const messages = Array.from(events.matchAll(event), ([, name, data = '']) =>
    name === undefined ? damaged(toMessage('chunk', data)) : encode(name, data),
  );
  return Buffer.concat(messages);
}

function toMessage(name: string, data: string): Uint8Array {
  if (name !== exceptionEvent) {
    return encodeMessage({ headers: headersOf('event', name), payload: encoder.encode(padded(data)) });
  }
  const { type, message } = JSON.parse(data) as { type: string; message: string };
  return encodeMessage({ headers: headersOf('exception', type), payload: encoder.encode(JSON.stringify({ message })) });
}

/** The order of Bedrock's own messages. */
function headersOf(kind: 'event' | 'exception', name: string): Record<string, EventStreamHeader> {
  return {
    [`:${kind}-type`]: { type: 'string', value: name },
    ':content-type': { type: 'string', value: 'application/json' },
    ':message-type': { type: 'string', value: kind },
  };
}

const padding = 'abcdefghijklmnopqrstuvwxyz';

/** Bedrock hides the length of an event with a member of letters. */
function padded(data: string): string {
  return `${data.slice(0, -1)}${data === '{}' ? '' : ','}"p":"${padding.slice(0, 1 + (data.length % padding.length))}"}`;
}

/** A wrong checksum: the only fault that a reader of messages can see in one. */
function damaged(message: Uint8Array): Uint8Array {
  const copy = message.slice();
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}
