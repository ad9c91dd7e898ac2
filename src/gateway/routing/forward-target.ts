// Chooses the provider of a request that is forwarded. Only a provider of the client's own format may get it, because the
// client sent its data to that API. Among those with the route, the rules are, in this order:
//   1. The provider that the request names.
//   2. The provider of the model that the request names.
//   3. The first of those that the request prefers, which the server's configuration lists.
//   4. The only one.

import { SimpleAgentsError } from '../../core/error.ts';
import type { ForwardRequest } from '../../core/forward.ts';
import { optionalWire, vendorOf, vendors, type ForwardedRoute } from '../../providers/vendors.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { resolveModel, type ResolveSettings } from './resolve.ts';

export interface ForwardTarget {
  readonly provider: ProviderSettings;
  /** The provider's own name of the model, if the request names one. */
  readonly model?: string;
}

export const providerHeader = 'x-simple-agents-provider';

export function chooseForwardTarget(request: ForwardRequest, settings: ResolveSettings): ForwardTarget {
  const { json } = request;
  if (request.provider !== undefined) return findNamed(request.provider, request, settings);
  const model = json?.['model'];
  if (typeof model === 'string' && model !== '') return findByModel(model, request, settings);
  return { provider: findDefault(request, settings) };
}

function findNamed(name: string, request: ForwardRequest, { providers }: ResolveSettings): ForwardTarget {
  const provider = providers.find((candidate) => candidate.name === name);
  if (provider === undefined) {
    const message = `${providerHeader}: there is no provider ${JSON.stringify(name)}`;
    throw new SimpleAgentsError('bad-request', message, { field: providerHeader });
  }
  checkProvider(provider, request);
  const model = request.json?.['model'];
  const isPrefixed = typeof model === 'string' && model.startsWith(`${name}/`);
  return { provider, ...(isPrefixed ? { model: model.slice(name.length + 1) } : {}) };
}

function findByModel(name: string, request: ForwardRequest, settings: ResolveSettings): ForwardTarget {
  const { provider, model } = resolveModel(name, settings);
  checkProvider(provider, request);
  return { provider, model };
}

function findDefault(request: ForwardRequest, { providers }: ResolveSettings): ProviderSettings {
  const having = providers.filter((provider) => hasFormat(provider, request) && hasRoute(provider, request));
  const [only, ...others] = having;
  if (only === undefined) throw noProvider(request);
  const preferred = request.preferred?.find((name) => having.some((provider) => provider.name === name));
  if (preferred !== undefined) return having.find(({ name }) => name === preferred) ?? only;
  if (others.length === 0) return only;
  const choice = `name one in the header ${providerHeader}, or set forward_providers under [server]`;
  const message = `several providers have the route ${shown(request)}: ${choice}`;
  throw new SimpleAgentsError('bad-request', message, { field: providerHeader });
}

function checkProvider(provider: ProviderSettings, request: ForwardRequest): void {
  const named = JSON.stringify(provider.name);
  if (!hasFormat(provider, request)) {
    const problem = `the request is in ${formatOf(request.wire).label} format, which the provider ${named} does not speak`;
    throw notFound(`${problem}; send it to a provider of that format`);
  }
  if (!hasRoute(provider, request)) throw notFound(`the provider ${named} does not have the route ${shown(request)}`);
}

interface Format {
  readonly name: string;
  /** In a sentence. */
  readonly label: string;
}

const openai: Format = { name: 'openai', label: "OpenAI's" };

/** The wires of one API have one format. */
const formats: Readonly<Record<string, Format>> = {
  'openai-chat': openai,
  'openai-completions': openai,
  'openai-responses': openai,
  'anthropic-messages': { name: 'anthropic', label: "Anthropic's" },
  'gemini': { name: 'google', label: "Google's" },
};

function formatOf(wire: string): Format {
  return formats[wire] ?? { name: wire, label: `the ${wire}` };
}

function hasFormat({ type, wire }: Pick<ProviderSettings, 'type' | 'wire'>, request: ForwardRequest): boolean {
  const own = wire ?? vendorOf({ type })?.wire;
  return own !== undefined && formatOf(own).name === formatOf(request.wire).name;
}

/** A provider has the routes of its vendor, and those of the Responses wire if it speaks that. */
function hasRoute({ type, wire }: Pick<ProviderSettings, 'type' | 'wire'>, { path }: ForwardRequest): boolean {
  const family = familyOf(path);
  if (family === 'responses' || family === 'conversations') return wire === 'openai-responses';
  return vendorOf({ type })?.routes?.includes(family as ForwardedRoute) ?? false;
}

/** The first segment after `/v1`. */
function familyOf(path: string): string {
  return path.split('/')[2] ?? '';
}

function noProvider(request: ForwardRequest): SimpleAgentsError {
  const { label } = formatOf(request.wire);
  const setting = findSetting(request);
  const fix = setting === undefined ? '' : `; add one to the configuration, such as ${setting}`;
  return notFound(`no configured provider of ${label} format has the route ${shown(request)}${fix}`);
}

/** The setting of a provider that would have the route. */
function findSetting(request: ForwardRequest): string | undefined {
  if (hasRoute({ type: '', wire: optionalWire }, request)) return `wire = "${optionalWire}"`;
  const known = vendors.find(({ name: type }) => hasFormat({ type }, request) && hasRoute({ type }, request));
  return known && `type = "${known.name}"`;
}

function shown({ path }: ForwardRequest): string {
  return path.slice(0, 100);
}

function notFound(message: string): SimpleAgentsError {
  return new SimpleAgentsError('not-found', message, { code: 'not_found' });
}
