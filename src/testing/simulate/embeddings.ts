// The embeddings routes of the simulated APIs: OpenAI's `/v1/embeddings` and Ollama's `/api/embed`.

import { estimateTokens } from '../../core/token-estimate.ts';
import { encodeVector } from '../../wire/openai-embeddings/vector-base64.ts';
import { countInputTokens, embedInput } from '../model/embedding.ts';
import { replacesResponse } from '../model/fault.ts';
import { wait } from '../model/pace.ts';
import {
  admit,
  failedExchange,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from './exchange.ts';
import { validateEmbeddings, validateOllamaEmbed } from './validate-embeddings.ts';

export async function createEmbeddings(
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
): Promise<SimulatedExchange> {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const { inputs, isBase64, ...model } = validateEmbeddings(admit(call, options));
  await wait(options.pace.firstTokenDelayMs ?? 0, call.signal);
  const data = inputs.map((input, index) => {
    const vector = embedInput(input, model);
    return { object: 'embedding', index, embedding: isBase64 ? encodeVector(vector) : vector };
  });
  const tokens = countInputTokens(inputs);
  const usage = call.fault.omitUsage === true ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } };
  return { response: jsonResponse(200, { object: 'list', data, model: model.model, ...usage }), fault: call.fault };
}

/** Ollama needs no key. */
export async function embedForOllama(
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
): Promise<SimulatedExchange> {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const { inputs, ...model } = validateOllamaEmbed(admit(call, { ...options, requireKey: false }));
  await wait(options.pace.firstTokenDelayMs ?? 0, call.signal);
  const body = {
    model: model.model,
    embeddings: inputs.map((input) => embedInput(input, model)),
    total_duration: 14_143_917,
    load_duration: 1_019_500,
    prompt_eval_count: inputs.reduce((sum: number, input) => sum + estimateTokens(String(input)), 0),
  };
  return { response: jsonResponse(200, body), fault: call.fault };
}
