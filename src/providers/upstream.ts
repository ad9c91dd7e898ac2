// The state that the parts of a remote stream share: one response and the call it belongs to.

import type { DecodeOptions, WireClient } from '../wire/wire.ts';
import type { BodyTurns } from './body-turns.ts';
import type { RemoteCall } from './remote-call.ts';

export interface Upstream {
  readonly target: string;
  readonly wire: WireClient;
  readonly decoding: DecodeOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyTurns;
  readonly call: RemoteCall;
  /** Adds the target to an error and redacts credentials in it. The reason of an abort is returned unchanged. */
  readonly explain: (error: unknown) => unknown;
  /** The credentials that were sent. */
  readonly secrets: readonly string[];
}
