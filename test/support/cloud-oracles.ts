// The official implementations of cloud signatures and tokens, which our own are compared with. `tools/cloud/` pins them.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedTools } from './outside-agents.ts';

interface SmithySigner {
  signRequest(
    request: object,
    options: { readonly signingDate: Date },
  ): Promise<{ readonly headers: Readonly<Record<string, string>> }>;
}

interface SmithyCodec {
  encode(message: { headers: Record<string, object>; body: Uint8Array }): Uint8Array;
  decode(bytes: Uint8Array): { headers: Record<string, { type: string; value: unknown }>; body: Uint8Array };
}

export interface CloudOracles {
  readonly SignatureV4: new (options: object) => SmithySigner;
  readonly Sha256: new () => object;
  readonly EventStreamCodec: new (
    toUtf8: (bytes: Uint8Array) => string,
    fromUtf8: (text: string) => Uint8Array,
  ) => SmithyCodec;
  readonly Int64: new (bytes: Uint8Array) => { readonly bytes: Uint8Array };
  /** The signed statement of a service account, with the date of `Date`. */
  readonly getJwsSign: (options: { iss: string; scope: string; key: string }) => string;
}

export async function cloudOracles(): Promise<CloudOracles> {
  const folder = await installedTools('cloud');
  const load = createRequire(join(folder, 'none.js')) as (name: string) => Record<string, unknown>;
  return {
    ...load('@smithy/signature-v4'),
    ...load('@aws-crypto/sha256-js'),
    ...load('@smithy/eventstream-codec'),
    ...load(join(folder, 'google-auth-library/build/src/gtoken/jwsSign.js')),
  } as unknown as CloudOracles;
}
