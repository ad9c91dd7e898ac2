// Ids of requests: unique, and impossible to guess.

import { randomUUID } from 'node:crypto';

export function createRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
