// `POST /v1/embeddings`: OpenAI's embeddings API, in front of every provider that has embeddings.

import type { EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import { decodeEmbeddingRequest, encodeEmbeddings } from '../../wire/openai-embeddings/server.ts';
import type { Exchange } from '../http/exchange.ts';
import { toHeaderValue } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import { CallReport } from './call-report.ts';
import type { HttpRoute } from './http-route.ts';
import { toCallContext } from './model-call.ts';

export const embeddings: HttpRoute = {
  method: 'POST',
  path: '/v1/embeddings',
  access: 'call',
  wire: openaiChatServer,
  async handle(exchange, state) {
    const { request, format } = decodeEmbeddingRequest(await exchange.readJson(state.settings));
    const { response, headers } = await callEmbedding(exchange, state, request);
    exchange.sendJson(200, encodeEmbeddings(response, format), headers);
  },
};

interface EmbeddingResult {
  readonly response: EmbeddingResponse;
  /** Those of the response to the client. */
  readonly headers: Record<string, string>;
}

export async function callEmbedding(
  exchange: Exchange,
  state: ServerState,
  request: EmbeddingRequest,
): Promise<EmbeddingResult> {
  const { source } = state;
  if (source.embed === undefined) throw new SimpleAgentsError('not-found', `${source.name} has no embeddings`);
  const report = new CallReport();
  const response = await source.embed(request, exchange.signal, toCallContext(exchange, state, report));
  exchange.releaseBody();
  const headers: Record<string, string> = { 'x-simple-agents-target': toHeaderValue(response.target) };
  report.addInitialHeaders(headers, exchange.wire);
  // The report receives `call-end` before this resolves.
  await response.ended;
  report.addCost(headers);
  return { response, headers };
}
