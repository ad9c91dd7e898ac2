// What a client needs from its host. The implementation for Node is in src/node.ts; other engines provide their own.

import type { Settings, SettingsTier } from '../config/settings.ts';
import type { Sha256 } from '../core/hash.ts';
import type { Provider } from '../core/provider.ts';
import type { GatewayOptions } from '../gateway/gateway.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';

export interface ClientRuntime {
  /** Options override the environment, which overrides the file. `path: false`: no file. */
  loadSettings(options: { readonly path: string | false; readonly overrides: SettingsTier }): Promise<Settings>;
  readonly sha256: Sha256;
  createTransport(settings: Settings): NonNullable<GatewayOptions['transport']>;
  createSimulated(settings: ProviderSettings): Promise<Provider>;
  readonly credentialHost?: GatewayOptions['credentialHost'];
  /** Calls `changed` after each change of the file, until the watch is closed. */
  watchFile(path: string, changed: () => void): Promise<{ close(): void }>;
}
