// The embeddings of Google's APIs, spoken to a provider and to our own clients. AI Studio has a method of the model for one
// text and one for several. Vertex AI has the method of all its models that are not language models.

import type { EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { SimpleAgentsError, unsupportedField } from '../../core/error.ts';
import { isRecord, omitUndefined, type JsonObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { JsonField } from '../json-field.ts';
import { checkVectors, type EmbeddingWire } from '../embedding-wire.ts';
import { camelCased } from './camel-case.ts';
import { decodeError } from './failure.ts';
import { modelPath, modelResource, wireName } from './types.ts';

export const geminiEmbeddings: EmbeddingWire = {
  encode(request) {
    const { model, dimensions, fields } = request;
    const requests = textsOf(request).map((text) =>
      omitUndefined({
        ...fields,
        model: modelResource(model),
        content: { parts: [{ text }] },
        outputDimensionality: dimensions,
      }),
    );
    return { path: modelPath(model, 'batchEmbedContents'), body: { requests } };
  },
  decode(body, { inputs }) {
    const { embeddings, usageMetadata } = isRecord(body) ? body : {};
    const tokens = isRecord(usageMetadata) ? usageMetadata['promptTokenCount'] : undefined;
    return {
      model: undefined,
      vectors: checkVectors(listOf(embeddings, 'values'), inputs.length),
      usage: usageOf(tokens),
    };
  },
  decodeError,
  errorWire: wireName,
};

export const vertexEmbeddings: EmbeddingWire = {
  encode(request) {
    const { model, dimensions, fields } = request;
    const instances = textsOf(request).map((content) => ({ content, ...fields }));
    const parameters = dimensions === undefined ? undefined : { outputDimensionality: dimensions };
    return { path: modelPath(model, 'predict'), body: omitUndefined({ instances, parameters }) };
  },
  decode(body, { inputs }) {
    const predictions = isRecord(body) && Array.isArray(body['predictions']) ? body['predictions'] : undefined;
    const embeddings = predictions?.map((prediction: unknown) =>
      isRecord(prediction) ? prediction['embeddings'] : prediction,
    );
    return {
      model: undefined,
      vectors: checkVectors(listOf(embeddings, 'values'), inputs.length),
      usage: usageOf(countOf(embeddings)),
    };
  },
  decodeError,
  errorWire: wireName,
};

function textsOf({ inputs }: EmbeddingRequest): string[] {
  return inputs.map((input) => {
    if (typeof input === 'string') return input;
    throw new SimpleAgentsError('bad-request', 'input: this model does not accept tokens; send the text', {
      field: 'input',
      code: unsupportedField,
    });
  });
}

/** Undefined if it is not a list. */
function listOf(value: unknown, member: string): unknown[] | undefined {
  return Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? item[member] : item)) : undefined;
}

function countOf(embeddings: unknown): number | undefined {
  const counts = listOf(embeddings, 'statistics')?.map((statistics) =>
    isRecord(statistics) ? Number(statistics['token_count']) : Number.NaN,
  );
  return counts?.reduce((sum, count) => sum + count, 0);
}

function usageOf(tokens: unknown): Usage {
  return Number.isSafeInteger(tokens) && (tokens as number) >= 0 ? { input: tokens as number, output: 0 } : noUsage;
}

/** The request of a client. Texts with different settings cannot be in one request of other providers. */
export function decodeEmbedRequest(body: unknown, model: string): EmbeddingRequest {
  const root = new JsonField(camelCased(body));
  const single = root.get('content').isAbsent ? undefined : root;
  const requests = single === undefined ? root.get('requests').items() : [single];
  const [first] = requests;
  if (first === undefined) return root.get('requests').fail('must not be an empty array');
  const settings = requests.map(settingsOf);
  const other = settings.findIndex((setting) => JSON.stringify(setting) !== JSON.stringify(settings[0]));
  if (other !== -1) return requests[other]?.fail('must have the same settings as the first request') as never;
  const { outputDimensionality, ...fields } = settings[0] ?? {};
  return omitUndefined({
    model,
    inputs: requests.map((request) => textOfContent(request.get('content'))),
    dimensions: outputDimensionality === undefined ? undefined : first.get('outputDimensionality').positive(),
    fields: Object.keys(fields).length === 0 ? undefined : fields,
    stream: false,
  });
}

function settingsOf(request: JsonField): Record<string, unknown> {
  const { content: _content, model: _model, ...settings } = request.object();
  return settings;
}

function textOfContent(field: JsonField): string {
  const text = field
    .get('parts')
    .items()
    .map((part) => part.get('text').string())
    .join('');
  return text === '' ? field.fail('must not be empty') : text;
}

export function encodeEmbedding({ vectors, usage }: EmbeddingResponse, isBatch: boolean): JsonObject {
  const embeddings = vectors.map((values) => ({ values }));
  const counted = usage.missing ? {} : { usageMetadata: { promptTokenCount: usage.input } };
  return isBatch ? { embeddings, ...counted } : { embedding: embeddings[0], ...counted };
}
