// A file that may come from others, such as one in a repository that an agent works in, may not decide where requests go:
// they carry the user's key and the conversation. Addresses of this machine are allowed, for local models.

import type { KeyPath } from '../../core/toml-location.ts';
import { isLoopbackName } from '../../core/loopback.ts';
import type { FileDraft } from './file-values.ts';
import { problemAt, type ConfigProblem } from './problem.ts';

export function checkUntrusted({ providers, proxy, network }: FileDraft): ConfigProblem[] {
  return [
    ...providers.flatMap(({ baseUrl }, ordinal) => checkAddress(baseUrl, ['providers', ordinal, 'base_url'])),
    ...checkAddress(proxy.http, ['proxy', 'http']),
    ...checkAddress(proxy.https, ['proxy', 'https']),
    ...(network.caFile === undefined ? [] : [problemAt(['network', 'ca_file'], refusal)]),
  ];
}

const refusal =
  'is not used, because this file is in the folder that the agent works in, and requests would carry your key to an ' +
  'address that others may have chosen; name the file with --config or SIMPLE_AGENTS_CONFIG, or move the setting to ' +
  'your own configuration';

function checkAddress(address: string | undefined, path: KeyPath): ConfigProblem[] {
  const url = address === undefined ? null : URL.parse(address);
  return url === null || isLoopbackName(url.hostname) ? [] : [problemAt(path, refusal)];
}
