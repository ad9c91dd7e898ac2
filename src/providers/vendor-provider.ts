// Creates a provider from a vendor's row and the user's options.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { anthropicMessages } from '../wire/anthropic-messages/client.ts';
import { openaiChat } from '../wire/openai-chat/client.ts';
import type { Unsupported } from '../wire/unsupported.ts';
import type { WireClient } from '../wire/wire.ts';
import { createRemoteProvider, type RemoteOptions } from './remote.ts';
import type { VendorRow } from './vendors.ts';

const wires: Readonly<Record<VendorRow['wire'], WireClient>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
};

/** A feature of the request that the vendor's wire cannot express and that changes the meaning of the response. */
export function findUnsupported(vendor: VendorRow, request: ChatRequest): Unsupported | undefined {
  return wires[vendor.wire].findUnsupported(request);
}

export interface VendorOptions extends Pick<RemoteOptions, 'apiKey' | 'headers' | 'quirks' | 'timeouts' | 'transport'> {
  /** Defaults to the vendor's name. */
  readonly name?: string;
  readonly baseUrl?: string;
}

/** Options override the vendor's row. */
export function createVendorProvider(vendor: VendorRow, options: VendorOptions): Provider {
  const { name = vendor.name, baseUrl = vendor.baseUrl } = options;
  if (baseUrl === undefined) {
    throw new SimpleAgentsError('configuration', `the provider "${name}" needs a base URL, like https://host/v1`, {
      field: 'baseUrl',
      target: name,
    });
  }
  return createRemoteProvider(
    omitUndefined({
      ...options,
      name,
      baseUrl,
      wire: wires[vendor.wire],
      auth: vendor.auth,
      headers: { ...vendor.headers, ...options.headers },
      quirks: { ...vendor.quirks, ...options.quirks },
    }),
  );
}
