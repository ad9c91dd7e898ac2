// Reading a body to its end: whole, as text up to a cap, or for nothing but the connection's sake.

import { concat } from '../core/bytes.ts';
import { startTimer } from '../core/timeout.ts';
import type { ResponseBody } from '../transport/transport.ts';

/** The first `cap` bytes as text. What is cut off closes the connection. */
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
 * Reads what follows the end of an answer, so that the connection can serve the next call. A server that
 * does not close the body soon is cut off.
 */
export async function drain(body: AsyncIterator<Uint8Array>, cancel: () => void): Promise<void> {
  const timer = startTimer(drainLimit, cancel);
  try {
    while (!(await body.next()).done);
  } catch {
    // The answer was whole before: nothing depends on how the connection ends.
  } finally {
    clearTimeout(timer);
  }
}
