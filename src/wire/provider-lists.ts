// What the wires of OpenAI and Anthropic share about a provider's own lists: the route that counts the tokens of a prompt,
// and the list of models.

import { isRecord } from '../core/json.ts';
import type { CountingRoute, ListingRoute, WireClient } from './wire.ts';

/** `members`: those of a request that the route accepts. */
export function countingRoute(
  path: string,
  encodeRequest: WireClient['encodeRequest'],
  members: readonly string[],
): CountingRoute {
  return {
    encode(request, options) {
      const { body } = encodeRequest({ maxTokens: 1, ...request, stream: false }, options);
      return { path, body: Object.fromEntries(Object.entries(body).filter(([member]) => members.includes(member))) };
    },
    decode: ({ input_tokens: tokens }) => tokens,
  };
}

export const modelList: ListingRoute = {
  path: '/v1/models',
  decode(body) {
    const data = isRecord(body) ? body['data'] : body;
    return Array.isArray(data) ? data.map((model: unknown) => (isRecord(model) ? model['id'] : undefined)) : [];
  },
};
