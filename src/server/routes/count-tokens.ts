// `POST /v1/messages/count_tokens`: the token count of a prompt. The provider that would be called counts, if it can.
// Otherwise the count is an estimate, as a response header says.

import { estimateRequestTokens } from '../../core/token-estimate.ts';
import type { ChatRequest } from '../../core/request.ts';
import { decodeCountRequest } from '../../wire/anthropic-messages/server-request.ts';
import { anthropicMessagesServer, encodeCount } from '../../wire/anthropic-messages/server.ts';
import { clientFormatOf } from '../../wire/client-format.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';

export const countTokens: HttpRoute = {
  method: 'POST',
  path: '/v1/messages/count_tokens',
  access: 'call',
  wire: anthropicMessagesServer,
  async handle(exchange, state) {
    const body = await exchange.readJson(state.settings);
    const client = clientFormatOf(anthropicMessagesServer, exchange.request.headers, body);
    const request = { ...decodeCountRequest(body), client };
    const { tokens, headers } = await countPrompt(request, exchange, state);
    exchange.sendJson(200, encodeCount(tokens), headers);
  },
};

export interface PromptCount {
  readonly tokens: number;
  readonly headers: Readonly<Record<string, string>>;
}

export async function countPrompt(
  request: ChatRequest,
  { signal }: Exchange,
  { source }: ServerState,
): Promise<PromptCount> {
  const counted = await source.countTokens?.(request, signal);
  const tokens = counted ?? estimateRequestTokens(request);
  return { tokens, headers: { 'x-simple-agents-count': counted === undefined ? 'estimate' : 'provider' } };
}
