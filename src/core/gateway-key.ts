// A client key of the gateway as the configuration stores it: its name, its SHA-256 and its scopes. The key itself is not
// stored.

/**
 * `call`: call and list models, heal. `metrics`: read `/metrics`. `account`: use what is stored at the providers' accounts,
 * although other keys use the same accounts.
 */
export const keyScopes = ['call', 'metrics', 'account'] as const;

export type KeyScope = (typeof keyScopes)[number];

export interface GatewayKey {
  /** Its name in logs and metrics. */
  readonly name: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly KeyScope[];
}

/** A key given only by its hash is named after the start of the hash. */
export function toGatewayKey(key: string | GatewayKey): GatewayKey {
  if (typeof key !== 'string') return key;
  return { name: `key-${key.slice(0, 12).toLowerCase()}`, hash: key, scopes: ['call', 'metrics'] };
}

/** SHA-256 of the empty text and of short blank texts. */
const hashesOfNothing: ReadonlySet<string> = new Set([
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  // A line feed, a carriage return, both, and two line feeds.
  '01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b',
  '9d1e0e2d9459d06523ad13e28a4093c2316baafe7aec5b25f30eba2e113599c4',
  '7eb70257593da06f682a3ddda54a9d260d4fc514f645237f5ca74b08f8da61a6',
  '75a11da44c802486bc6f65640aa48a730f0f684c5c07a42ba3cd1735eb3fb070',
  // A tab, a space, and a space before a line end.
  '2b4c342f5433ebe591a1da77e013d1b72475562d48578dca8b84bac6651c3cb9',
  '36a9e7f1c95b82ffb99743e0c5c4ce95d83c9a430aac59f84ef3cbfab6145068',
  'e16f1596201850fd4a63680b27f603cb64e67176159be3d8ed78a4403fdb1700',
  '6bdf66b5bf2a44e658bea2ee86695ab150a06e600bf67cd5cce245ad54962c61',
]);

/** Whether the hash is that of no key: what a command prints whose variable is not set. */
export function isHashOfNothing(hash: string): boolean {
  return hashesOfNothing.has(hash.toLowerCase());
}

/** The problem of such a hash, with the fix. */
export const emptyKeyProblem =
  'is the SHA-256 hash of an empty text, not of a key; the variable with the key was probably not set when it was hashed. Create a key with "simple-agents keys create"';
