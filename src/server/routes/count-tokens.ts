// `POST /v1/messages/count_tokens`: the token count of a prompt. Always an estimate, as a response header says, because
// the target is not known before the call.

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
