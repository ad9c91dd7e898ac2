// The settings of one provider, from a `[[providers]]` entry, options in code, or a key in the environment.

import type { Timeouts } from '../providers/remote.ts';
import type { VendorWire } from '../providers/vendors.ts';

export interface ProviderSettings {
  /** Unique; the part before the slash in `provider/model`. */
  readonly name: string;
  /** A vendor's row (`openai`, `anthropic`, …), `openai-compatible`, `anthropic-compatible` or `simulated`. */
  readonly type: string;
  /** Defaults to the wire of the vendor's row. A vendor of `openai-chat` may be called with `openai-responses`. */
  readonly wire?: VendorWire;
  /** The model for requests that name only the provider. */
  readonly model?: string;
  /** Further models that requests may name without the provider. */
  readonly models?: readonly string[];
  readonly apiKey?: string;
  /** The environment variable with the key, for the error message if it is missing. */
  readonly keyEnv?: string;
  readonly baseUrl?: string;
  /** The server at `baseUrl` is called without a key although the vendor itself needs one. */
  readonly needsNoKey?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** For Amazon Bedrock: the AWS region. Defaults to the environment, else the profile. */
  readonly region?: string;
  /** For Amazon Bedrock: the profile with the credentials. */
  readonly profile?: string;
  readonly timeouts?: Partial<Timeouts>;
  /** For a type that a plugin adds: its settings, validated. */
  readonly settings?: unknown;
  /** `false`: the known rules of the vendor's models and versions are not applied to requests. */
  readonly rules?: boolean;
  /** Whether tool-call arguments are always healed before they are sent on. Defaults to the vendor's row. */
  readonly healTools?: boolean;
  /** Fields of requests that its models do not accept. They are left out and named to the client. */
  readonly dropFields?: readonly string[];
  /** The maximum number of retries at this provider; overrides the general setting. */
  readonly maxRetries?: number;
  /** Its share of the calls if targets are chosen by weight. Defaults to 1. */
  readonly weight?: number;
  /** Not named in the configuration, only added next to real providers. Never listed and never available to clients. */
  readonly isImplicit?: true;
  /** For `simulated`: the same seed gives the same responses. */
  readonly seed?: number;
  /** For `simulated`: the file of its replies. */
  readonly script?: string;
}
