// Ids of responses and conversations, as clients get them. An id carries the target that created the response, the key it
// belongs to and, for what its provider stored, the provider's own id. It is signed, so a client can neither change it nor
// make one up. All replicas with the same signing key accept it.
// Invariant: the first characters are random, so that ids of items can be made from them (`output-item.ts`).

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { omitUndefined } from '../../core/json.ts';
import type { ResponseIdentity } from '../../wire/wire.ts';

export interface ResponseOrigin {
  /** `provider/model`. */
  readonly target: string;
  /** The id at the provider. Left out if only the gateway has the response. */
  readonly upstreamId?: string;
}

/** `forged`: not signed with our key. `other-owner`: signed for another owner. */
export type IdCheck = ResponseOrigin | 'forged' | 'other-owner';

const randomLength = 18;
const signatureLength = 16;
const ownerLength = 8;

export class SignedIds {
  readonly #key: Uint8Array;
  readonly #prefix: string;

  /** Without a key, the ids are valid until the process ends. An id with another prefix is not accepted. */
  constructor(key: Uint8Array = randomBytes(32), prefix: 'resp_' | 'conv_' = 'resp_') {
    this.#key = key;
    this.#prefix = prefix;
  }

  /** `owner`: identifies the key of the client. */
  create(owner: string, { target, upstreamId }: ResponseOrigin): string {
    const origin = JSON.stringify(upstreamId === undefined ? [target] : [target, upstreamId]);
    const content = Buffer.concat([randomBytes(randomLength), this.#tagOf(owner), Buffer.from(origin)]);
    return this.#prefix + Buffer.concat([content, this.#sign(content)]).toString('base64url');
  }

  check(owner: string, id: string): IdCheck {
    const bytes = Buffer.from(id.slice(this.#prefix.length), 'base64url');
    const content = bytes.subarray(0, -signatureLength);
    const start = randomLength + ownerLength;
    // Decoding ignores characters that are not base64, so other spellings of an id would be accepted.
    if (id !== this.#prefix + bytes.toString('base64url') || content.length <= start) return 'forged';
    if (!timingSafeEqual(this.#sign(content), bytes.subarray(-signatureLength))) return 'forged';
    if (!timingSafeEqual(this.#tagOf(owner), content.subarray(randomLength, start))) return 'other-owner';
    const [target, upstreamId] = JSON.parse(content.subarray(start).toString()) as [string, string?];
    return upstreamId === undefined ? { target } : { target, upstreamId };
  }

  #sign(content: Uint8Array): Buffer {
    return createHmac('sha256', this.#key)
      .update(`${this.#prefix}\n`)
      .update(content)
      .digest()
      .subarray(0, signatureLength);
  }

  #tagOf(owner: string): Buffer {
    return createHmac('sha256', this.#key).update('owner\n').update(owner).digest().subarray(0, ownerLength);
  }
}

export interface IdentityOptions {
  readonly owner: string;
  /** Known once the call has a response. */
  readonly target: () => string;
  /** Whether the provider stores the response, so that it can be asked for it by its own id. */
  readonly isStored: boolean;
  readonly previousId?: string | undefined;
  /** The id of a conversation, by the provider's. */
  readonly conversation?: ResponseIdentity['conversation'];
}

/** The ids of one response. Each is created once. */
export function createIdentity(ids: SignedIds, options: IdentityOptions): ResponseIdentity {
  const { owner, target, isStored, previousId, conversation } = options;
  const created = new Map<string | undefined, string>();
  const create = (upstreamId: string | undefined): string =>
    ids.create(owner, omitUndefined({ target: target(), upstreamId: isStored ? upstreamId : undefined }));
  return omitUndefined({
    of(own?: string) {
      const id = created.get(own) ?? create(own);
      created.set(own, id);
      return id;
    },
    previous: previousId,
    conversation,
  });
}
