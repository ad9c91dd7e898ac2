// What the configuration says about one provider, however it was said: a `[[providers]]` entry, options in
// code, or a key found in the environment.

import type { Timeouts } from '../providers/remote.ts';

export interface ProviderSettings {
  /** Unique; stands before the slash in `provider/model`. */
  readonly name: string;
  /** A vendor's row (`openai`, `anthropic`, …), `openai-compatible`, `anthropic-compatible` or `simulated`. */
  readonly type: string;
  /** Answers when a request names only the provider. */
  readonly model?: string;
  /** Further model names this provider answers to without its name before them. */
  readonly models?: readonly string[];
  readonly apiKey?: string;
  /** The environment variable the key comes from, so that a missing key can be named. */
  readonly keyEnv?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  /** Whether a server sends on tool-call arguments only when they are healed; left out, as the vendor's row says. */
  readonly healTools?: boolean;
  /** Calls after the first, at this provider; goes before what holds for all. */
  readonly maxRetries?: number;
  /** Its part of the calls, where targets are chosen by weight; 1 when left out. */
  readonly weight?: number;
  /** Added beside real providers although the configuration does not name it: never listed, and never served to clients. */
  readonly isImplicit?: true;
  /** For `simulated`: the same seed gives the same answers. */
  readonly seed?: number;
  /** For `simulated`: the file of its replies. */
  readonly script?: string;
}
