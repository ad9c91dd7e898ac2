// Creates a provider from a vendor's row and the user's options.

import { SimpleAgentsError } from '../core/error.ts';
import { entryOf, omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { anthropicMessages } from '../wire/anthropic-messages/client.ts';
import { bedrockConverse } from '../wire/bedrock-converse/client.ts';
import { bedrockAnthropic } from '../wire/bedrock-invoke/client.ts';
import { gemini } from '../wire/gemini/client.ts';
import { openaiChat } from '../wire/openai-chat/client.ts';
import { openaiCompletions } from '../wire/openai-completions/client.ts';
import { openaiResponses } from '../wire/openai-responses/client.ts';
import type { Unsupported } from '../wire/unsupported.ts';
import type { WireClient } from '../wire/wire.ts';
import { versionsOf } from './api-version.ts';
import { callEmbeddings } from './remote-embedding.ts';
import { forwardRequest } from './remote-forward.ts';
import { countRemoteTokens, listRemoteModels } from './remote-lists.ts';
import { withCompletions } from './legacy-completion.ts';
import { createRemoteProvider, type RemoteOptions } from './remote.ts';
import type { VendorRow } from './vendors.ts';

const wires: Readonly<Record<VendorRow['wire'], WireClient>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  'bedrock-converse': bedrockConverse,
  'bedrock-anthropic': bedrockAnthropic,
  gemini,
};

export const wireNames: readonly string[] = Object.keys(wires);

export function wireNamed(name: string): WireClient | undefined {
  return entryOf<WireClient>(wires, name);
}

/** A feature of the request that the vendor's wire cannot express and that changes the meaning of the response. */
export function findUnsupported(vendor: VendorRow, request: ChatRequest): Unsupported | undefined {
  if (request.completion !== undefined && vendor.completions !== undefined) return undefined;
  return wires[vendor.wire].findUnsupported(request);
}

export interface VendorOptions extends Pick<
  RemoteOptions,
  'apiKey' | 'headers' | 'quirks' | 'signer' | 'timeouts' | 'transport'
> {
  /** Defaults to the vendor's name. */
  readonly name?: string;
  readonly baseUrl?: string;
  /** Replaces the wire of the row. */
  readonly wire?: WireClient;
}

/** A row of which only the wire may be missing, if the options have one. */
type Vendor = Omit<VendorRow, 'wire' | 'capabilities' | 'label'> & Partial<Pick<VendorRow, 'wire'>>;

/** Options override the vendor's row. */
export function createVendorProvider(vendor: Vendor, options: VendorOptions): Provider {
  const { name = vendor.name, baseUrl = vendor.baseUrl, wire = wires[vendor.wire ?? 'openai-chat'] } = options;
  if (baseUrl === undefined) {
    throw new SimpleAgentsError('configuration', `the provider "${name}" needs a base URL, like https://host/v1`, {
      field: 'baseUrl',
      target: name,
    });
  }
  const { auth, embeddings, completions } = vendor;
  const access = omitUndefined({
    ...options,
    name,
    baseUrl: withDefaultPath(baseUrl, vendor.defaultPath),
    auth,
    headers: { ...vendor.headers, ...options.headers },
    versions: versionsOf(wire, omitUndefined({ versions: vendor.versions, headers: options.headers })),
  });
  const quirks = { ...vendor.quirks, ...options.quirks };
  const remote = createRemoteProvider({ ...access, quirks, wire });
  const completing = completions && {
    ...completions,
    provider: createRemoteProvider({ ...access, quirks, wire: openaiCompletions }),
  };
  const asking = { ...access, wire, quirks, provider: name };
  const forwarding = { ...asking, baseUrl: withRouteBase(access.baseUrl, vendor.routeBase) };
  return {
    name,
    open: withCompletions(remote, completing).open,
    ...(vendor.noModelList ? {} : { listModels: (signal) => listRemoteModels(asking, signal) }),
    forward: (request, signal) => forwardRequest(forwarding, request, signal),
    ...(wire.counting && { countTokens: (request, signal) => countRemoteTokens(asking, request, signal) }),
    ...(embeddings && {
      embed: (request, signal, context) => callEmbeddings({ ...access, ...embeddings }, request, { signal, context }),
    }),
  };
}

function withRouteBase(baseUrl: string, routeBase: VendorRow['routeBase']): string {
  const url = URL.parse(baseUrl);
  const path = url?.pathname.replace(/\/+$/, '') ?? '';
  if (url === null || routeBase === undefined || !path.endsWith(routeBase.end)) return baseUrl;
  url.pathname = path.slice(0, -routeBase.end.length) + routeBase.replacement;
  return url.href;
}

/** Users copy the address of their resource, which has no path. */
function withDefaultPath(baseUrl: string, path: string | undefined): string {
  const url = URL.parse(baseUrl);
  return path === undefined || url === null || url.pathname !== '/' ? baseUrl : new URL(path + url.search, url).href;
}
