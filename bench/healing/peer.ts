// The libraries that are compared. Each is used as its documentation says, and gets a schema if it supports one.

import { judge, type Outcome, type HealRun } from '../../test/support/damage/score.ts';

export interface Peer {
  readonly name: string;
  /** Without schema support, only the untyped cases are run. */
  readonly takesSchema: boolean;
  readonly heal: (runs: readonly HealRun[]) => Promise<Outcome[]>;
}

/** A string explains why the peer is not installed, which is reported but is not an error. */
export type PeerLoader = () => Promise<Peer | string>;

export function syntaxPeer(name: string, parse: (text: string) => unknown): Peer {
  return { name, takesSchema: false, heal: async (runs) => runs.map((run) => attempt(run, parse)) };
}

function attempt({ damaged }: HealRun, parse: (text: string) => unknown): Outcome {
  try {
    return judge(damaged.accepted, { value: parse(damaged.text) });
  } catch (error) {
    return { verdict: 'refused', message: String(error) };
  }
}
