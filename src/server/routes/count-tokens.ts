// `POST /v1/messages/count_tokens`: how long a prompt is. Always an estimate, and said to be one in a header: who will
// answer is not known before the call, and most that may answer cannot count for others.

import { estimateRequestTokens } from '../../core/token-estimate.ts';
import { decodeCountRequest } from '../../wire/anthropic-messages/server-request.ts';
import { anthropicMessagesServer, encodeCount } from '../../wire/anthropic-messages/server.ts';
import type { HttpRoute } from './http-route.ts';

export const countTokens: HttpRoute = {
  method: 'POST',
  path: '/v1/messages/count_tokens',
  access: 'call',
  wire: anthropicMessagesServer,
  async handle(exchange, { settings }) {
    const request = decodeCountRequest(await exchange.readJson(settings.bodyLimit));
    exchange.sendJson(200, encodeCount(estimateRequestTokens(request)), { 'x-simple-agents-count': 'estimate' });
  },
};
