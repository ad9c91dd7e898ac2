// The count of the tokens of a prompt at Amazon Bedrock: one route for the requests of both operations. It knows the models
// themselves, not the inference profiles through which they are called.

import type { JsonObject } from '../../core/json.ts';
import type { CountingRoute } from '../wire.ts';
import { pathOf } from './client-request.ts';

/** The prefix of the regions that a profile covers. */
const regions = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\./;

/** `toInput`: the prompt as a member of the body. */
export function bedrockCounting(
  toInput: (...request: Parameters<CountingRoute['encode']>) => JsonObject,
): CountingRoute {
  return {
    encode: (request, options) => ({
      path: pathOf(request.model.replace(regions, ''), 'count-tokens'),
      body: { input: toInput(request, options) },
    }),
    decode: ({ inputTokens }) => inputTokens,
  };
}
