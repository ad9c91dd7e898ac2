// Sends a request with the cloud credential of its provider, if it has one. A request that is refused because its
// credential was replaced meanwhile is sent once more.

import { secretsIn } from '../transport/secret.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import type { RequestSigner } from './auth/request-signer.ts';
import { readText } from './body.ts';

/** Bytes of a refusal that are read to keep its connection. */
const mostDiscarded = 64 * 1024;

export interface SentRequest {
  readonly signal: AbortSignal;
  /** Gets the credentials that are sent, because they must not appear in errors. */
  readonly secrets: string[];
}

export async function sendSigned(
  { transport, signer }: { readonly transport: Transport; readonly signer?: RequestSigner },
  request: TransportRequest,
  { signal, secrets }: SentRequest,
): Promise<TransportResponse> {
  if (signer === undefined) return transport.send(request, signal);
  const send = async (): Promise<TransportResponse> => {
    const headers = await signer.sign(request);
    secrets.push(...secretsIn(headers));
    return transport.send({ ...request, headers }, signal);
  };
  const response = await send();
  if (!(await signer.renew(response))) return response;
  await readText(response.body, mostDiscarded);
  return send();
}
