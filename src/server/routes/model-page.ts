// One page of the list of models, as the query of the request asks for. The parameters are those of Anthropic (`limit`,
// `after_id`, `before_id`) and of Google (`pageSize`, `pageToken`, which is the name of the last model here). Without a
// size, a page has all models.

import type { ModelListing } from '../../core/model-listing.ts';
import { throwHttpError } from '../http/http-error.ts';

export interface ModelPage {
  readonly models: readonly ModelListing[];
  /** Whether there are further models in the direction of the page. */
  readonly hasMore: boolean;
}

const largestPage = 1000;

export function pageOf(models: readonly ModelListing[], query: string): ModelPage {
  const parameters = new URLSearchParams(query);
  const size = sizeOf(parameters);
  const before = placeOf('before_id', parameters, models);
  if (before !== undefined) {
    const start = Math.max(0, before - size);
    return { models: models.slice(start, before), hasMore: start > 0 };
  }
  const after = placeOf('after_id', parameters, models) ?? placeOf('pageToken', parameters, models) ?? -1;
  const end = after + 1 + size;
  return { models: models.slice(after + 1, end), hasMore: end < models.length };
}

function sizeOf(parameters: URLSearchParams): number {
  for (const name of ['limit', 'pageSize']) {
    const text = parameters.get(name);
    // Google counts an absent size as 0, and lowers one that is too large.
    if (text === null || (name === 'pageSize' && text === '0')) continue;
    const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (size >= 1 && (size <= largestPage || name === 'pageSize')) return Math.min(size, largestPage);
    throwHttpError(400, `${name}: must be an integer from 1 to ${largestPage}`, { field: name });
  }
  return Infinity;
}

/** The position of the model that a parameter names. */
function placeOf(name: string, parameters: URLSearchParams, models: readonly ModelListing[]): number | undefined {
  const id = parameters.get(name);
  if (id === null || id === '') return undefined;
  const place = models.findIndex((model) => model.id === id);
  if (place !== -1) return place;
  const problem = 'is not in the list of models any more; start again from the first page';
  return throwHttpError(400, `${name}: ${JSON.stringify(id.slice(0, 100))} ${problem}`, { field: name });
}
