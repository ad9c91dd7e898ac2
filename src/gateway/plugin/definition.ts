// What a plugin can add, and the API that it gets. A plugin is a module with `apiVersion` and `register(api)`. The plugin
// API is versioned as a whole: a change that breaks plugins increases the version.

import type { Clock } from '../../core/clock.ts';
import type { ErrorDetails, ErrorKind, SimpleAgentsError } from '../../core/error.ts';
import type { Provider } from '../../core/provider.ts';
import type { SchemaInput } from '../../heal/index.ts';
import type { RemoteOptions, Timeouts, Transport } from '../../providers/remote.ts';
import type { VendorRow } from '../../providers/vendors.ts';
import type { TextFilter } from '../guardrail/text-filter.ts';
import type { Strategy } from '../routing/strategy.ts';

/** The version of the plugin API that this release supports. */
export const pluginApiVersion = 1;

/** The exports of a plugin's module. */
export interface PluginModule {
  readonly apiVersion: number;
  register(api: PluginApi): void | Promise<void>;
}

export interface PluginApi {
  readonly apiVersion: number;
  addProvider(definition: ProviderDefinition): void;
  addWire(wire: RemoteOptions['wire']): void;
  addStrategy(definition: StrategyDefinition): void;
  addGuardrail(definition: GuardrailDefinition): void;
  /** Creates an error that retries, fallbacks, the server and the command line understand. */
  error(kind: ErrorKind, message: string, details?: ErrorDetails): SimpleAgentsError;
}

/** Settings are validated before they are passed on: a JSON Schema, or a schema of zod, arktype or valibot. */
interface WithSettings {
  /** One word. The name that the configuration uses. */
  readonly name: string;
  /** Without a schema, no settings are allowed. */
  readonly settings?: SchemaInput;
}

/** A provider type for `[[providers]]`: either `create`, or `wire` and a base URL as in a vendor's row. */
export interface ProviderDefinition extends WithSettings, Partial<Omit<VendorRow, 'name' | 'wire'>> {
  /** The name of a built-in wire (`openai-chat`, `anthropic-messages`, …) or of one that a plugin adds. */
  readonly wire?: string;
  create?(options: ProviderOptions): Provider | Promise<Provider>;
}

/** The entry of the provider in the configuration. */
export interface ProviderOptions {
  /** Unique; the part before the slash in `provider/model`. */
  readonly name: string;
  /** From the environment variable that `api_key_env` or `keyEnv` names. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts: Partial<Timeouts>;
  /** The result of the schema, with its defaults. */
  readonly settings: unknown;
  /** Sends HTTP requests with the configured proxy, certificates and connection limits. */
  readonly transport: Transport;
}

export interface StrategyDefinition extends WithSettings {
  create(settings: unknown, clock: Clock): Strategy;
}

export interface GuardrailDefinition extends WithSettings {
  create(settings: unknown): TextFilter;
}
