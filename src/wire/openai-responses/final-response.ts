// Finds the finished response in what a client of the Responses wire receives: in a plain body, or in the last event of a
// stream. Takes chunks cut anywhere.

import { isRecord, type JsonObject } from '../../core/json.ts';
import { SseReader } from '../sse.ts';

const finalTypes = ['response.completed', 'response.incomplete'];

export class FinalResponse {
  /** Undefined until the response is finished. */
  response: JsonObject | undefined;
  readonly #reader = new SseReader({
    onEvent: ({ data }) => {
      if (finalTypes.some((type) => data.includes(type))) this.#read(data);
    },
  });
  readonly #encoder = new TextEncoder();

  /** Takes a part of a stream. */
  push(part: Uint8Array | string): void {
    this.#reader.push(typeof part === 'string' ? this.#encoder.encode(part) : part);
  }

  #read(data: string): void {
    const { type, response } = JSON.parse(data) as { type?: string; response?: unknown };
    if (finalTypes.includes(type ?? '') && isRecord(response)) this.response = response as JsonObject;
  }
}

/** The response in a plain body, if it is finished. */
export function finishedBody(body: Uint8Array | string): JsonObject | undefined {
  const response: unknown = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  const isFinished = isRecord(response) && (response['status'] === 'completed' || response['status'] === 'incomplete');
  return isFinished ? (response as JsonObject) : undefined;
}
