// Maps connection failures to errors with a useful message. The only place that reads the error codes of Node, OpenSSL,
// zlib, undici and `fetch`. Messages contain only the origin, because the rest of a URL may contain a key.

import { localShortage, SimpleAgentsError } from '../core/error.ts';
import { entryOf } from '../core/json.ts';
import { timeoutError } from '../core/timeout.ts';

/** How far the exchange had got. */
export type ConnectionPhase = 'connecting' | 'waiting' | 'reading';

export interface FailedConnection {
  readonly origin: string;
  /** `requesting`: the HTTP client does not report when it is connected, so the error code decides. */
  readonly phase: ConnectionPhase | 'requesting';
  /** In milliseconds, if known. */
  readonly connectTimeout?: number;
}

/** The code of the error that `close()` ends calls with. */
export const transportClosed = 'TRANSPORT_CLOSED';

const happened: Readonly<Record<ConnectionPhase, (origin: string) => string>> = {
  connecting: (origin) => `could not connect to ${origin}`,
  waiting: (origin) => `lost the connection to ${origin} before a response arrived`,
  reading: (origin) => `lost the connection to ${origin} in the middle of the response`,
};

const untrusted = 'trust its issuer with ca_file under [network]';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection aborted',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be resolved',
  EPROTO: 'TLS failed; does the server speak https?',
  DEPTH_ZERO_SELF_SIGNED_CERT: `self-signed certificate; ${untrusted}`,
  SELF_SIGNED_CERT_IN_CHAIN: `self-signed certificate in the chain; ${untrusted}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the issuer of its certificate is unknown; ${untrusted}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the issuer of its certificate is unknown; ${untrusted}`,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'the server requires a client certificate; set client_cert_file and client_key_file under [network]',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response does not have the announced length',
  UND_ERR_DESTROYED: 'the transport was closed',
  UND_ERR_CLOSED: 'the transport was closed',
  [transportClosed]: 'the transport was closed',
};

/** Resources that this machine, not the server, has run out of. */
const shortages: Readonly<Record<string, string>> = {
  EMFILE: 'this process has too many files open; raise its limit, ulimit -n',
  ENFILE: 'this machine has too many files open',
  EADDRNOTAVAIL: 'this machine has no address or port to connect from',
  ENOBUFS: 'this machine has no memory left for connections',
  ENOMEM: 'this machine has no memory left',
};

export function toConnectionError(thrown: unknown, connection: FailedConnection): SimpleAgentsError {
  if (thrown instanceof SimpleAgentsError) return thrown;
  const root = rootOf(thrown);
  const { kind, message, code, cause } = classify(thrown, root, connection);
  const addresses = addressesOf(root, connection.origin);
  return new SimpleAgentsError(kind, message, { cause, addresses, ...(code === undefined ? {} : { code }) });
}

/** What a message may contain of the way to the server. */
function addressesOf({ address, port }: NetworkError, origin: string): string[] {
  const { host = '', hostname = '' } = URL.parse(origin) ?? {};
  const peer = address === undefined ? [] : [`${address}:${port}`, address];
  return [origin, host, hostname, ...peer].filter((text) => text !== '');
}

function classify(thrown: unknown, error: NetworkError, connection: FailedConnection): SimpleAgentsError {
  const { code } = error;
  const phase = connection.phase === 'requesting' ? phaseOf(error) : connection.phase;
  const { origin, connectTimeout } = connection;
  if (isConnectTimeout(code, phase)) return toTimeout(origin, connectTimeout, thrown);
  if (isNotHttp(error)) {
    const message = `${origin} sent a malformed HTTP response (${error.message})`;
    return new SimpleAgentsError('bad-response', message, { cause: thrown });
  }
  if (isDecoderError(code)) {
    const message = `the response from ${origin} cannot be decoded (${error.message})`;
    return new SimpleAgentsError('bad-response', message, { cause: thrown });
  }
  const shortage = entryOf(shortages, code);
  if (shortage !== undefined) {
    const details = { cause: thrown, code: localShortage };
    return new SimpleAgentsError('overloaded', `${happened[phase](origin)} (${shortage})`, details);
  }
  const kind = isTimeout(code) ? 'timeout' : 'network';
  return new SimpleAgentsError(kind, `${happened[phase](origin)} (${reasonOf(error, origin)})`, { cause: thrown });
}

