// Chooses the provider of a request that is forwarded. The rules, in this order:
//   1. The provider that the request names.
//   2. The provider of the model that the request names.
//   3. The only configured provider that has the route.

import { SimpleAgentsError } from '../../core/error.ts';
import type { ForwardRequest } from '../../core/forward.ts';
import { vendorNamed, type ForwardedRoute } from '../../providers/vendors.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { resolveModel, type ResolveSettings } from './resolve.ts';

export interface ForwardTarget {
  readonly provider: ProviderSettings;
  /** The provider's own name of the model, if the request names one. */
  readonly model?: string;
}

export const providerHeader = 'x-simple-agents-provider';

export function chooseForwardTarget(request: ForwardRequest, settings: ResolveSettings): ForwardTarget {
  const { json, path } = request;
  const having = settings.providers.filter((provider) => hasRoute(provider, path));
  if (request.provider !== undefined) return findNamed(request.provider, request, settings);
  const model = json?.['model'];
  if (typeof model === 'string' && model !== '') return findByModel(model, path, settings);
  const [only, ...others] = having;
  if (only === undefined) throw noProvider(path);
  if (others.length === 0) return { provider: only };
  const names = having.map(({ name }) => name).join(', ');
  const message = `several providers have ${path}: ${names}. Name one in the header ${providerHeader}`;
  throw new SimpleAgentsError('bad-request', message, { field: providerHeader });
}

function findNamed(name: string, { json, path }: ForwardRequest, settings: ResolveSettings): ForwardTarget {
  const provider = settings.providers.find((candidate) => candidate.name === name);
  if (provider === undefined) {
    const names = settings.providers.map((candidate) => candidate.name).join(', ');
    const message = `${providerHeader}: there is no provider ${JSON.stringify(name)}; the providers are ${names}`;
    throw new SimpleAgentsError('bad-request', message, { field: providerHeader });
  }
  checkRoute(provider, path);
  const model = json?.['model'];
  const isPrefixed = typeof model === 'string' && model.startsWith(`${name}/`);
  return { provider, ...(isPrefixed ? { model: model.slice(name.length + 1) } : {}) };
}

function findByModel(name: string, path: string, settings: ResolveSettings): ForwardTarget {
  const { provider, model } = resolveModel(name, settings);
  checkRoute(provider, path);
  return { provider, model };
}

function checkRoute(provider: ProviderSettings, path: string): void {
  if (!hasRoute(provider, path)) throw noProvider(path, provider.name);
}

/** A provider has the routes of its vendor, and those of the Responses wire if it speaks that. */
function hasRoute({ type, wire }: ProviderSettings, path: string): boolean {
  const [, , family] = path.split('/');
  if (family === 'responses' || family === 'conversations') return wire === 'openai-responses';
  return vendorNamed(type)?.routes?.includes(family as ForwardedRoute) ?? false;
}

function noProvider(path: string, name?: string): SimpleAgentsError {
  const who = name === undefined ? 'no configured provider has' : `the provider "${name}" does not have`;
  return new SimpleAgentsError('not-found', `${who} the route ${path.slice(0, 100)}`, { code: 'not_found' });
}
