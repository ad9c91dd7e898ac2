// Reads a body to its end: as bytes, as text up to a limit, or only to free the connection.

import { concat } from '../core/bytes.ts';
import { startTimer } from '../core/timeout.ts';
import type { BodyTurns } from './body-turns.ts';
import type { ResponseBody } from '../transport/transport.ts';

/** The first `cap` bytes as text. If the body is longer, the connection is closed. */
export async function readText(body: AsyncIterable<Uint8Array>, cap = Infinity): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = cap;
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) break;
  }
  return text + decoder.decode();
}

export function readWhole(body: ResponseBody): Promise<Uint8Array> {
  return body.readAll?.() ?? join(body);
}

async function join(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : concat(chunks);
}

const drainLimit = 1000;

/**
 * Reads what follows the end of a response, so that the connection can be reused. If the body does not end soon, the
 * call is cancelled.
 */
export async function drain(body: BodyTurns, cancel: () => void): Promise<void> {
  const timer = startTimer(drainLimit, cancel);
  try {
    while (!body.take(await body.next()).done);
  } catch {
    // The response is already complete, so a failure of the connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
