// What the parts of a remote stream share: one answer on its way, and the call it belongs to.

import type { DecodeOptions, WireClient } from '../wire/wire.ts';
import type { RemoteCall } from './remote-call.ts';

export interface Upstream {
  readonly target: string;
  readonly wire: WireClient;
  readonly decoding: DecodeOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterator<Uint8Array>;
  readonly call: RemoteCall;
  /** Says who failed and takes keys out of the text; an abort's reason comes back as it is. */
  readonly explain: (error: unknown) => unknown;
  /** The credentials that were sent. */
  readonly secrets: readonly string[];
}
