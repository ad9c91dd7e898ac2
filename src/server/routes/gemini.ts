// Google's Gemini API: `/v1beta/models/{model}:generateContent` and the other methods of a model, and the list of models.
// The model and the method are in the path; a model name may contain slashes. Newer clients use `/v1`, where the list of
// models is the one of `models.ts`, in the client's wire.

import { isRecord } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { decodeEmbedRequest, encodeEmbedding } from '../../wire/gemini/embedding.ts';
import { decodeCountRequest } from '../../wire/gemini/server-request.ts';
import { encodeCount, geminiServer } from '../../wire/gemini/server.ts';
import { modelMethods, parseModelPath } from '../../wire/gemini/types.ts';
import type { Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import { countPrompt } from './count-tokens.ts';
import { callEmbedding } from './embeddings.ts';
import type { HttpRoute } from './http-route.ts';
import { beginModelCall } from './model-call.ts';
import { pageOf } from './model-page.ts';
import { decodePath, findModel } from './models.ts';

const path = '/v1beta/models';
const common = { access: 'call', wire: geminiServer } as const;

type MethodHandler = (exchange: Exchange, state: ServerState, model: string) => Promise<void>;

const methods: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ['generateContent', (exchange, state, model) => generate(exchange, state, { model, stream: false })],
  ['streamGenerateContent', streamGenerate],
  ['countTokens', count],
  ['embedContent', (exchange, state, model) => embed(exchange, state, { model, isBatch: false })],
  ['batchEmbedContents', (exchange, state, model) => embed(exchange, state, { model, isBatch: true })],
]);

/** A tuned model has another collection, which is part of its name. */
const modelPath = /^\/v1(?:beta)?\/(?:models\/)?(.+)$/;
const tunedPath = '/v1beta/tunedModels/';

/** Whether a path is of this wire. Below `/v1`, only methods of a model are. */
export function isGeminiPath(requested: string): boolean {
  if (requested.startsWith('/v1beta/')) return true;
  return /^\/v1\/(?:models|tunedModels)\//.test(requested) && modelMethods.has(parseModelPath(requested).method);
}

/** What follows the collection of models in a path. */
function nameIn(requested: string): string {
  return decodePath(modelPath.exec(requested)?.[1] ?? '');
}

const modelMethod: HttpRoute = {
  ...common,
  method: 'POST',
  path: `${path}/`,
  handle(exchange, state) {
    const { model, method } = parseModelPath(nameIn(exchange.path));
    const handler = methods.get(method);
    if (handler !== undefined) return handler(exchange, state, model);
    const known = [...methods.keys()];
    const hint = didYouMean(method, known) || `; the methods are ${known.join(', ')}`;
    return throwHttpError(404, `unknown method of a model: ${method.slice(0, 100)}${hint}`, { kind: 'not-found' });
  },
};

/** Not an async function: its frame would keep the request in memory for as long as the stream lasts. */
function generate(
  exchange: Exchange,
  state: ServerState,
  address: { readonly model: string; readonly stream: boolean },
): Promise<void> {
  return exchange.readJson(state.settings).then((body) => {
    return beginModelCall(exchange, state, { body: isRecord(body) ? { ...body, ...address } : body });
  });
}

function streamGenerate(exchange: Exchange, state: ServerState, model: string): Promise<void> {
  if (new URLSearchParams(exchange.query).get('alt') !== 'sse')
    throwHttpError(400, 'alt: only streams of server-sent events are supported; add ?alt=sse to the URL', {
      field: 'alt',
    });
  return generate(exchange, state, { model, stream: true });
}

async function count(exchange: Exchange, state: ServerState, model: string): Promise<void> {
  const request = decodeCountRequest(await exchange.readJson(state.settings));
  const { tokens, headers } = await countPrompt({ ...request, model }, exchange, state);
  exchange.sendJson(200, encodeCount(tokens), headers);
}

async function embed(
  exchange: Exchange,
  state: ServerState,
  { model, isBatch }: { readonly model: string; readonly isBatch: boolean },
): Promise<void> {
  const request = decodeEmbedRequest(await exchange.readJson(state.settings), model);
  const { response, headers } = await callEmbedding(exchange, state, request);
  exchange.sendJson(200, encodeEmbedding(response, isBatch), headers);
}

const listModels: HttpRoute = {
  ...common,
  method: 'GET',
  path,
  async handle(exchange, state) {
    const { models, hasMore } = pageOf(await state.models(), exchange.query);
    exchange.sendJson(200, geminiServer.encodeModels(models, hasMore));
  },
};

const getModel: HttpRoute = {
  ...common,
  method: 'GET',
  path: `${path}/`,
  async handle(exchange, state) {
    const found = await findModel(nameIn(exchange.path), state);
    exchange.sendJson(200, geminiServer.encodeModel(found));
  },
};

export const geminiRoutes: readonly HttpRoute[] = [
  modelMethod,
  { ...modelMethod, path: '/v1/models/' },
  { ...modelMethod, path: tunedPath },
  { ...modelMethod, path: '/v1/tunedModels/' },
  listModels,
  getModel,
  { ...getModel, path: tunedPath },
];
