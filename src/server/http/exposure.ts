// Checks who can reach a server, as far as its settings decide it. A server that other machines can reach must have keys.
// A change of settings never opens what was closed: a configuration file that was emptied or cut off must not remove
// authentication.

import { SimpleAgentsError } from '../../core/error.ts';
import { isLoopbackName } from '../../core/loopback.ts';
import type { ServerSettings } from '../settings.ts';

type Exposure = Required<Pick<ServerSettings, 'host' | 'keys' | 'allowedHosts'>>;

/** Throws `configuration` for a server that other machines can reach without a key: its calls cost money. */
export function checkExposure({ host, keys }: Exposure): void {
  if (isLoopbackName(host) || keys.length > 0) return;
  const fix = 'set keys in [server], or listen on 127.0.0.1';
  throw new SimpleAgentsError(
    'configuration',
    `${host} can be reached from other machines, but no keys are set: ${fix}`,
    {
      field: 'host',
    },
  );
}

/** For a running server. Throws `configuration` for a change that only a restart may make. */
export function checkExposureChange(before: Exposure, after: Exposure): void {
  if (before.keys.length > 0 && after.keys.length === 0) {
    failOn('server.keys', 'the new configuration has no keys; restart the gateway to remove the last key');
  }
  // Without a list, a server that other machines can reach accepts every host name.
  const isNarrowed = !isLoopbackName(before.host) && before.allowedHosts.length > 0;
  if (isNarrowed && after.allowedHosts.length === 0) {
    failOn('server.allowed_hosts', 'the new configuration allows every host name; restart the gateway to allow them');
  }
}

function failOn(field: string, message: string): never {
  throw new SimpleAgentsError('configuration', `${field}: ${message}`, { field });
}
