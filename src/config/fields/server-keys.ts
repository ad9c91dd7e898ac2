// The rows of `[[server.keys]]`. All are required: an entry that was cut off must never be a key with fewer limits.

import type { Field } from '../field.ts';
import { areScopes, isDigest, isKeyName } from '../rules.ts';

export const serverKeysFields = [
  {
    table: 'server.keys',
    key: 'name',
    type: 'string',
    description: 'What logs and metrics call the key, such as `billing-service`.',
    required: true,
    rule: isKeyName,
  },
  {
    table: 'server.keys',
    key: 'hash',
    type: 'string',
    description: 'The SHA-256 of the key, 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`.',
    required: true,
    rule: isDigest,
  },
  {
    table: 'server.keys',
    key: 'scopes',
    type: 'list of strings',
    description: 'What the key may be used for: `call` (ask models, list them, heal), `metrics` (read `/metrics`).',
    required: true,
    rule: areScopes,
  },
] as const satisfies readonly Field[];
