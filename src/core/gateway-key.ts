// A client key of the gateway as the configuration stores it: its name, its SHA-256 and its scopes. The key itself is not
// stored.

/** `call`: call and list models, heal. `metrics`: read `/metrics`. */
export const keyScopes = ['call', 'metrics'] as const;

export type KeyScope = (typeof keyScopes)[number];

export interface GatewayKey {
  /** Its name in logs and metrics. */
  readonly name: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly KeyScope[];
}

/** A key given only by its hash is named after the start of the hash and has all scopes. */
export function toGatewayKey(key: string | GatewayKey): GatewayKey {
  if (typeof key !== 'string') return key;
  return { name: `key-${key.slice(0, 12).toLowerCase()}`, hash: key, scopes: keyScopes };
}
