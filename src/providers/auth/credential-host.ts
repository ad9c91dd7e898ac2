// What the sources of cloud credentials need from their host: files, the environment, connections and the date.

import { SimpleAgentsError } from '../../core/error.ts';
import type { Transport, TransportRequest } from '../../transport/transport.ts';
import { readText } from '../body.ts';

export interface CredentialHost {
  /** An empty variable counts as not set. */
  variable(name: string): string | undefined;
  /** The text of a file; undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** For token endpoints: with the configured proxy and certificates. */
  readonly transport: Pick<Transport, 'send'>;
  /** For metadata servers of the machine: without a proxy. */
  readonly direct: Pick<Transport, 'send'>;
  /** The date in milliseconds since 1970. */
  now(): number;
}

/** A credential and when it expires, in milliseconds since 1970. Without a date it does not expire. */
export interface Expiring {
  readonly expiresAt?: number;
}

export interface TokenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** More is not needed to read a token or to describe a failure. */
const mostText = 256 * 1024;

/** Sends a request for a credential. `source`: for messages. */
export async function requestToken(
  transport: Pick<Transport, 'send'>,
  request: TransportRequest,
  { source, timeout = 10_000 }: { readonly source: string; readonly timeout?: number },
): Promise<TokenResponse> {
  try {
    const { status, headers, body } = await transport.send(request, AbortSignal.timeout(timeout));
    return { status, headers, text: await readText(body, mostText) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A call may succeed later, so that it is retried.
    const kind = error instanceof SimpleAgentsError && !error.retryable ? error.kind : 'network';
    throw new SimpleAgentsError(kind, `${source} cannot be reached: ${reason}`, { cause: error });
  }
}

/** The JSON of a successful response. Messages contain the error's code, never the request. */
export function readTokenJson(
  { status, text }: TokenResponse,
  source: string,
  advice: string,
): Record<string, unknown> {
  const json = parseObject(text);
  if (status >= 200 && status < 300 && json !== undefined) return json;
  const { error, 'error_description': description, Code: code, Message: message } = json ?? {};
  const named = [error, code].find((name) => typeof name === 'string');
  const detail = [description, message].find((words) => typeof words === 'string');
  const reason = [`status ${status}`, named, detail].filter((part) => part !== undefined).join(', ');
  throw credentialError(`${source} gave no credential (${reason}); ${advice}`, status);
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A failure of the source itself may pass; a refusal does not. */
export function credentialError(message: string, status = 401): SimpleAgentsError {
  const kind = status >= 500 ? 'upstream' : status === 429 ? 'rate-limit' : 'auth';
  return new SimpleAgentsError(kind, message, status >= 500 || status === 429 ? { status } : {});
}
