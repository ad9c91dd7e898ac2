// Ids of requests: unique, and impossible to guess.

import { randomBytes } from 'node:crypto';

export function createRequestId(): string {
  return `req_${randomBytes(16).toString('hex')}`;
}
