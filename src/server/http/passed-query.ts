// The query of a request as it may pass to a provider: without the parameters in which clients send a key. A provider
// would write the gateway's key into its log.

import { filterQuery } from '../../core/query.ts';

const credential =
  /^(?:key|(?:x-)?(?:goog-)?api[-_]?key|(?:access|auth|id|refresh)[-_]?token|authorization|client[-_]?secret|password)$/i;

export function toPassedQuery(query: string): string {
  return filterQuery(query, (name) => !credential.test(name));
}
