// Who can reach a server at all, as far as its settings decide it. A server that other machines reach has keys, and a
// change of settings never opens what was closed: a file that was emptied or cut must not remove authentication.

import { SimpleAgentsError } from '../../core/error.ts';
import { isLoopbackName } from './admission.ts';
import type { ServerSettings } from '../settings.ts';

type Exposure = Required<Pick<ServerSettings, 'host' | 'keys' | 'allowedHosts'>>;

/** Anyone who reaches the port spends the money behind it. */
export function checkExposure({ host, keys }: Exposure): void {
  if (isLoopbackName(host) || keys.length > 0) return;
  const fix = 'set keys in [server], or listen on 127.0.0.1';
  throw new SimpleAgentsError(
    'configuration',
    `${host} can be reached from other machines, and there are no keys: ${fix}`,
    { field: 'host' },
  );
}

/** For changes of a running server; only a restart may open it. */
export function checkExposureChange(before: Exposure, after: Exposure): void {
  if (before.keys.length > 0 && after.keys.length === 0) {
    refuse('server.keys', 'the new configuration has no keys; restart the gateway to remove the last key');
  }
  // Without a list, a server that other machines reach answers to every name.
  const isNarrowed = !isLoopbackName(before.host) && before.allowedHosts.length > 0;
  if (isNarrowed && after.allowedHosts.length === 0) {
    refuse('server.allowed_hosts', 'the new configuration allows every host name; restart the gateway to allow them');
  }
}

function refuse(field: string, message: string): never {
  throw new SimpleAgentsError('configuration', `${field}: ${message}`, { field });
}
