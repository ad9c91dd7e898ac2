// A vendor's row and what the user said about it, made into a provider.

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

/** What a request asks for that the vendor's wire cannot say and that changes the meaning of the answer. */
export function findUnsupported(vendor: VendorRow, request: ChatRequest): Unsupported | undefined {
  return wires[vendor.wire].findUnsupported(request);
}

export interface VendorOptions extends Pick<RemoteOptions, 'apiKey' | 'headers' | 'quirks' | 'timeouts' | 'transport'> {
  /** Left out, the vendor's own. */
  readonly name?: string;
  readonly baseUrl?: string;
}

/** What the options say goes before what the row says. */
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
