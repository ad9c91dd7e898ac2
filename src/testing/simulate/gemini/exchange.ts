// The routes of Google's Gemini API in the simulator: a model's responses, token counts, embeddings, and the list of models.

import { estimateRequestTokens, estimateTokens } from '../../../core/token-estimate.ts';
import { decodeCountRequest } from '../../../wire/gemini/server-request.ts';
import { encodeCount } from '../../../wire/gemini/server.ts';
import { embedInput } from '../../model/embedding.ts';
import { replacesResponse } from '../../model/fault.ts';
import { wait } from '../../model/pace.ts';
import { throwApiError } from '../api-error.ts';
import {
  admit,
  callModel,
  failedExchange,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from '../exchange.ts';
import { toListedModel, type GeminiRoute } from './dialect.ts';
import { readEmbedRequest, readEmbedRequests, validateCount, type EmbedContent } from './validate.ts';

export interface GeminiCall extends GeminiRoute {
  /** Of HTTP. */
  readonly httpMethod: string;
}

const modelIds = ['simulated', 'simulated-large', 'simulated-small'];

export async function handleGemini(
  { model, method, httpMethod }: GeminiCall,
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
): Promise<SimulatedExchange> {
  if (httpMethod === 'GET' && method === '') return listModels(model, call);
  switch (httpMethod === 'POST' ? method : '') {
    case 'generateContent':
    case 'streamGenerateContent':
      return callModel(call, options);
    case 'countTokens':
      return countTokens(call, options);
    case 'embedContent':
      return embed(call, options, (body) => [readEmbedRequest(body)]);
    case 'batchEmbedContents':
      return embed(call, options, readEmbedRequests);
    default:
      return throwApiError(`${model}:${method} is not a method of this API.`, { kind: 'not-found' });
  }
}

function listModels(model: string, { dialect, fault }: SimulatedCall): SimulatedExchange {
  const body = model === '' ? dialect.listModels(modelIds) : toListedModel(model);
  if (model !== '' && !modelIds.includes(model))
    throwApiError(`Model is not found: models/${model}`, { kind: 'not-found' });
  return { response: jsonResponse(200, body), fault };
}

function countTokens(call: SimulatedCall, options: SimulatedExchangeOptions): SimulatedExchange {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const body = admit(call, options);
  validateCount(body);
  const tokens = estimateRequestTokens(decodeCountRequest(body));
  const details = { promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
  return { response: jsonResponse(200, { ...encodeCount(tokens), ...details }), fault: call.fault };
}

async function embed(
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
  read: (body: unknown) => readonly EmbedContent[],
): Promise<SimulatedExchange> {
  const { fault, dialect } = call;
  if (replacesResponse(fault)) return failedExchange(fault, dialect);
  const requests = read(admit(call, options));
  await wait(options.pace.firstTokenDelayMs ?? 0, call.signal);
  const [, model = ''] = /models\/(.*):/u.exec(decodeURIComponent(dialect.path)) ?? [];
  const embeddings = requests.map(({ text, dimensions }) => {
    return { values: embedInput(text, { model, ...(dimensions === undefined ? {} : { dimensions }) }) };
  });
  const promptTokenCount = requests.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  const usage = fault.omitUsage === true ? {} : { usageMetadata: { promptTokenCount } };
  const isBatch = dialect.path.endsWith(':batchEmbedContents');
  const body = isBatch ? { embeddings, ...usage } : { embedding: embeddings[0], ...usage };
  return { response: jsonResponse(200, body), fault };
}
