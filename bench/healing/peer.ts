// The healers that are compared. Each is driven as its own documentation says, and gets a schema if it takes one.

import { judge, type Outcome, type Run } from '../../test/support/damage/score.ts';

export interface Peer {
  readonly name: string;
  /** Syntax-only peers are asked for the untyped cases alone. */
  readonly takesSchema: boolean;
  readonly heal: (runs: readonly Run[]) => Promise<Outcome[]>;
}

/** A peer that is not installed is told of, not an error. */
export type PeerLoader = () => Promise<Peer | string>;

export function syntaxPeer(name: string, parse: (text: string) => unknown): Peer {
  return { name, takesSchema: false, heal: async (runs) => runs.map((run) => attempt(run, parse)) };
}

function attempt({ damaged }: Run, parse: (text: string) => unknown): Outcome {
  try {
    return judge(damaged.accepted, { value: parse(damaged.text) });
  } catch (error) {
    return { verdict: 'refused', message: String(error) };
  }
}
