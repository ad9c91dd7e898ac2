// A key of the gateway as the configuration has it: its name, the SHA-256 of the key, and what it may be used for. The
// key itself is nowhere.

/** `call`: ask models, list them, heal. `metrics`: read `/metrics`. */
export const keyScopes = ['call', 'metrics'] as const;

export type KeyScope = (typeof keyScopes)[number];

export interface GatewayKey {
  /** What logs and metrics call it. */
  readonly name: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly KeyScope[];
}

/** A key that is given by its hash alone is named by the beginning of the hash and may be used for everything. */
export function toGatewayKey(key: string | GatewayKey): GatewayKey {
  if (typeof key !== 'string') return key;
  return { name: `key-${key.slice(0, 12).toLowerCase()}`, hash: key, scopes: keyScopes };
}
