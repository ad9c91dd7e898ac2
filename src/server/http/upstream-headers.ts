// Which of an upstream's headers a client gets to see: an allow-list, for a header nobody thought of may hold anything.

import { toHeaderValue } from './http-error.ts';

const passed = /^(?:x-ratelimit-|anthropic-ratelimit-)/;

/** The upstream's name for the request goes under another name: ours is in the header clients look at. */
const requestIds = ['request-id', 'x-request-id'];

/** Adds them to those of the answer. */
export function addUpstreamHeaders(headers: Readonly<Record<string, string>>, answer: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (passed.test(name)) answer[name] = toHeaderValue(value);
    else if (requestIds.includes(name)) answer['x-simple-agents-upstream-request-id'] = toHeaderValue(value);
  }
}
