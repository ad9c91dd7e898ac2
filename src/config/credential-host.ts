// What the sources of cloud credentials get on Node.

import { readFile } from 'node:fs/promises';
import { SimpleAgentsError } from '../core/error.ts';
import type { CredentialHost } from '../providers/auth/credential-host.ts';
import { createFetchTransport, type Transport } from '../providers/remote.ts';
import { processEnvironment, readVariable, type Environment } from './environment.ts';

export function createCredentialHost(transport: Transport, env: Environment = processEnvironment()): CredentialHost {
  return {
    variable: (name) => readVariable(name, env),
    readText,
    transport,
    direct: createFetchTransport(),
    now: () => Date.now(),
  };
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SimpleAgentsError('auth', `${path}: cannot be read (${code}); check the permissions of the file`);
  });
}
