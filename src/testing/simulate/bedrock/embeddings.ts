// The embedding models of the simulated Bedrock, called with InvokeModel: Titan takes one text, Cohere a list.

import { isRecord } from '../../../core/json.ts';
import { countInputTokens, embedInput } from '../../model/embedding.ts';
import { replacesResponse } from '../../model/fault.ts';
import { wait } from '../../model/pace.ts';
import { throwApiError } from '../api-error.ts';
import {
  admit,
  failedExchange,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from '../exchange.ts';
import { withoutPath } from './dialect.ts';
import { checkChoice, checkMembers, listAt } from './validate-value.ts';

const family = /(?:^|[./])(amazon\.titan-embed|cohere\.embed)/u;

/** Whether the model makes embeddings. */
export function isEmbeddingModel(model: string): boolean {
  return family.test(model);
}

export async function embedForBedrock(
  call: SimulatedCall,
  model: string,
  options: SimulatedExchangeOptions,
): Promise<SimulatedExchange> {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const body = admit({ ...call, dialect: withoutPath(call.dialect) }, options);
  const answer = /titan/u.test(model) ? embedTitan(model, body) : embedCohere(model, body);
  await wait(options.pace.firstTokenDelayMs ?? 0, call.signal);
  return { response: jsonResponse(200, answer), fault: call.fault };
}

function embedTitan(model: string, body: unknown): object {
  if (!isRecord(body)) return throwApiError('Malformed input request, please reformat your input and try again.');
  checkMembers(body, ['inputText', 'dimensions', 'normalize', 'embeddingTypes'], '');
  const { inputText, dimensions = 1024 } = body;
  if (typeof inputText !== 'string' || inputText === '')
    return throwApiError(
      'Malformed input request: #/inputText: expected minLength: 1, please reformat your input and try again.',
    );
  checkChoice(dimensions, 'dimensions', ['256', '512', '1024']);
  const embedding = embedInput(inputText, { model, dimensions: Number(dimensions) });
  return { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: countInputTokens([inputText]) };
}

const inputTypes = ['search_document', 'search_query', 'classification', 'clustering', 'image'];
const mostTexts = 96;

function embedCohere(model: string, body: unknown): object {
  if (!isRecord(body)) return throwApiError('Malformed input request, please reformat your input and try again.');
  checkMembers(
    body,
    ['texts', 'images', 'inputs', 'input_type', 'truncate', 'embedding_types', 'output_dimension', 'max_tokens'],
    '',
  );
  const texts = listAt(body['texts'], 'texts');
  if (texts.length > mostTexts)
    throwApiError(`#/texts: expected maximum item count: ${mostTexts}, found: ${texts.length}`);
  if (!texts.every((text) => typeof text === 'string')) throwApiError('#/texts: expected type: String');
  checkChoice(body['input_type'], 'input_type', inputTypes);
  const dimensions = typeof body['output_dimension'] === 'number' ? body['output_dimension'] : 1024;
  const vectors = texts.map((text) => embedInput(text, { model, dimensions }));
  const isByType = body['embedding_types'] !== undefined;
  return {
    id: 'simulated',
    texts,
    response_type: isByType ? 'embeddings_by_type' : 'embeddings_floats',
    embeddings: isByType ? { float: vectors } : vectors,
  };
}
