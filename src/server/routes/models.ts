// `GET /v1/models` and `GET /v1/models/{id}`: the available models, in the client's wire.

import { SimpleAgentsError } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';
import { pageOf } from './model-page.ts';

export const models: HttpRoute = {
  method: 'GET',
  path: '/v1/models',
  access: 'call',
  async handle(exchange, state) {
    const { models: page, hasMore } = pageOf(await state.models(), exchange.query);
    exchange.sendJson(200, exchange.wire.encodeModels(page, hasMore));
  },
};

export const model: HttpRoute = {
  method: 'GET',
  path: '/v1/models/',
  access: 'call',
  async handle(exchange, state) {
    const found = await findModel(decodePath(exchange.path.slice(this.path.length)), state);
    exchange.sendJson(200, exchange.wire.encodeModel(found));
  },
};

/** A listed model, or any name that calls accept. Throws 404. */
export async function findModel(id: string, state: ServerState): Promise<ModelListing> {
  const known = await state.models();
  const found = known.find((candidate) => candidate.id === id);
  const routed = found ?? (await findRouted(id, state));
  if (routed !== undefined) return routed;
  const meant = didYouMean(
    id,
    known.map((candidate) => candidate.id),
  );
  return throwHttpError(404, `the model ${JSON.stringify(id)} is not in the list of models${meant}`, {
    kind: 'not-found',
  });
}

async function findRouted(id: string, { gateway }: ServerState): Promise<ModelListing | undefined> {
  try {
    return await gateway.modelListing?.(id);
  } catch (error) {
    if (error instanceof SimpleAgentsError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** Ids may contain slashes, which clients percent-encode. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
