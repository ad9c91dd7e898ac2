// Names for requests that nobody can guess and no two of which are the same.

import { randomFillSync } from 'node:crypto';

const idBytes = 16;
/** For so many ids at a time: asking for each by itself costs more than the rest of it. */
const randomness = Buffer.alloc(256 * idBytes);
let idsUsed = randomness.length;

export function createRequestId(): string {
  if (idsUsed === randomness.length) {
    randomFillSync(randomness);
    idsUsed = 0;
  }
  idsUsed += idBytes;
  return `req_${randomness.toString('hex', idsUsed - idBytes, idsUsed)}`;
}