function toTimeout(origin: string, limit: number | undefined, cause: unknown): SimpleAgentsError {
  if (limit !== undefined && limit > 0) return timeoutError(`no connection to ${origin}`, 'connect', limit);
  const message = `could not connect to ${origin} (the runtime's own time-out; set timeouts.connect to change it)`;
  return new SimpleAgentsError('timeout', message, { cause, code: 'connect-timeout' });
}

interface NetworkError {
  readonly code: string;
  readonly name: string;
  readonly message: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
}

/** `fetch` and undici wrap the original error in causes, and attempts at several addresses in one error. */
function rootOf(thrown: unknown): NetworkError {
  const chain: Partial<NetworkError>[] = [];
  let next: unknown = thrown;
  while (typeof next === 'object' && next !== null && chain.length < 10) {
    chain.push(next);
    const { cause, errors } = next as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
    next = cause ?? errors?.[0];
  }
  const {
    code = '',
    name = '',
    message = String(thrown),
    ...rest
  } = chain.findLast((error) => hasCode(error)) ?? chain.at(-1) ?? {};
  const { syscall, address, port } = rest as Partial<NetworkError>;
  return { code, name, message, ...(syscall && { syscall }), ...(address && { address }), ...(port && { port }) };
}

function hasCode({ code }: Partial<NetworkError>): boolean {
  return typeof code === 'string' && code !== '';
}

/** Browsers keep a list of ports that `fetch` must not use, such as 6000 and 10080. */
function isBlockedPort(code: string, message: string): boolean {
  return code === '' && message === 'bad port';
}

/** Errors that cannot happen once there is a connection. */
const connecting =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_ABORTED|EPROTO)$|CERT|^ERR_(?:SSL|TLS)/;

function phaseOf({ code, message, syscall }: NetworkError): ConnectionPhase {
  const isConnecting = syscall === 'connect' || connecting.test(code) || isBlockedPort(code, message);
  return isConnecting ? 'connecting' : 'waiting';
}

/** Waiting for a proxy to open a tunnel counts as connecting. */
function isConnectTimeout(code: string, phase: ConnectionPhase): boolean {
  return code === 'UND_ERR_CONNECT_TIMEOUT' || (phase === 'connecting' && code === 'UND_ERR_HEADERS_TIMEOUT');
}

function isTimeout(code: string): boolean {
  return code === 'ETIMEDOUT' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

/** undici's parser errors have a name, but not always a code. */
function isNotHttp({ code, name }: NetworkError): boolean {
  return name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW';
}

function isDecoderError(code: string): boolean {
  return /^(?:Z_|ERR_BROTLI|ERR__ERROR_|ZSTD_)/.test(code);
}

function reasonOf({ code, message, address, port }: NetworkError, origin: string): string {
  // The only request that undici itself aborts is the one for a tunnel.
  if (code === 'UND_ERR_ABORTED')
    return `the proxy refused the tunnel, status ${/\d{3}/.exec(message)?.[0] ?? 'unknown'}`;
  if (isBlockedPort(code, message))
    return 'fetch does not connect to this port; set connect under [timeouts] to use undici';
  if (code === 'UND_ERR_SOCKET' && message.includes('closed')) return 'closed by the server';
  const known = entryOf(reasons, code) ?? (code.startsWith('ERR_SSL') ? reasons['EPROTO'] : undefined);
  // Useful if it differs from the address in the URL: a proxy, or the address of a host name.
  const isOrigin = address === undefined || origin.endsWith(`//${address}:${port}`) || origin.endsWith(`//${address}`);
  const peer = isOrigin ? '' : ` by ${address}:${port}`;
  // Some runtimes quote the URL, which may contain a key.
  return `${known ?? message.replaceAll(/https?:\/\/[^\s)]*/g, origin)}${peer}`;
}
