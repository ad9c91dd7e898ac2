// The embedding models at Amazon Bedrock, which have no API in common: each family has its own body for InvokeModel.
// Titan takes one text, Cohere a list. Other families are refused by name.

import type { EmbeddingInput, EmbeddingRequest } from '../../core/embedding.ts';
import { SimpleAgentsError, unsupportedField } from '../../core/error.ts';
import { isRecord, omitUndefined } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { decodeAwsError } from '../aws-error.ts';
import { pathOf } from '../bedrock-converse/client-request.ts';
import { checkVectors, type DecodedEmbeddings, type EmbeddingWire } from '../embedding-wire.ts';

export const bedrockEmbeddings: EmbeddingWire = {
  encode(request) {
    const path = pathOf(request.model, 'invoke');
    return { path, body: familyOf(request.model).encode(request, request.inputs.map(toText)) };
  },
  decode: (body, { model, inputs }) => familyOf(model).decode(isRecord(body) ? body : {}, inputs.length),
  decodeError: decodeAwsError,
  errorWire: 'bedrock-converse',
};

interface Family {
  encode(request: EmbeddingRequest, texts: readonly string[]): Record<string, unknown>;
  decode(body: Record<string, unknown>, count: number): DecodedEmbeddings;
}

const titan: Family = {
  encode: ({ dimensions, fields }, [inputText]) => omitUndefined({ ...fields, inputText, dimensions }),
  decode({ embedding, inputTextTokenCount: tokens }, count) {
    const vectors = checkVectors([embedding], count);
    return { model: undefined, vectors, usage: typeof tokens === 'number' ? { input: tokens, output: 0 } : noUsage };
  },
};

const cohere: Family = {
  encode: ({ dimensions, fields }, texts) =>
    omitUndefined({ input_type: 'search_document', ...fields, texts, output_dimension: dimensions }),
  /** The vectors are a list, or one for each type of number that the request names. */
  decode({ embeddings }, count) {
    const vectors: unknown = isRecord(embeddings) ? embeddings['float'] : embeddings;
    return { model: undefined, vectors: checkVectors(vectors, count), usage: noUsage };
  },
};

function familyOf(model: string): Family {
  if (/titan-embed/.test(model)) return titan;
  if (/cohere\.embed/.test(model)) return cohere;
  const problem = `model: the embeddings of "${model}" are not supported at Bedrock; use a Titan or Cohere model`;
  throw new SimpleAgentsError('bad-request', problem, { field: 'model', code: unsupportedField });
}

function toText(input: EmbeddingInput): string {
  if (typeof input === 'string') return input;
  const problem = 'input: this model accepts text, not tokens';
  throw new SimpleAgentsError('bad-request', problem, { field: 'input', code: unsupportedField });
}
