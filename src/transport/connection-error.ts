// What a failed connection means to a person, told from the codes that Node, OpenSSL and http/failure.ts give.
// Names only the origin: the rest of a URL may hold a key.

import { SimpleAgentsError } from '../core/error.ts';
import { entryOf } from '../core/json.ts';
import { timeoutError } from './timeouts.ts';

/** How far the exchange had come. */
export type Phase = 'connecting' | 'waiting' | 'reading';

export interface Connection {
  readonly origin: string;
  readonly phase: Phase;
  readonly connectTimeout: number;
}

const happened: Readonly<Record<Phase, (origin: string) => string>> = {
  connecting: (origin) => `could not connect to ${origin}`,
  waiting: (origin) => `lost the connection to ${origin} before an answer came`,
  reading: (origin) => `lost the connection to ${origin} in the middle of the answer`,
};

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection aborted',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up',
  EPROTO: 'TLS failed; does the server speak https?',
  CLOSED_BY_SERVER: 'closed by the server',
  SHORT_ANSWER: 'the answer is shorter than it said',
  TRANSPORT_CLOSED: 'the transport was closed',
};

/** What this machine, not the other one, has run out of. */
const shortages: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many files open; raise its limit, ulimit -n',
  ENFILE: 'this machine has too many files open',
  EADDRNOTAVAIL: 'this machine has no address or port to connect from',
  ENOBUFS: 'this machine has no memory left for connections',
  ENOMEM: 'this machine has no memory left',
};

const shortageCode = 'local-shortage';

/** Says nothing about the server: it was never reached. */
export function isLocalShortage(error: SimpleAgentsError): boolean {
  return error.code === shortageCode;
}

export function toConnectionError(thrown: unknown, connection: Connection): SimpleAgentsError {
  const { code = '', message = String(thrown), address, port } = (thrown ?? {}) as Partial<NodeError>;
  const { origin, phase, connectTimeout } = connection;
  if (code === 'CONNECT_TIMEOUT') return timeoutError(`no connection to ${origin}`, 'connect', connectTimeout);
  if (code === 'NOT_HTTP') {
    return new SimpleAgentsError('bad-response', `${origin} does not answer in HTTP (${message})`, { cause: thrown });
  }
  const shortage = entryOf(shortages, code);
  if (shortage !== undefined) {
    const details = { cause: thrown, code: shortageCode };
    return new SimpleAgentsError('overloaded', `${happened[phase](origin)} (${shortage})`, details);
  }
  const reason = code.startsWith('ERR_SSL') ? reasons['EPROTO'] : (reasons[code] ?? message);
  const kind = code === 'ETIMEDOUT' ? 'timeout' : 'network';
  // Worth telling when it is not the address asked for: a proxy, or what a name was resolved to.
  const peer = address === undefined || origin.includes(address) ? '' : ` by ${address}:${port}`;
  return new SimpleAgentsError(kind, `${happened[phase](origin)} (${reason}${peer})`, { cause: thrown });
}

interface NodeError extends Error {
  readonly code: string;
  readonly address: string;
  readonly port: number;
}
